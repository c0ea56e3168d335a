"""On which side of 0 an interval lies, and when that may be said."""

from __future__ import annotations

import pytest

from turnsure.core.results import Interval, MetricResult, Undefined
from turnsure.core.tested import LEAST_DIALOGUES, clear_sign


def result(low, high, n_dialogues=LEAST_DIALOGUES):
    bounds = Interval(low=low, high=high, method="cluster_bootstrap")
    return MetricResult(
        name="x", value=0.0, interval=bounds, n_turns=9, n_dialogues=n_dialogues, direction="none"
    )


@pytest.mark.parametrize(
    ("low", "high", "sign"),
    [
        (0.01, 0.02, 1),
        (-0.02, -0.01, -1),
        (-0.01, 0.01, 0),
        (0.0, 0.02, 0),
        (5.6e-17, 5.6e-17, 0),  # what rounding makes of equal numbers
        (-5.6e-17, -5.6e-17, 0),
    ],
)
def test_the_side_is_that_of_the_whole_interval(low, high, sign):
    assert clear_sign(result(low, high)) == sign


def test_nothing_is_said_of_too_few_dialogues_or_without_a_value():
    assert clear_sign(result(0.01, 0.02, LEAST_DIALOGUES - 1)) == 0
    assert clear_sign(Undefined(name="x", reason="none")) == 0
    assert clear_sign(None) == 0
