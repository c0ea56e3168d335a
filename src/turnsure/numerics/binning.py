"""Bins of confidence and of information level, and sums over them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from turnsure.numerics.arrays import BoolArray, FloatArray, Int64Array, IntArray, row_blocks

MAX_BINS = 1_000_000
MAX_LEVEL_TURNS = 1 << 26
"""Up to here turn × bins fits 64 bits, and two turns' levels i/L are equal as doubles exactly when
they are equal as fractions: different ones are at least 2**-52 apart."""


def equal_width_edges(n_bins: int) -> FloatArray:
    """The doubles nearest to k/n_bins, k = 0..n_bins, shape (n_bins + 1,)."""
    return np.arange(n_bins + 1) / n_bins


def equal_width_bins(values: FloatArray, n_bins: int) -> IntArray:
    """Bin [k/B, (k+1)/B) of each value in [0, 1]; the last bin is closed at 1.

    The guess ``value * B`` is nudged up by a few rounding errors, so it is never too low and at
    most one too high; comparing with the edge itself then settles it.
    """
    edges = equal_width_edges(n_bins)
    edges[-1] = np.inf
    bins = (values * (n_bins * (1.0 + 2.0**-50))).astype(np.intp)
    bins -= values < edges[bins]
    return bins


def equal_mass_bins(values: FloatArray, n_bins: int) -> IntArray:
    """Bin ``(B * #{values <= it} - 1) // n`` of each value.

    Equal values share a bin, and the order of the rows does not matter.
    """
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return ((n_bins * np.cumsum(counts) - 1) // len(values))[which]


def level_bins(turn: Int64Array, n_turns: Int64Array, n_bins: int) -> IntArray:
    """Bin (k/B, (k+1)/B] of the information level turn/n_turns, in integers."""
    return ((turn * n_bins - 1) // n_turns).astype(np.intp, copy=False)


BinOf = Callable[[slice], IntArray]
"""Gives the bins of a block of rows."""


def confidence_bins(confidence: FloatArray, n_bins: int, *, mass: bool) -> BinOf:
    """Bins of equal mass or of equal width for a column in [0, 1]."""
    if mass:
        return equal_mass_bins(confidence, n_bins).__getitem__
    return lambda rows: equal_width_bins(confidence[rows], n_bins)


def information_bins(turn: Int64Array, n_turns: Int64Array, n_bins: int, *, mass: bool) -> BinOf:
    """Bins of equal mass or of equal width for the information levels turn/n_turns."""
    if mass:
        return equal_mass_bins(turn / n_turns, n_bins).__getitem__
    return lambda rows: level_bins(turn[rows], n_turns[rows], n_bins)


def bin_sums(bin_of: BinOf, confidence: FloatArray, correct: BoolArray, n_bins: int) -> FloatArray:
    """Per bin: rows, sum of confidences, number of right answers; shape (3, n_bins)."""
    sums = np.zeros((3, n_bins))
    for rows in row_blocks(len(confidence)):
        bins = bin_of(rows)
        by_outcome = np.bincount(2 * bins + correct[rows], minlength=2 * n_bins)
        right = by_outcome[1::2]
        sums[0] += by_outcome[::2] + right
        sums[1] += np.bincount(bins, confidence[rows], n_bins)
        sums[2] += right
    return sums
