"""Published intervals for a rate."""

from __future__ import annotations

import pytest

from turnsure import metrics

# Newcombe: Two-sided confidence intervals for the single proportion. Statistics in Medicine 17
# (1998), table I: methods 3 (score) and 5 (exact) at 95 %, to four digits.
NEWCOMBE = {
    (81, 263): ((0.2553, 0.3662), (0.2527, 0.3676)),
    (15, 148): ((0.0624, 0.1605), (0.0578, 0.1617)),
    (0, 20): ((0.0, 0.1611), (0.0, 0.1684)),
    (1, 29): ((0.0061, 0.1718), (0.0009, 0.1776)),
}


@pytest.mark.parametrize(("passes", "runs"), NEWCOMBE)
def test_newcombe(passes, runs):
    score, exact = NEWCOMBE[passes, runs]
    for interval, expected in (
        (metrics.wilson(passes, runs), score),
        (metrics.clopper_pearson(passes, runs), exact),
    ):
        assert (round(interval.low, 4), round(interval.high, 4)) == expected


@pytest.mark.parametrize("runs", [1, 10, 1000])
def test_no_pass_has_a_closed_form(runs):
    """Clopper–Pearson: (1 − p)^runs = 2.5 %; Wilson: z²/(runs + z²)."""
    exact = metrics.clopper_pearson(0, runs)
    assert exact.low == 0.0
    assert exact.high == pytest.approx(1 - 0.025 ** (1 / runs), rel=1e-13)
    z = 1.959963984540054
    score = metrics.wilson(0, runs)
    assert score.low == 0.0
    assert score.high == pytest.approx(z * z / (runs + z * z), rel=1e-14)
