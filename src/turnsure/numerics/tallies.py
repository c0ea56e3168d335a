"""Rows with one value are counted together, so that no order of rows can change a sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from turnsure.numerics.arrays import BoolArray, FloatArray, Int64Array, row_blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Distinct values in rising order, and what was counted at each.

    Attributes
    ----------
    value
        Shape (k,).
    second
        A second column; the pairs (value, second) are distinct then.  None without one.
    n, right
        Rows, and rows with a right answer, as whole numbers; shape (k,).
    """

    value: FloatArray
    second: FloatArray | None
    n: FloatArray
    right: FloatArray

    @property
    def n_rows(self) -> int:
        """All rows."""
        return int(self.n.sum())

    @property
    def n_right(self) -> int:
        """All right answers."""
        return int(self.right.sum())


class SortedPairs:
    """Rows by confidence, each with its outcome; holds eight bytes a row, and no order of rows.

    A confidence in [0, 1] and its outcome fit into one whole number, and sorting these takes a
    tenth of the time of finding the order of the rows.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,), n ≥ 1.
    correct
        Shape (n,).
    """

    def __init__(self, confidence: FloatArray, correct: BoolArray) -> None:
        keys = np.empty(len(confidence), dtype=np.int64)
        for rows in row_blocks(len(keys)):
            # The bits of such a double, as a whole number, rise with it; the sign, of -0.0, goes.
            np.left_shift(confidence[rows].view(np.int64), 1, out=keys[rows])
            keys[rows] |= correct[rows]
        keys.sort()
        self._keys = keys

    def tallies(self, *, descending: bool = False) -> Iterator[Tally]:
        """Distinct confidences with their rows and right answers, a piece at a time.

        Parameters
        ----------
        descending
            Whether the highest comes first, not the lowest.
        """
        blocks = list(row_blocks(len(self._keys)))
        step = -1 if descending else 1
        held: list[FloatArray] | None = None
        for rows in blocks[::step]:
            value, n, right = (column[::step] for column in _counted(self._keys[rows]))
            if held is not None and held[0][0] == value[0]:
                n[0] += held[1][0]
                right[0] += held[2][0]
            elif held is not None:
                value, n, right = (
                    np.concatenate(both) for both in zip(held, (value, n, right), strict=True)
                )
            if len(value) > 1:
                yield Tally(value=value[:-1], second=None, n=n[:-1], right=right[:-1])
            held = [value[-1:], n[-1:], right[-1:]]  # the next block may have more of it
        if held is not None:
            yield Tally(value=held[0], second=None, n=held[1], right=held[2])


def _counted(keys: Int64Array) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Distinct confidences of sorted rows, lowest first; rows and right answers of each."""
    values = keys >> 1
    starts = np.concatenate(([0], np.flatnonzero(values[1:] != values[:-1]) + 1))
    return (
        values[starts].view(np.float64),
        np.diff(starts, append=len(keys)).astype(np.float64),
        np.add.reduceat((keys & 1).astype(np.float64), starts),
    )


def tally(value: FloatArray, correct: BoolArray, second: FloatArray | None = None) -> Tally:
    """Count rows by value, or by pairs of values.

    Parameters
    ----------
    value, second
        Finite, shape (n,), n ≥ 1.
    correct
        Shape (n,).
    """
    if second is None and value.min() >= 0.0 and value.max() <= 1.0:
        pieces = list(SortedPairs(value, correct).tallies())
        return Tally(
            value=np.concatenate([piece.value for piece in pieces]),
            second=None,
            n=np.concatenate([piece.n for piece in pieces]),
            right=np.concatenate([piece.right for piece in pieces]),
        )
    order = np.argsort(value, kind="stable") if second is None else np.lexsort((second, value))
    ordered = value[order]
    is_new = ordered[1:] != ordered[:-1]
    if second is not None:
        beside = second[order]
        is_new |= beside[1:] != beside[:-1]
    starts = np.concatenate(([0], np.flatnonzero(is_new) + 1))
    return Tally(
        value=ordered[starts],
        second=None if second is None else second[order][starts],
        n=np.diff(starts, append=len(value)).astype(np.float64),
        right=np.add.reduceat(correct[order].astype(np.float64), starts),
    )
