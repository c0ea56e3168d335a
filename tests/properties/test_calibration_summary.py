"""One walk for three metrics says what the three say, or fails as the first of them does."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnsure import metrics
from turnsure.core.errors import InputError, UndefinedMetricError

NEAR = 1e-12
SETTINGS = settings(deadline=None, max_examples=60)

n_rows = st.sampled_from([0, 1, 2, 5, 40, 3_000, 70_000])
n_bins = st.sampled_from([1, 2, 3, 7, 10, 20, 49, 1_000])
odd_values = {
    "confidence": [math.nan, 0.0, 1.0, np.nextafter(0.9, 0), 1.5, -1e-300, math.inf],
    "correct": [math.nan, 0.0, 1.0, 0.5, 2.0],
    "turn": [0, 1, -3, 20, 63, 64, 1 << 40, 1 << 60],
    "n_turns": [0, 1, -3, 20, 63, 64, 1 << 40, 1 << 62],
}


@st.composite
def tables(draw):
    """Four columns, most of them in range, of every length that is walked differently."""
    random = np.random.default_rng(draw(st.integers(0, 1_000)))
    n, longest = draw(n_rows), draw(st.sampled_from([1, 2, 9, 20, 63, 64, 500]))
    n_turns = random.integers(1, longest + 1, n)
    table = {
        "confidence": random.integers(0, 101, n) / 100 if draw(st.booleans()) else random.random(n),
        "correct": (random.random(n) < 0.6).astype(draw(st.sampled_from([bool, int, float]))),
        "turn": random.integers(1, n_turns + 1),
        "n_turns": n_turns,
    }
    if draw(st.booleans()):
        table["confidence"][random.random(n) < 0.3] = math.nan
    for name in draw(st.lists(st.sampled_from(sorted(odd_values)), max_size=2)):
        for value in draw(st.lists(st.sampled_from(odd_values[name]), max_size=3)) if n else []:
            column = table[name]
            if isinstance(value, float):
                table[name] = column = column.astype(float)
            column[draw(st.integers(0, n - 1))] = value
    if draw(st.integers(0, 9)) == 0:
        name = draw(st.sampled_from(sorted(table)))
        table[name] = np.concatenate([table[name], table[name][:1]])
    return table


def value_or_error(compute):
    """What was computed, or kind and words of the error."""
    try:
        return compute(), None
    except (InputError, UndefinedMetricError) as error:
        return None, (type(error), str(error))


def three(table, bins):
    both = table["confidence"], table["correct"]
    return {
        "info_ece": metrics.info_ece(**table, bins=bins),
        "ece": metrics.ece(*both, bins=bins),
        "brier": metrics.brier(*both),
    }


@SETTINGS
@given(tables(), n_bins)
def test_the_summary_is_the_three_metrics(table, bins):
    expected, refusal = value_or_error(lambda: three(table, bins))
    summary, refused = value_or_error(lambda: metrics.calibration_summary(**table, bins=bins))
    assert refused == refusal
    for name, one in expected.items() if expected is not None else []:
        found = getattr(summary, name)
        assert found.value == pytest.approx(one.value, abs=NEAR)
        assert dataclasses.replace(found, value=one.value) == one


@pytest.mark.parametrize("bins", [0, 2.0, True, None, 1_000_001])
def test_the_bins_are_checked_first(bins):
    table = {"confidence": [2.0], "correct": [1], "turn": [1], "n_turns": [1]}
    with pytest.raises(InputError, match="field 'bins'"):
        metrics.calibration_summary(**table, bins=bins)


def test_lists_and_masked_columns_are_read_like_arrays():
    table = {
        "confidence": np.ma.MaskedArray([0.2, 0.9, 0.4], mask=[False, True, False]),
        "correct": [1, None, 0],
        "turn": [1, 2, 3],
        "n_turns": [3, 3, 3],
    }
    summary = metrics.calibration_summary(**table)
    assert (summary.brier.n_turns, summary.brier.n_failed) == (2, 1)
    assert summary.brier.value == pytest.approx((0.64 + 0.16) / 2)
    assert summary.ece.value == pytest.approx((0.8 + 0.4) / 2)
    assert summary.info_ece.value == pytest.approx((0.8 + 0.4) / 2)
