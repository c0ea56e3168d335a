"""The fast metrics agree with the plain definitions, and obey their laws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support import plain_metrics as plain
from turnsure import metrics
from turnsure.core.errors import UndefinedMetricError

NEAR = 1e-12
unhurried = settings(deadline=None)

coarse = st.integers(0, 20).map(lambda k: k / 20)
on_an_edge = st.tuples(st.integers(0, 100), st.sampled_from([0, -1, 1])).map(
    lambda place: min(max(np.nextafter(place[0] / 100, place[0] / 100 + place[1]), 0.0), 1.0)
)
confidences = st.one_of(
    coarse, on_an_edge, st.floats(0.0, 1.0, allow_subnormal=False), st.sampled_from([0.0, 1.0])
).map(float)
outcomes = st.integers(0, 1)
scored = st.lists(st.tuples(confidences, outcomes), min_size=1, max_size=40)
n_bins = st.sampled_from([1, 2, 3, 5, 7, 10, 15, 20, 49, 100])
binnings = st.sampled_from(["width", "mass"])


@st.composite
def turns(draw):
    """Columns of confidence, outcome, turn and dialogue length."""
    lengths = draw(st.lists(st.integers(1, 12), min_size=1, max_size=25))
    rows = [
        (draw(confidences), draw(outcomes), draw(st.integers(1, length)), length)
        for length in lengths
    ]
    return tuple(map(list, zip(*rows, strict=True)))


def columns(rows):
    return [c for c, _ in rows], [y for _, y in rows]


def bins_of(confidence, bins, binning):
    if binning == "mass":
        return plain.mass_bins(confidence, bins)
    return [plain.width_bin(c, bins) for c in confidence]


@unhurried
@given(turns(), n_bins)
def test_info_ece_over_equal_widths(rows, bins):
    confidence, correct, turn, n_turns = rows
    places = [plain.level_bin(i, length, bins) for i, length in zip(turn, n_turns, strict=True)]
    result = metrics.info_ece(confidence, correct, turn, n_turns, bins)
    exact = plain.info_ece(plain.rows_of(confidence, correct), places)
    assert result.value == pytest.approx(float(exact), abs=NEAR)
    assert result.details["n_empty_bins"] == bins - len(set(places))


@unhurried
@given(turns(), n_bins)
def test_info_ece_over_equal_masses(rows, bins):
    confidence, correct, turn, n_turns = rows
    levels = [Fraction(i, length) for i, length in zip(turn, n_turns, strict=True)]
    places = plain.mass_bins(levels, bins)
    result = metrics.info_ece(confidence, correct, turn, n_turns, bins, "mass")
    exact = plain.info_ece(plain.rows_of(confidence, correct), places)
    assert result.value == pytest.approx(float(exact), abs=NEAR)
    assert result.details["n_empty_bins"] == bins - len(set(places))


@unhurried
@given(turns(), n_bins, binnings)
def test_means_by_level(rows, bins, binning):
    confidence, _, turn, n_turns = rows
    levels = [Fraction(i, length) for i, length in zip(turn, n_turns, strict=True)]
    places = (
        plain.mass_bins(levels, bins)
        if binning == "mass"
        else [plain.level_bin(i, length, bins) for i, length in zip(turn, n_turns, strict=True)]
    )
    points = metrics.by_level(confidence, turn, n_turns, bins, binning).points
    expected = []
    for place in sorted(set(places)):
        here = [row for row, other in enumerate(places) if other == place]
        upper = max(levels[row] for row in here) if binning == "mass" else Fraction(place + 1, bins)
        average = plain.mean([Fraction(confidence[row]) for row in here])
        expected.append((float(upper), pytest.approx(float(average), abs=NEAR), len(here)))
    assert [(point.x, point.y, point.n) for point in points] == expected


@unhurried
@given(scored, n_bins, binnings)
def test_calibration_errors(rows, bins, binning):
    confidence, correct = columns(rows)
    places = bins_of(confidence, bins, binning)
    exact_rows = plain.rows_of(confidence, correct)

    def value(norm, debias=False):
        return metrics.ece(confidence, correct, bins, binning, norm, debias).value

    assert value("l1") == pytest.approx(float(plain.ece_l1(exact_rows, places)), abs=NEAR)
    assert value("max") == pytest.approx(float(plain.ece_max(exact_rows, places)), abs=NEAR)
    for debias in (False, True):
        square = plain.squared_ece_l2(exact_rows, places, debias=debias)
        assert value("l2", debias) ** 2 == pytest.approx(float(square), abs=NEAR)


@unhurried
@given(scored, n_bins, binnings)
def test_reliability_tables(rows, bins, binning):
    confidence, correct = columns(rows)
    places = bins_of(confidence, bins, binning)
    table = metrics.reliability_table(confidence, correct, bins, binning)
    assert len(table.bins) == bins
    for place, row in enumerate(table.bins):
        here = [pair for pair, other in zip(rows, places, strict=True) if other == place]
        assert row.n == len(here)
        assert row.lower <= row.upper
        if not here:
            assert row.mean_confidence is row.accuracy is row.gap is row.accuracy_interval is None
            continue
        exact = plain.rows_of(*columns(here))
        assert row.gap == pytest.approx(float(plain.gap(exact)), abs=NEAR)
        assert row.accuracy == sum(y for _, y in here) / len(here)
        assert row.accuracy_interval.low <= row.accuracy <= row.accuracy_interval.high
        assert all(row.lower <= c <= row.upper for c, _ in here)


@unhurried
@given(scored)
def test_brier_scores(rows):
    exact = float(plain.brier(plain.rows_of(*columns(rows))))
    assert metrics.brier(*columns(rows)).value == pytest.approx(exact, abs=NEAR)


@unhurried
@given(scored, st.sampled_from(["value", "bins", "isotonic"]), n_bins)
def test_the_parts_of_the_brier_score_add_up(rows, by, bins):
    parts = metrics.brier_decomposition(*columns(rows), by, bins)
    whole = parts.reliability - parts.resolution + parts.uncertainty + parts.within_group
    assert parts.brier == pytest.approx(whole, abs=NEAR)
    assert parts.reliability >= 0
    assert parts.resolution >= 0


@unhurried
@given(scored, n_bins)
def test_murphys_parts(rows, bins):
    confidence, correct = columns(rows)
    exact_rows = plain.rows_of(confidence, correct)
    for by, groups in (("value", confidence), ("bins", bins_of(confidence, bins, "width"))):
        parts = metrics.brier_decomposition(confidence, correct, by, bins)
        expected = [float(part) for part in plain.between_groups(exact_rows, groups)]
        assert [parts.reliability, parts.resolution] == pytest.approx(expected, abs=NEAR)


@unhurried
@given(st.lists(st.tuples(confidences, outcomes), min_size=1, max_size=12))
def test_isotonic_parts(rows):
    exact_rows = plain.rows_of(*columns(rows))
    fitted = [(p, y) for p, (_, y) in zip(plain.isotonic_fit(exact_rows), exact_rows, strict=True)]
    base = plain.mean([Fraction(y) for _, y in exact_rows])
    best = plain.brier(fitted)
    parts = metrics.brier_decomposition(*columns(rows), "isotonic")
    assert parts.reliability == pytest.approx(float(plain.brier(exact_rows) - best), abs=NEAR)
    assert parts.resolution == pytest.approx(float(base * (1 - base) - best), abs=NEAR)


@unhurried
@given(scored)
def test_auroc(rows):
    assume(0 < sum(y for _, y in rows) < len(rows))
    exact = plain.auroc(plain.rows_of(*columns(rows)))
    assert metrics.auroc(*columns(rows)).value == float(exact)


@unhurried
@given(scored)
def test_average_precision(rows):
    assume(any(y for _, y in rows))
    exact = float(plain.average_precision(plain.rows_of(*columns(rows))))
    assert metrics.average_precision(*columns(rows)).value == pytest.approx(exact, abs=NEAR)


@unhurried
@given(scored)
def test_aurc(rows):
    exact = float(plain.aurc(plain.rows_of(*columns(rows))))
    assert metrics.aurc(*columns(rows)).value == pytest.approx(exact, abs=NEAR)


@unhurried
@given(scored)
def test_risk_and_coverage(rows):
    points = metrics.risk_coverage(*columns(rows)).points
    thresholds = sorted({c for c, _ in rows}, reverse=True)
    assert [point.threshold for point in points] == thresholds
    for point in points:
        accepted = [y for c, y in rows if c >= point.threshold]
        assert point.n == len(accepted)
        assert point.x == len(accepted) / len(rows)
        assert point.y == accepted.count(0) / len(accepted)


@unhurried
@given(scored, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(rows, random):
    shuffled = random.sample(rows, len(rows))
    for compute in (
        metrics.aurc,
        metrics.smooth_ece,
        lambda *given: metrics.ece(*given, 7, "mass"),
        lambda *given: metrics.brier_decomposition(*given, "isotonic").reliability,
    ):
        value, other = float(compute(*columns(rows))), float(compute(*columns(shuffled)))
        assert value == pytest.approx(other, abs=1e-9)


@unhurried
@given(scored)
def test_smooth_ece_lies_between_its_bounds(rows):
    confidence, correct = columns(rows)
    value = metrics.smooth_ece(confidence, correct).value
    exact_rows = plain.rows_of(confidence, correct)
    assert value >= float(abs(plain.gap(exact_rows))) - NEAR
    assert value <= float(plain.ece_l1(exact_rows, confidence)) + NEAR


@unhurried
@given(st.lists(st.lists(confidences, min_size=1, max_size=9), min_size=1, max_size=8), st.data())
def test_kendall_tau(dialogues, data):
    rows = [
        (name, turn, c) for name, run in enumerate(dialogues) for turn, c in enumerate(run, start=1)
    ]
    shuffled = data.draw(st.permutations(rows))
    name, turn, confidence = map(list, zip(*shuffled, strict=True))
    expected = {
        place: plain.kendall(run) if len(run) > 1 else None for place, run in enumerate(dialogues)
    }
    by_dialogue = metrics.kendall_tau_by_dialogue(confidence, name, turn)
    assert by_dialogue == {
        place: None if tau is None else float(tau) for place, tau in expected.items()
    }
    taus = [tau for tau in expected.values() if tau is not None]
    if not taus:
        with pytest.raises(UndefinedMetricError):
            metrics.kendall_tau(confidence, name, turn)
        return
    result = metrics.kendall_tau(confidence, name, turn, resamples=10)
    assert result.value == pytest.approx(float(plain.mean(taus)), abs=NEAR)
    assert result.details["n_left_out"] == len(dialogues) - len(taus)


@unhurried
@given(st.integers(1, 9), st.data())
def test_choices_of_runs(runs, data):
    passes, k = data.draw(st.integers(0, runs)), data.draw(st.integers(1, runs))
    assert metrics.pass_at_k(passes, runs, k).value == float(plain.at_least_one(passes, runs, k))
    assert metrics.pass_hat_k(passes, runs, k).value == float(plain.all_of_them(passes, runs, k))
