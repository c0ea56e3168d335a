"""Kolmogorov's and Smirnov's test that two samples are from one distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from turnsure.numerics.arrays import FloatArray, Int64Array
from turnsure.numerics.tails import kolmogorov_tail

_MOST_WORK = 1 << 24
"""Steps × states up to which the exact p-value is computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmirnovTest:
    """What the test found.

    Attributes
    ----------
    statistic
        D, the largest distance between the two empirical distribution functions, in [0, 1].
    at
        The smallest value at which they are so far apart.
    p_value
        P(D is at least as large), when all orders of the pooled values are equally likely.
    exact
        Whether it was computed for these very ties; else it is the limit for large samples, which
        is too large where there are ties.
    """

    statistic: float
    at: float
    p_value: float
    exact: bool


def smirnov_test(values: FloatArray, first: Int64Array, second: Int64Array) -> SmirnovTest:
    """Two-sided two-sample test.

    Exact means: given the pooled values with their ties, all ways to deal them to the two samples
    are equally likely.  Dealing them in rising order, the number that went to the first sample is a
    walk; the distance is looked at where the value changes only, and the probability of the walks
    that reach the distance is added up.

    Parameters
    ----------
    values
        Rising, shape (k,).
    first, second
        How often each value is in either sample, shape (k,); each sample has one value or more.

    References
    ----------
    Smirnov (1939); the walk: Hodges: The significance probability of the Smirnov two-sample test.
    Arkiv för Matematik 3 (1958); with ties: Schröer, Trenkler: Exact and randomization
    distributions of Kolmogorov–Smirnov tests two or three samples. Computational Statistics & Data
    Analysis 20 (1995).
    """
    m, n = int(first.sum()), int(second.sum())
    # Whole numbers: no rounding decides whether two distances are the same.
    distance = np.abs(np.cumsum(first) * n - np.cumsum(second) * m)
    largest = int(distance.max())
    place = int(np.argmax(distance))
    statistic = largest / (m * n)
    exact = (m + n) * min(m, n) <= _MOST_WORK
    if exact:
        smaller = (first, second) if m <= n else (second, first)
        p_value = _reaching(*smaller, largest)
    else:
        p_value = kolmogorov_tail(math.sqrt(m * n / (m + n)) * statistic)
    return SmirnovTest(
        statistic=statistic, at=float(values[place]), p_value=min(1.0, p_value), exact=exact
    )


def _reaching(first: Int64Array, second: Int64Array, largest: int) -> float:
    """Probability of the walks that are at least ``largest`` / (m n) away somewhere."""
    if largest == 0:
        return 1.0
    m, n = int(first.sum()), int(second.sum())
    dealt_to_first = np.arange(m + 1)
    mass = np.zeros(m + 1)
    mass[0] = 1.0
    ends = set(np.cumsum(first + second).tolist())
    reached: list[float] = []
    for dealt in range(m + n):
        left = m + n - dealt
        to_first = np.maximum(m - dealt_to_first, 0) / left
        moved = mass * to_first
        mass -= moved
        mass[1:] += moved[:-1]
        if dealt + 1 in ends:
            away = np.abs(dealt_to_first * n - (dealt + 1 - dealt_to_first) * m) >= largest
            reached.append(float(mass[away].sum()))
            mass[away] = 0.0
    return math.fsum(reached)
