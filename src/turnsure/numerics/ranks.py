"""Groups of equal values, and the counts of ordered pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsure.numerics.arrays import FloatArray, IntArray, row_blocks

_STACKED = 1 << 14
_FITS_A_BYTE = 128


@dataclass(frozen=True, slots=True)
class TieGroups:
    """Rows sorted by value and cut where the value changes.

    Attributes
    ----------
    order
        Row numbers, sorted.
    starts
        Where each group of equal values starts in ``order``.
    """

    order: IntArray
    starts: IntArray

    @property
    def sizes(self) -> IntArray:
        """Rows in each group."""
        return np.diff(self.starts, append=len(self.order))

    @property
    def last(self) -> IntArray:
        """Position in ``order`` of each group's last row."""
        return self.starts + self.sizes - 1


def tie_groups(values: FloatArray, *, descending: bool = False) -> TieGroups:
    """Group equal values, lowest value first unless ``descending``.  ``values`` is not empty."""
    order = np.argsort(-values if descending else values, kind="stable")
    ordered = values[order]
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return TieGroups(order, np.concatenate(([0], changes)))


def concordant_minus_discordant(values: FloatArray, sizes: IntArray) -> IntArray:
    """For each run of consecutive values: rising pairs minus falling pairs, earlier before later.

    ``sizes``, each at least 1, cuts ``values`` into runs.  Runs of one length are stacked, as many
    as fit into the processor's cache, and compared at one distance after the other: the work is the
    number of pairs.
    """
    result = np.zeros(len(sizes), dtype=np.intp)
    starts = np.cumsum(sizes) - sizes
    # Short numbers are sorted by their digits, in a fraction of the time.
    is_short = sizes.max(initial=0) < 1 << 16
    by_size = np.argsort(sizes.astype(np.uint16) if is_short else sizes, kind="stable")
    ordered = sizes[by_size]
    cuts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    for runs in np.split(by_size, cuts) if len(sizes) else []:
        size = int(sizes[runs[0]])
        for block in row_blocks(len(runs), max(1, _STACKED // size)):
            stack = values[starts[runs[block]] + np.arange(size)[:, np.newaxis]]
            result[runs[block]] = _balance(stack)
    return result


def _balance(stack: FloatArray) -> IntArray:
    """Rising minus falling pairs of each column, shape (size, m) to (m,)."""
    size = len(stack)
    # Of a place's pairs with earlier ones; they are fewer than ``size``.
    balance = np.zeros(stack.shape, dtype=np.int8 if size <= _FITS_A_BYTE else np.int32)
    for distance in range(1, size):
        later, earlier = stack[distance:], stack[:-distance]
        balance[distance:] += (later > earlier).view(np.int8)
        balance[distance:] -= (later < earlier).view(np.int8)
    return balance.sum(axis=0, dtype=np.intp)
