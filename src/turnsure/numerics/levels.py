"""Turns and dialogue lengths as columns, and sums over bins of the information level."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from turnsure.numerics.arrays import FloatArray, Int32Array, Int64Array, IntArray
from turnsure.numerics.binning import MAX_LEVEL_TURNS, information_bins, level_bins, sums_by
from turnsure.numerics.inputs import (
    Kept,
    Numbers,
    read_column,
    require_length,
    require_rows,
    whole_number_text,
    whole_numbers,
)
from turnsure.numerics.pairs import PairBlock

_LONGEST_COUNTED = 63
"""Up to this length a block's rows are counted by (turn, length), and the few pairs binned."""

_ROWS_A_CELL = 3
"""Adding up a block's cells should cost little beside counting its rows."""


class Levels:
    """The columns turn and n_turns; a row's information level is turn/n_turns.

    Parameters
    ----------
    turn, n_turns
        Whole numbers, 1 ≤ turn ≤ n_turns, shape (n,).
    n_rows
        What n must be.
    other
        Name of the column that says so.

    Raises
    ------
    InputError
        For columns of different lengths and for what is no column of numbers.  Rows are checked
        where they are used.
    """

    def __init__(self, turn: Numbers, n_turns: Numbers, n_rows: int, other: str) -> None:
        self._turn = _int64(turn, "turn")
        self._length = _int64(n_turns, "n_turns")
        require_length(len(self._turn), "turn", n_rows, other)
        require_length(len(self._length), "n_turns", n_rows, other)

    def check(self, rows: slice = slice(None)) -> None:
        """Refuse what is out of range; names the row."""
        first = rows.start or 0
        turn = _checked(self._turn[rows], "turn", first)
        length = _checked(self._length[rows], "n_turns", first)
        require_rows(turn <= length, turn, "turn", "at most the row's n_turns", first=first)

    def of(self, kept: Kept) -> FloatArray:
        """Levels of the rows that count, in (0, 1]; all rows are checked."""
        self.check()
        return kept.pick(self._turn) / kept.pick(self._length)

    def bins(self, kept: Kept, n_bins: int, *, mass: bool) -> IntArray:
        """Bin of each row that counts; all rows are checked."""
        self.check()
        turn, length = kept.pick(self._turn), kept.pick(self._length)
        return information_bins(turn, length, n_bins, mass=mass)

    def picked(self, block: PairBlock) -> tuple[Int64Array, Int64Array]:
        """Turns and lengths of a block, not checked where every row of it counts."""
        if block.there is not None:
            self.check(block.rows)
        return block.pick(self._turn), block.pick(self._length)


class LevelSums:
    """Rows, and summed outcome − confidence, by bin (k/B, (k+1)/B], gathered block by block.

    Short dialogues have few different levels, so their rows are counted by turn and length, and
    only the pairs that occur are put into bins, at the end.

    Parameters
    ----------
    levels
        The rows' levels; they are checked on the way.
    n_bins
        B, at least 1.
    n_places
        How many places there are of a second kind by which the same is gathered; 0 for none.
    """

    def __init__(self, levels: Levels, n_bins: int, n_places: int = 0) -> None:
        self._levels = levels
        self._n_bins = n_bins
        self._sums = np.zeros((2, n_bins))
        self._table = np.zeros((2, _LONGEST_COUNTED + 1, _LONGEST_COUNTED + 1))
        self._n_places = n_places
        self._by_place = np.zeros((2, n_places))
        self._joint: dict[int, FloatArray] = {}

    def add(self, block: PairBlock, gaps: FloatArray) -> None:
        """Take in a block, whose rows' outcome − confidence are ``gaps``.

        Raises
        ------
        InputError
            For values out of range.
        """
        turn, length, n_values = self._positions(block)
        self._add(turn, length, n_values, gaps)

    def add_both(self, block: PairBlock, gaps: FloatArray, places: Int32Array) -> None:
        """The same by level and by ``places``, shape (m,).

        Where cells of turn, length and place are few beside the rows, one count by cell is enough
        for both.
        """
        turn, length, n_values = self._positions(block)
        n_cells = n_values**2 * self._n_places
        if not 0 < n_cells * _ROWS_A_CELL <= len(gaps):
            self._add(turn, length, n_values, gaps)
            self._by_place += sums_by(places.astype(np.intp), gaps, self._n_places)
            return
        cells = _pair_cells(turn, length, n_values)
        cells *= self._n_places
        cells += places
        sums = sums_by(cells, gaps, n_cells)
        if n_values in self._joint:
            sums += self._joint[n_values]
        self._joint[n_values] = sums

    def total(self) -> FloatArray:
        """By level, shape (2, B).

        Raises
        ------
        InputError
            For values out of range.
        """
        table = self._table.copy()
        for n_values, sums in self._joint.items():
            by_pair = sums.reshape(2, n_values, n_values, self._n_places).sum(axis=3)
            table[:, :n_values, :n_values] += by_pair
        turns, lengths = np.nonzero(table[0])
        if ((turns < 1) | (turns > lengths)).any():
            self._levels.check()
        bins = level_bins(turns, lengths, self._n_bins)
        return self._sums + [
            np.bincount(bins, column, self._n_bins) for column in table[:, turns, lengths]
        ]

    def total_by_place(self) -> FloatArray:
        """By place, shape (2, n_places)."""
        joint = [sums.reshape(2, -1, self._n_places).sum(axis=1) for sums in self._joint.values()]
        return self._by_place + sum(joint)

    def _positions(self, block: PairBlock) -> tuple[Int64Array, Int64Array, int]:
        """Turns, lengths and a number above them all; 0 where they are long, and checked."""
        turn, length = self._levels.picked(block)
        n_values = _largest(length) + 1
        if n_values > _LONGEST_COUNTED + 1 or _largest(turn) >= n_values:
            self._levels.check(block.rows)
            return turn, length, 0
        return turn, length, n_values

    def _add(self, turn: Int64Array, length: Int64Array, n_values: int, gaps: FloatArray) -> None:
        if not n_values:
            self._sums += sums_by(level_bins(turn, length, self._n_bins), gaps, self._n_bins)
            return
        by_pair = sums_by(_pair_cells(turn, length, n_values), gaps, n_values**2)
        self._table[:, :n_values, :n_values] += by_pair.reshape(2, n_values, n_values)


def _pair_cells(turn: Int64Array, length: Int64Array, n_values: int) -> Int64Array:
    """Each pair, of numbers below ``n_values``, as one number."""
    cells = turn * n_values
    cells += length
    return cells


def _largest(column: Int64Array) -> int:
    """The largest number, where a negative one is larger than all others; 0 of none."""
    return int(column.view(np.uint64).max(initial=0))


def _int64(values: Numbers, field: str) -> Int64Array:
    column = read_column(values, field, whole_number_text(1, MAX_LEVEL_TURNS))
    return column if column.dtype == np.int64 else _checked(column, field, 0)


def _checked(column: npt.NDArray[Any], field: str, first: int) -> Int64Array:
    return whole_numbers(column, field, minimum=1, maximum=MAX_LEVEL_TURNS, first=first)
