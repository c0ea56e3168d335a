"""Confidences and outcomes walked through once, block by block, and never copied as a whole.

A block is checked while it is in the processor's cache, just before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from turnsure.numerics.arrays import BoolArray, FloatArray, row_blocks
from turnsure.numerics.inputs import (
    BOTH,
    FRACTION,
    OUTCOME,
    Numbers,
    known_outcomes,
    missing_fractions,
    nothing_scored,
    read_column,
    require_length,
)

_Item = TypeVar("_Item", bound=np.generic)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairBlock:
    """The rows of a block that have both a confidence and an outcome.

    Attributes
    ----------
    rows
        Where the block is among the rows that were given.
    there
        Which of them count, shape (b,); None when all do.
    confidence
        In [0, 1], shape (m,), m ≤ b.
    correct
        Shape (m,).
    """

    rows: slice
    there: BoolArray | None
    confidence: FloatArray
    correct: BoolArray

    def gaps(self) -> FloatArray:
        """Outcome − confidence, shape (m,)."""
        gaps = self.correct.astype(np.float64)
        gaps -= self.confidence
        return gaps

    def pick(self, column: npt.NDArray[_Item]) -> npt.NDArray[_Item]:
        """The entries of a column of all rows that belong to this block and count."""
        block = column[self.rows]
        return block if self.there is None else block[self.there]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of the given rows count, and how many are left out because something is missing."""

    n: int
    n_failed: int


class Pairs:
    """Columns of confidences and outcomes, not yet checked row by row.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    correct
        0 or 1, shape (n,); missing where it is not graded.

    Raises
    ------
    InputError
        For what is no column of numbers, and for columns of different lengths.
    """

    def __init__(self, confidence: Numbers, correct: Numbers) -> None:
        self._confidence: npt.NDArray[Any] = read_column(confidence, "confidence", FRACTION)
        self._correct: npt.NDArray[Any] = read_column(correct, "correct", OUTCOME)
        self.n_given = len(self._confidence)
        require_length(len(self._correct), "correct", self.n_given, "confidence")

    def blocks(self) -> Iterator[PairBlock]:
        """Walk through the rows.

        Raises
        ------
        InputError
            For values out of range; names the row.
        """
        for rows in row_blocks(self.n_given):
            values = self._confidence[rows].astype(np.float64, copy=False)
            no_value = missing_fractions(values, "confidence", first=rows.start)
            right, no_outcome = known_outcomes(self._correct[rows], first=rows.start)
            if no_value is None and no_outcome is None:
                yield PairBlock(rows=rows, there=None, confidence=values, correct=right)
                continue
            there = ~np.logical_or.reduce(
                [one for one in (no_value, no_outcome) if one is not None]
            )
            yield PairBlock(rows=rows, there=there, confidence=values[there], correct=right[there])

    def tally(self, n: int) -> Tally:
        """What to say of a walk that found ``n`` rows that count.

        Raises
        ------
        UndefinedMetricError
            When there is none.
        """
        if n == 0:
            raise nothing_scored(self.n_given, BOTH)
        return Tally(n, self.n_given - n)
