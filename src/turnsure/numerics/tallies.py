"""Rows with one value are counted together, so that no order of rows can change a sum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsure.numerics.arrays import BoolArray, FloatArray


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


def tally(value: FloatArray, correct: BoolArray, second: FloatArray | None = None) -> Tally:
    """Count rows by value, or by pairs of values.

    Parameters
    ----------
    value, second
        Finite, shape (n,), n ≥ 1.
    correct
        Shape (n,).
    """
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
