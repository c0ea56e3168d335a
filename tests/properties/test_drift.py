"""What holds for any data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnsure.calibration.drift.changes import Measured, change
from turnsure.calibration.drift.monitor import monitor_gap, stream_units
from turnsure.calibration.drift.shift import Tallied, shift
from turnsure.numerics.trials import successes_p_value

SCORES = st.lists(st.sampled_from([k / 20 for k in range(21)]), min_size=1, max_size=40)
BOUNDED = st.tuples(*[st.floats(0, 1)] * 3).map(sorted)


@given(SCORES, SCORES)
@settings(max_examples=60, deadline=None)
def test_shifts_are_in_range_and_nothing_is_lost(old, new):
    found = shift(Tallied.of(np.array(old)), np.array(new))
    assert 0.0 < found.test.p_value <= 1.0
    assert 0.0 <= found.test.statistic <= 1.0
    assert found.psi >= 0.0
    assert (found.n_before, found.n_now) == (len(old), len(new))


@given(SCORES, st.integers(1, 12))
def test_cells_keep_every_score(scores, most):
    kept = Tallied.of(np.array(scores), most=most)
    assert kept.total == len(scores)
    assert len(kept.value) <= max(most, 1) or kept.exact
    assert kept.value[-1] == max(scores)
    assert (np.diff(kept.value) > 0).all()


@given(BOUNDED, BOUNDED)
def test_a_change_turned_around_is_its_mirror_image(one, other):
    left, right = (Measured(value=b, low=a, high=c, n=9) for a, b, c in (one, other))
    there, back = change("x", left, right), change("x", right, left)
    assert there.low == pytest.approx(-back.high)
    assert there.high == pytest.approx(-back.low)
    assert there.low <= there.difference <= there.high


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-1, 1)), min_size=1, max_size=30))
def test_the_unit_means_are_those_of_the_dialogues(rows):
    group, value = (np.array(column) for column in zip(*rows, strict=True))
    means, last = stream_units(group, value)
    assert (np.diff(last) > 0).all()
    for mean, row in zip(means, last, strict=True):
        assert mean == pytest.approx(value[group == group[row]].mean(), abs=1e-12)
        assert not (group[row + 1 :] == group[row]).any()


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50))
def test_the_capital_is_positive_and_at_least_its_end(deviation):
    found = monitor_gap(np.array(deviation), alpha=0.05)
    assert 0.0 < found.e_value <= found.largest * (1 + 1e-12)
    assert (found.alarm is None) == (found.largest < found.limit)


@given(st.lists(st.floats(0, 1), max_size=12), st.data())
def test_the_number_of_successes_has_a_p_value(chance, data):
    k = data.draw(st.integers(0, len(chance)))
    p_value, exact = successes_p_value(np.array(chance), k)
    assert exact
    assert 0.0 <= p_value <= 1.0
