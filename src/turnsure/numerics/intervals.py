"""Intervals for a rate: passes among independent runs."""

from __future__ import annotations

import math
from statistics import NormalDist

from turnsure.numerics.beta import beta_quantile


def wilson_bounds(passes: int, runs: int, level: float) -> tuple[float, float]:
    """Wilson's score interval for ``0 <= passes <= runs``, ``runs >= 1``, ``0 < level < 1``.

    References
    ----------
    Wilson: Probable inference, the law of succession, and statistical inference. JASA 22 (1927).
    """
    z = -NormalDist().inv_cdf((1.0 - level) / 2.0)
    total = runs + z * z
    half_width = z * math.sqrt(passes * (runs - passes) / runs + z * z / 4.0)
    high = 1.0 if passes == runs else (passes + z * z / 2.0 + half_width) / total
    # The product of the bounds is known, and a quotient keeps the digits of a bound near 0 that
    # a difference would lose.
    low = 0.0 if passes == 0 else passes / runs * (passes / total) / high
    return low, high


def clopper_pearson_bounds(passes: int, runs: int, level: float) -> tuple[float, float]:
    """The exact binomial interval, for the same arguments.

    References
    ----------
    Clopper, Pearson: The use of confidence or fiducial limits illustrated in the case of the
    binomial. Biometrika 26 (1934).
    """
    tail = (1.0 - level) / 2.0
    low = 0.0 if passes == 0 else beta_quantile(passes, runs - passes + 1, tail)
    high = 1.0 if passes == runs else beta_quantile(passes + 1, runs - passes, tail, upper=True)
    return low, high
