"""How many of independent trials succeed, each with a chance of its own (Poisson binomial)."""

from __future__ import annotations

import math

import numpy as np

from turnsure.numerics.arrays import FloatArray
from turnsure.numerics.tails import normal_two_sided

MOST_EXACT = 2000
"""With more trials that are not certain the normal distribution stands in."""


def successes_p_value(chance: FloatArray, n_right: int) -> tuple[float, bool]:
    """Two-sided p-value for a number of successes, and whether it is exact.

    Twice the smaller of P(S ≤ k) and P(S ≥ k), at most 1.  The distribution of S is computed trial
    by trial up to :data:`MOST_EXACT` trials that are not certain; beyond that
    (k − Σp)/√(Σp(1 − p)) is taken as standard normal.

    Parameters
    ----------
    chance
        Of each trial, in [0, 1], shape (n,).
    n_right
        k, 0..n.
    """
    open_ones = chance[(chance > 0.0) & (chance < 1.0)]
    k = n_right - int(np.count_nonzero(chance >= 1.0))
    if not 0 <= k <= len(open_ones):
        return 0.0, True  # what was certain did not happen
    if len(open_ones) <= MOST_EXACT:
        mass = _masses(open_ones)
        tails = math.fsum(mass[: k + 1].tolist()), math.fsum(mass[k:].tolist())
        return min(1.0, 2.0 * min(tails)), True
    spread = math.sqrt(math.fsum((open_ones * (1.0 - open_ones)).tolist()))
    return normal_two_sided((k - math.fsum(open_ones.tolist())) / spread), False


def _masses(chance: FloatArray) -> FloatArray:
    """P(S = k) for k = 0..n.  Sums of products of positive numbers: no digits are lost."""
    mass = np.zeros(len(chance) + 1)
    mass[0] = 1.0
    for n, p in enumerate(chance.tolist(), start=1):
        mass[1 : n + 1] = mass[1 : n + 1] * (1.0 - p) + mass[:n] * p
        mass[0] *= 1.0 - p
    return mass
