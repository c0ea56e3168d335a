"""Metrics that walk through sorted blocks say what whole columns say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from turnsure import metrics
from turnsure.numerics.binning import equal_mass_bins
from turnsure.numerics.isotonic import pool_adjacent_violators
from turnsure.numerics.tallies import SortedPairs

NEAR = 1e-12
SETTINGS = settings(deadline=None, max_examples=12)


@st.composite
def columns(draw):
    """Confidences, few or many of them tied, and outcomes of both kinds; up to three blocks."""
    random = np.random.default_rng(draw(st.integers(0, 1_000)))
    n = draw(st.sampled_from([2, 3, 1_000, 65_536, 65_537, 140_000]))
    n_values = draw(st.sampled_from([1, 2, 101, 1 << 30]))
    confidence = random.integers(0, n_values + 1, n) / n_values
    confidence[confidence == 0.0] = draw(st.sampled_from([0.0, -0.0]))
    correct = random.random(n) < draw(st.sampled_from([0.02, 0.5])) + 0.4 * confidence
    correct[:2] = [True, False]
    return confidence, correct


def by_value(confidence, correct):
    """Distinct confidences, their rows and right answers."""
    values, places = np.unique(confidence, return_inverse=True)
    return values, np.bincount(places), np.bincount(places, correct)


@SETTINGS
@given(columns(), st.booleans())
def test_sorted_pairs(rows, descending):
    pieces = list(SortedPairs(*rows).tallies(descending=descending))
    for found, expected in zip(("value", "n", "right"), by_value(*rows), strict=True):
        column = np.concatenate([getattr(piece, found) for piece in pieces])
        assert np.array_equal(column, expected[::-1] if descending else expected)


@SETTINGS
@given(columns())
def test_ranking(rows):
    _, n, right = by_value(*rows)
    wrong = n - right
    below = np.cumsum(wrong) - wrong
    auroc = (right * (below + wrong / 2)).sum() / (right.sum() * wrong.sum())
    assert metrics.auroc(*rows).value == pytest.approx(auroc, abs=NEAR)
    accepted, found = np.cumsum(n[::-1]), np.cumsum(right[::-1])
    precision = (right[::-1] * found / accepted).sum() / right.sum()
    assert metrics.average_precision(*rows).value == pytest.approx(precision, abs=NEAR)
    errors = np.cumsum(np.repeat((wrong / n)[::-1], n[::-1]))
    risk = (errors / np.arange(1, len(errors) + 1)).mean()
    aurc = metrics.aurc(*rows)
    assert aurc.value == pytest.approx(risk, abs=NEAR)
    assert aurc.details["n_thresholds"] == len(n)


@SETTINGS
@given(columns())
def test_log_loss(rows):
    confidence, correct = rows
    given_to_it = np.clip(np.where(correct, confidence, 1.0 - confidence), 0.01, 0.99)
    loss = metrics.log_loss(*rows, clip=0.01)
    assert loss.value == pytest.approx(-np.log(given_to_it).mean(), abs=NEAR)


@SETTINGS
@given(columns(), st.sampled_from([1, 3, 10]))
def test_parts_of_the_brier_score(rows, bins):
    values, n, right = by_value(*rows)
    share, base = right / n, rows[1].mean()
    parts = metrics.brier_decomposition(*rows)
    assert parts.reliability == pytest.approx((n * (values - share) ** 2).sum() / n.sum(), abs=NEAR)
    assert parts.resolution == pytest.approx((n * (share - base) ** 2).sum() / n.sum(), abs=NEAR)
    fit = isotonic_regression(share, weights=n).x
    isotonic = metrics.brier_decomposition(*rows, "isotonic")
    assert isotonic.resolution == pytest.approx((n * (fit - base) ** 2).sum() / n.sum(), abs=NEAR)
    binned = metrics.brier_decomposition(*rows, "bins", bins)
    whole = binned.reliability - binned.resolution + binned.uncertainty + binned.within_group
    assert binned.brier == pytest.approx(whole, abs=NEAR)


@SETTINGS
@given(columns(), st.sampled_from([1, 2, 7, 10, 200, 200_000]))
def test_bins_of_equal_mass(rows, bins):
    _, n, _ = by_value(*rows)
    expected = (bins * np.cumsum(n) - 1) // n.sum()
    _, places = np.unique(rows[0], return_inverse=True)
    assert np.array_equal(equal_mass_bins(rows[0], bins), expected[places])


@SETTINGS
@given(columns())
def test_scores_are_counted(rows):
    values, n, right = by_value(*rows)
    found = metrics.score_distribution(*rows, bars=1)
    most = np.argsort(-n, kind="stable")[:5]
    assert found.n_distinct == len(values)
    assert found.most_common == tuple(zip(values[most].tolist(), n[most].tolist(), strict=True))
    assert [(bar.n, bar.n_correct) for bar in found.bars] == [(n.sum(), right.sum())]


@SETTINGS
@given(columns())
def test_pools(rows):
    _, n, right = by_value(*rows)
    pools = pool_adjacent_violators(right, n.astype(float))
    means = pools.sums / pools.weights
    fit = np.repeat(means, np.diff(pools.starts, append=len(n)))
    assert fit == pytest.approx(isotonic_regression(right / n, weights=n).x, abs=NEAR)
    assert (np.diff(means) > 0.0).all()
