"""Tails and one-sided bounds of the binomial distribution, and how many trials a test needs."""

from __future__ import annotations

import numpy as np

from turnsure.numerics.arrays import Int64Array
from turnsure.numerics.beta import beta_quantile, beta_tails

_ROUNDING = 1e-12
"""Two tails that differ by less, relatively, are the same number computed twice."""

_DOUBTFUL = 1e-10
"""A tail from the recurrence that is as close to the limit as this is computed anew."""

_STEPS_BETWEEN = 1024
"""After so many steps of the recurrence its rounding error is cleared."""


def binomial_tail(k: int, n: int, p: float) -> float:
    """P(X ≤ k) for X ~ Binomial(n, p), 0 ≤ k ≤ n, 0 < p < 1.

    It is the probability above p under Beta(k + 1, n − k).
    """
    return 1.0 if k >= n else beta_tails(k + 1, n - k, p)[1]


def upper_bound(k: int, n: int, delta: float) -> float:
    """The one-sided upper bound of Clopper and Pearson for a rate, at confidence 1 − delta.

    It is the largest p with P(Binomial(n, p) ≤ k) ≥ delta: 1 − delta^(1/n) for k = 0, and 1 for
    k = n, n = 0 included.

    References
    ----------
    Clopper, Pearson: The use of confidence or fiducial limits illustrated in the case of the
    binomial. Biometrika 26 (1934).
    """
    return 1.0 if k >= n else beta_quantile(k + 1, n - k, delta, upper=True)


def least_trials(p: float, delta: float, most: int) -> Int64Array:
    """For k = 0, 1, …: the smallest n with P(Binomial(n, p) ≤ k) ≤ delta, while it is ≤ ``most``.

    k failures in n trials reject "the rate of failures is p or more" at level delta exactly when n
    is at least the k-th entry.  The entries rise, so that one walk along them finds all: adding a
    trial takes p P(X = k) from the tail, adding a failure puts P(X = k + 1) to it.

    Parameters
    ----------
    p, delta
        In (0, 1).
    most
        The largest number of trials of interest.

    Returns
    -------
    Int64Array
        Shape (m,), rising; empty when not even 0 failures in ``most`` trials would do.
    """
    limit = delta * (1.0 + _ROUNDING)
    odds = p / (1.0 - p)
    found: list[int] = []
    n, k = 1, 0
    while n <= most:
        tail, mass = _exact(k, n, p)
        for _ in range(_STEPS_BETWEEN):
            if abs(tail - delta) <= _DOUBTFUL:
                tail, mass = _exact(k, n, p)
            if tail <= limit:
                found.append(n)
                mass *= (n - k) / (k + 1) * odds
                k += 1
                tail += mass
            else:
                tail -= p * mass
                n += 1
                mass *= (1.0 - p) * n / (n - k)
            if n > most:
                break
    return np.array(found, dtype=np.int64)


def _exact(k: int, n: int, p: float) -> tuple[float, float]:
    """P(X ≤ k) and P(X = k)."""
    tail = binomial_tail(k, n, p)
    return tail, tail - (binomial_tail(k - 1, n, p) if k else 0.0)
