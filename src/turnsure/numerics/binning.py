"""Bins of confidence and of information level, and sums over them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from turnsure.numerics.arrays import (
    BoolArray,
    FloatArray,
    Int32Array,
    Int64Array,
    IntArray,
    row_blocks,
)
from turnsure.numerics.pairs import PairBlock

MAX_BINS = 1_000_000
MAX_LEVEL_TURNS = 1 << 26
"""Up to here turn × bins fits 64 bits, and two turns' levels i/L are equal as doubles exactly when
they are equal as fractions: different ones are at least 2**-52 apart."""

_MOST_EXCEPTIONS = 4


def equal_width_edges(n_bins: int) -> FloatArray:
    """The doubles nearest to k/n_bins, k = 0..n_bins, shape (n_bins + 1,)."""
    return np.arange(n_bins + 1) / n_bins


def equal_width_bins(values: FloatArray, n_bins: int) -> IntArray:
    """Bin [k/B, (k+1)/B) of each value in [0, 1]; the last bin is closed at 1."""
    bins = open_width_bins(values, n_bins)
    np.minimum(bins, n_bins - 1, out=bins)
    return bins.astype(np.intp)


def open_width_bins(values: FloatArray, n_bins: int) -> Int32Array:
    """The same with 1 in a bin of its own, and in 32 bits, which suits vector instructions."""
    exceptions = _exceptions(n_bins)
    if exceptions is None:
        # The guess is nudged up by a few rounding errors, so it is never too low and at most one
        # too high; comparing with the edge itself then settles it.
        edges = equal_width_edges(n_bins)
        bins = (values * (n_bins * (1.0 + 2.0**-50))).astype(np.int32)
        bins -= values < edges[bins]
        return bins
    bins = (values * float(n_bins)).astype(np.int32)
    for exception, place in exceptions:
        hits = values == exception
        if hits.any():
            bins[hits] = place
    return bins


@lru_cache(maxsize=64)
def _exceptions(n_bins: int) -> tuple[tuple[float, int], ...] | None:
    """The doubles whose bin is not the whole part of ``value * n_bins``, with their bins.

    None where they are too many to be looked for one by one, or not found.  The rounded product
    never falls as the value rises.  So where it is right two doubles below an edge and one above,
    it can only be wrong for the edge itself and the double below.
    """
    edges = equal_width_edges(n_bins)[1:-1]
    places = np.arange(1, n_bins)
    below = np.nextafter(edges, 0.0)
    nearby = (
        (np.nextafter(below, 0.0), -1),
        (below, -1),
        (edges, 0),
        (np.nextafter(edges, 1.0), 0),
    )
    is_wrong = [np.floor(values * n_bins) != places + step for values, step in nearby]
    n_wrong = sum(int(np.count_nonzero(wrong)) for wrong in is_wrong)
    if n_wrong > _MOST_EXCEPTIONS or is_wrong[0].any() or is_wrong[3].any():
        return None
    return tuple(
        (float(values[row]), int(places[row] + step))
        for (values, step), wrong in zip(nearby, is_wrong, strict=True)
        for row in np.flatnonzero(wrong)
    )


def equal_mass_bins(values: FloatArray, n_bins: int) -> IntArray:
    """Bin ``(B * #{values <= it} - 1) // n`` of each value.

    Equal values share a bin, and the order of the rows does not matter.
    """
    n = len(values)
    if not n:
        return np.zeros(0, dtype=np.intp)
    # A value is in a bin above b exactly when more than (b + 1) n / B values are at most as large,
    # that is, from the value on that so many places after the smallest one.
    first_above = np.sort(values)[np.arange(1, n_bins) * n // n_bins]
    return np.searchsorted(first_above, values, side="right")


def level_bins(turn: Int64Array, n_turns: Int64Array, n_bins: int) -> IntArray:
    """Bin (k/B, (k+1)/B] of the information level turn/n_turns, in integers."""
    return ((turn * n_bins - 1) // n_turns).astype(np.intp, copy=False)


def confidence_bins(confidence: FloatArray, n_bins: int, *, mass: bool) -> IntArray:
    """Bins of equal mass or of equal width for a column in [0, 1]."""
    return (equal_mass_bins if mass else equal_width_bins)(confidence, n_bins)


def information_bins(turn: Int64Array, n_turns: Int64Array, n_bins: int, *, mass: bool) -> IntArray:
    """Bins of equal mass or of equal width for the information levels turn/n_turns."""
    if mass:
        return equal_mass_bins(turn / n_turns, n_bins)
    return level_bins(turn, n_turns, n_bins)


def bin_sums(bins: IntArray, confidence: FloatArray, correct: BoolArray, n_bins: int) -> FloatArray:
    """Per bin: rows, sum of confidences, number of right answers; shape (3, n_bins)."""
    sums = np.zeros((3, n_bins))
    for rows in row_blocks(len(bins)):
        sums[:2] += sums_by(bins[rows], confidence[rows], n_bins)
        sums[2] += np.bincount(bins[rows], correct[rows], n_bins)
    return sums


def sums_by(places: IntArray, values: FloatArray, n_places: int) -> FloatArray:
    """Rows, and the sum of ``values``, at each place; shape (2, n_places)."""
    sums = np.empty((2, n_places))
    sums[0] = np.bincount(places, minlength=n_places)
    sums[1] = np.bincount(places, values, n_places)
    return sums


def width_bin_sums(blocks: Iterable[PairBlock], n_bins: int) -> FloatArray:
    """:func:`bin_sums` over bins of equal width, from a single walk through the rows."""
    by_outcome = np.zeros((2, n_bins + 1, 2))
    n, summed = by_outcome.reshape(2, -1)
    for block in blocks:
        cells = open_width_bins(block.confidence, n_bins)
        cells += cells
        cells += block.correct.astype(np.int32)
        wide = cells.astype(np.intp)
        n += np.bincount(wide, minlength=len(n))
        summed += np.bincount(wide, block.confidence, len(n))
    by_outcome[:, n_bins - 1] += by_outcome[:, n_bins]
    (n_rows, totals), n_right = by_outcome[:, :-1].sum(axis=2), by_outcome[0, :-1, 1]
    return np.stack([n_rows, totals, n_right])
