"""Bins of confidence and of information level, and sums over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turnsure.numerics.arrays import BoolArray, FloatArray, IntArray, row_blocks

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
    bins = (values * (n_bins * (1.0 + 2.0**-50))).astype(np.intp)
    np.minimum(bins, n_bins - 1, out=bins)
    bins -= values < edges[bins]
    return bins


def equal_mass_bins(values: FloatArray, n_bins: int) -> IntArray:
    """Bin ``(B * #{values <= it} - 1) // n`` of each value.

    Equal values share a bin, and the order of the rows does not matter.
    """
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return ((n_bins * np.cumsum(counts) - 1) // len(values))[which]


def level_bins(
    turn: npt.NDArray[np.int64], n_turns: npt.NDArray[np.int64], n_bins: int
) -> IntArray:
    """Bin (k/B, (k+1)/B] of the information level turn/n_turns, in integers."""
    return ((turn * n_bins - 1) // n_turns).astype(np.intp, copy=False)


@dataclass(frozen=True, slots=True)
class BinSums:
    """Per bin: rows, sum of confidences and number of right answers, each of shape (n_bins,)."""

    n: IntArray
    confidence: FloatArray
    correct: IntArray


def bin_sums(
    bin_of: Callable[[slice], IntArray], confidence: FloatArray, correct: BoolArray, n_bins: int
) -> BinSums:
    """Sum over the bins; ``bin_of`` gives the bins of a block of rows."""
    confidence_sum = np.zeros(n_bins)
    by_outcome = np.zeros(2 * n_bins, dtype=np.intp)
    for rows in row_blocks(len(confidence)):
        bins = bin_of(rows)
        confidence_sum += np.bincount(bins, confidence[rows], n_bins)
        by_outcome += np.bincount(2 * bins + correct[rows], minlength=2 * n_bins)
    wrong, right = by_outcome.reshape(n_bins, 2).T
    return BinSums(n=wrong + right, confidence=confidence_sum, correct=right)
