"""Groups of equal values, and the counts of ordered pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsure.numerics.arrays import FloatArray, IntArray


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

    ``sizes``, each at least 1, cuts ``values`` into runs.  Pairs are visited by their distance,
    longest runs first, so that the work is the number of pairs and the memory the number of values.
    """
    if not len(sizes):
        return np.zeros(0, dtype=np.intp)
    longest_first = np.argsort(-sizes, kind="stable")
    lengths = sizes[longest_first]
    ends = np.cumsum(lengths)
    position = np.arange(len(values)) - np.repeat(ends - lengths, lengths)
    old_starts = (np.cumsum(sizes) - sizes)[longest_first]
    ordered = values[position + np.repeat(old_starts, lengths)]

    balance = np.zeros(len(values), dtype=np.intp)
    for distance in range(1, int(lengths[0])):
        n_longer = int(np.searchsorted(-lengths, -distance))
        end = int(ends[n_longer - 1])
        later, earlier = ordered[distance:end], ordered[: end - distance]
        rise = (later > earlier).view(np.int8) - (later < earlier).view(np.int8)
        rise *= position[distance:end] >= distance
        balance[distance:end] += rise

    result = np.empty_like(lengths)
    result[longest_first] = np.add.reduceat(balance, ends - lengths)
    return result
