"""The least-squares rising fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsure.numerics.arrays import FloatArray, IntArray

_FEW = 64
_MOST_RISE = 32
"""Rounds end when fewer neighbours than one in so many, and a few, are yet to be pooled."""


@dataclass(frozen=True, slots=True)
class Pools:
    """Neighbouring groups pooled so that the means rise strictly.

    Attributes
    ----------
    starts
        The first group of each pool.
    sums, weights
        Totals of each pool; the fitted value is ``sums / weights``.
    """

    starts: IntArray
    sums: FloatArray
    weights: FloatArray


def pool_adjacent_violators(sums: FloatArray, weights: FloatArray) -> Pools:
    """Pool groups, given in rising order of the predictor, until their means rise.

    Parameters
    ----------
    sums
        Weighted sum of the response in each group.  Rows with one predictor value must already be
        one group.
    weights
        Positive weight of each group.

    Notes
    -----
    Means are compared by cross-multiplication, so with whole numbers below 2**26 no rounding
    decides whether two groups are pooled.

    References
    ----------
    Ayer, Brunk, Ewing, Reid, Silverman: An empirical distribution function for sampling with
    incomplete information. Annals of Mathematical Statistics 26 (1955).
    """
    starts = np.arange(len(sums), dtype=np.intp)
    while True:
        # Neighbours that do not rise share a pool in the end, so whole stretches of them are pooled
        # at once; what is left after a few rounds is few.
        rises = sums[:-1] * weights[1:] < sums[1:] * weights[:-1]
        if len(rises) - np.count_nonzero(rises) <= _FEW + len(rises) // _MOST_RISE:
            return _pooled_one_by_one(starts, sums, weights)
        firsts = np.concatenate(([0], np.flatnonzero(rises) + 1))
        starts = starts[firsts]
        sums, weights = np.add.reduceat(sums, firsts), np.add.reduceat(weights, firsts)


def _pooled_one_by_one(starts: IntArray, sums: FloatArray, weights: FloatArray) -> Pools:
    pool_starts: list[int] = []
    pool_sums: list[float] = []
    pool_weights: list[float] = []
    for group in range(len(sums)):
        start, total, weight = int(starts[group]), float(sums[group]), float(weights[group])
        while pool_sums and pool_sums[-1] * weight >= total * pool_weights[-1]:
            start = pool_starts.pop()
            total += pool_sums.pop()
            weight += pool_weights.pop()
        pool_starts.append(start)
        pool_sums.append(total)
        pool_weights.append(weight)
    return Pools(np.array(pool_starts, dtype=np.intp), np.array(pool_sums), np.array(pool_weights))
