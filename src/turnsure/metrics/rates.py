"""Intervals for a pass rate."""

from __future__ import annotations

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.core.results import Interval
from turnsure.numerics.inputs import coverage, whole_number
from turnsure.numerics.intervals import clopper_pearson_bounds, wilson_bounds


def wilson(passes: int, runs: int, level: float = 0.95) -> Interval:
    """Wilson's score interval for a rate.

    Parameters
    ----------
    passes, runs
        Whole numbers, 0 <= passes <= runs.
    level
        Nominal coverage, in (0, 1).

    Raises
    ------
    InputError
        For numbers out of range.
    UndefinedMetricError
        With no run.

    References
    ----------
    Wilson: Probable inference, the law of succession, and statistical inference. JASA 22 (1927).
    """
    passes, runs, level = _checked(passes, runs, level)
    low, high = wilson_bounds(passes, runs, level)
    return Interval(low=low, high=high, level=level, method="wilson")


def clopper_pearson(passes: int, runs: int, level: float = 0.95) -> Interval:
    """The exact binomial interval, which covers at least with the nominal probability.

    Parameters and errors are those of :func:`wilson`.

    References
    ----------
    Clopper, Pearson: The use of confidence or fiducial limits illustrated in the case of the
    binomial. Biometrika 26 (1934).
    """
    passes, runs, level = _checked(passes, runs, level)
    low, high = clopper_pearson_bounds(passes, runs, level)
    return Interval(low=low, high=high, level=level, method="clopper_pearson")


def _checked(passes: object, runs: object, level: object) -> tuple[int, int, float]:
    n_runs = whole_number(runs, "runs", minimum=0)
    n_passes = whole_number(passes, "passes", minimum=0)
    if n_passes > n_runs:
        raise InputError(f"it is {n_passes}", field="passes", expected=f"at most runs, {n_runs}")
    nominal = coverage(level)
    if not n_runs:
        raise UndefinedMetricError("there is no run, so there is no rate")
    return n_passes, n_runs, nominal
