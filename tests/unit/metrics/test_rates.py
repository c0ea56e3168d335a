"""Intervals for a pass rate."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure import metrics
from turnsure.core.errors import InputError, UndefinedMetricError

BOTH = [metrics.wilson, metrics.clopper_pearson]


@pytest.mark.parametrize("compute", BOTH)
def test_facts(compute):
    interval = compute(np.int64(3), 10, level=0.8)
    assert (interval.method, interval.level) == (compute.__name__, 0.8)
    assert interval.n_resamples is None


def test_the_exact_interval_is_wider():
    for passes in range(11):
        score, exact = metrics.wilson(passes, 10), metrics.clopper_pearson(passes, 10)
        assert exact.high - exact.low > score.high - score.low


@pytest.mark.parametrize("compute", BOTH)
def test_no_runs(compute):
    with pytest.raises(UndefinedMetricError):
        compute(0, 0)


@pytest.mark.parametrize("compute", BOTH)
@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ((4, 3), "'passes': it is 4 .*at most runs, 3"),
        ((1, 0), "'passes'"),
        ((-1, 3), "'passes'"),
        ((1, -3), "'runs'"),
        ((1.0, 3), "'passes'"),
        (("1", 3), "'passes'"),
        ((True, 3), "'passes'"),
        ((1, 3, 1.0), "'level'"),
        ((1, 3, 0.0), "'level'"),
        ((1, 3, None), "'level'"),
    ],
)
def test_what_cannot_be(compute, given, problem):
    with pytest.raises(InputError, match=problem):
        compute(*given)
