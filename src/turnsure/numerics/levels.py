"""Turns and dialogue lengths as columns, and sums over bins of the information level."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from turnsure.numerics.arrays import FloatArray, Int64Array, IntArray
from turnsure.numerics.binning import MAX_LEVEL_TURNS, information_bins, level_bins
from turnsure.numerics.inputs import (
    Kept,
    Numbers,
    read_column,
    require_length,
    require_rows,
    whole_number_text,
    whole_numbers,
)
from turnsure.numerics.pairs import PairBlock, Pairs

_LONGEST_COUNTED = 63
"""Up to this length a block's rows are counted by (turn, length), and the few pairs binned."""


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


def level_sums(pairs: Pairs, levels: Levels, n_bins: int) -> FloatArray:
    """Per bin (k/B, (k+1)/B]: rows, and the sum of outcome − confidence; shape (2, n_bins).

    Short dialogues have few different levels, so their rows are counted by turn and length, and
    only the pairs that occur are put into bins.

    Raises
    ------
    InputError
        For values out of range.
    """
    sums = np.zeros((2, n_bins))
    table = np.zeros((2, _LONGEST_COUNTED + 1, _LONGEST_COUNTED + 1))
    for block in pairs.blocks():
        turn, length = levels.picked(block)
        n_values = _largest(length) + 1
        if n_values > _LONGEST_COUNTED + 1 or _largest(turn) >= n_values:
            levels.check(block.rows)
            _add(sums, level_bins(turn, length, n_bins), block.gaps())
            continue
        cells = turn * n_values
        cells += length
        here = np.zeros((2, n_values * n_values))
        _add(here, cells, block.gaps())
        table[:, :n_values, :n_values] += here.reshape(2, n_values, n_values)
    turns, lengths = np.nonzero(table[0])
    if ((turns < 1) | (turns > lengths)).any():
        levels.check()
    bins = level_bins(turns, lengths, n_bins)
    counted = table[:, turns, lengths]
    return sums + [np.bincount(bins, column, n_bins) for column in counted]


def _add(sums: FloatArray, places: IntArray, gaps: FloatArray) -> None:
    """Count rows, and sum gaps, at their places."""
    sums[0] += np.bincount(places, minlength=sums.shape[1])
    sums[1] += np.bincount(places, gaps, sums.shape[1])


def _largest(column: Int64Array) -> int:
    """The largest number, where a negative one is larger than all others; 0 of none."""
    return int(column.view(np.uint64).max(initial=0))


def _int64(values: Numbers, field: str) -> Int64Array:
    column = read_column(values, field, whole_number_text(1, MAX_LEVEL_TURNS))
    return column if column.dtype == np.int64 else _checked(column, field, 0)


def _checked(column: npt.NDArray[Any], field: str, first: int) -> Int64Array:
    return whole_numbers(column, field, minimum=1, maximum=MAX_LEVEL_TURNS, first=first)
