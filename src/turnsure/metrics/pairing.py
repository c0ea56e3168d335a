"""Two tables of turns matched by dialogue and turn."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.metrics.monotonicity import refuse_doubled_turns
from turnsure.numerics.arrays import BoolArray, FloatArray, Int64Array, IntArray
from turnsure.numerics.binning import MAX_LEVEL_TURNS
from turnsure.numerics.inputs import (
    Ids,
    Kept,
    Numbers,
    dialogue_codes,
    require_length,
    scored_fractions,
    scored_outcomes,
    scored_pairs,
    whole_numbers,
)

Needs = Literal["confidence", "correct", "both"]
"""What a metric reads of every turn besides its place."""

_NO_SCORES: FloatArray = np.zeros(0)
_NO_OUTCOMES: BoolArray = np.zeros(0, dtype=np.bool_)


class Columns(Protocol):
    """The columns of one condition, as :class:`turnsure.core.turns.TurnColumns` has them.

    Attributes
    ----------
    dialogue
        Ids, text or numbers, shape (n,).
    turn, n_turns
        The turn's number, from 1, and its dialogue's length, shape (n,).
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    correct
        0 or 1, shape (n,); missing where it is not graded.
    """

    @property
    def dialogue(self) -> Ids: ...
    @property
    def turn(self) -> Numbers: ...
    @property
    def n_turns(self) -> Numbers: ...
    @property
    def confidence(self) -> Numbers: ...
    @property
    def correct(self) -> Numbers: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What one condition gave at the paired turns; a column that nothing needs is empty.

    Attributes
    ----------
    confidence
        In [0, 1], shape (n,).
    correct
        Shape (n,).
    """

    confidence: FloatArray
    correct: BoolArray

    @property
    def gaps(self) -> FloatArray:
        """Outcome − confidence."""
        return self.correct - self.confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """The turns that both conditions scored, ordered by dialogue and turn.

    Attributes
    ----------
    dialogue
        Number of each pair's dialogue, 0..n_dialogues - 1, shape (n,).
    turn, n_turns
        Shape (n,).
    left, right
        What either side gave.
    n_one_side, n_unscored
        Turns that only one side has, and turns that both have but not both scored.
    """

    dialogue: IntArray
    turn: Int64Array
    n_turns: Int64Array
    left: Scores
    right: Scores
    n_one_side: int
    n_unscored: int


def pair_turns(left: Columns, right: Columns, needs: Needs) -> Pairs:
    """Match two conditions by dialogue and turn, whatever the order of their rows.

    Raises
    ------
    InputError
        For columns of different lengths, values out of range, two rows of one dialogue and turn,
        and a dialogue that is not as long under both conditions.  Names side and column.
    UndefinedMetricError
        When no turn is scored under both conditions.
    """
    with naming("left"):
        one = _read(left, needs)
    with naming("right"):
        other = _read(right, needs)
    merged, _ = dialogue_codes([*one.ids, *other.ids], len(one.ids) + len(other.ids), "dialogue")
    one_keys = _keys(merged[: len(one.ids)][one.codes], one.turn)
    other_keys = _keys(merged[len(one.ids) :][other.codes], other.turn)
    shared, in_one, in_other = np.intersect1d(
        one_keys, other_keys, assume_unique=True, return_indices=True
    )
    _require_same_lengths(one, other, in_one, in_other)
    scored = one.scored[in_one] & other.scored[in_other]
    n = int(np.count_nonzero(scored))
    if not n:
        raise UndefinedMetricError(
            f"none of the {len(shared)} turns that both conditions have is scored under both"
        )
    in_one, in_other = in_one[scored], in_other[scored]
    _, dialogue = np.unique(one.codes[in_one], return_inverse=True)
    return Pairs(
        dialogue=dialogue,
        turn=one.turn[in_one],
        n_turns=one.n_turns[in_one],
        left=one.scores(in_one),
        right=other.scores(in_other),
        n_one_side=len(one_keys) + len(other_keys) - 2 * len(shared),
        n_unscored=len(shared) - n,
    )


@contextmanager
def naming(side: str) -> Generator[None]:
    """Say in every error which of the two conditions it is about."""
    try:
        yield
    except InputError as error:
        field = f"{side}.{error.field}"
        raise InputError(error.problem, field=field, expected=error.expected) from error
    except UndefinedMetricError as error:
        raise UndefinedMetricError(f"{side}: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """All rows of one condition; ``confidence`` and ``correct`` are those of the scored ones."""

    codes: IntArray
    ids: list[Any]
    turn: Int64Array
    n_turns: Int64Array
    scored: BoolArray
    confidence: FloatArray
    correct: BoolArray

    def scores(self, rows: IntArray) -> Scores:
        """The values of some scored rows."""
        place = (np.cumsum(self.scored) - 1)[rows]
        return Scores(
            confidence=self.confidence[place] if len(self.confidence) else self.confidence,
            correct=self.correct[place] if len(self.correct) else self.correct,
        )


def _read(columns: Columns, needs: Needs) -> _Side:
    confidence, correct = _NO_SCORES, _NO_OUTCOMES
    other = "correct" if needs == "correct" else "confidence"
    if needs == "both":
        kept, confidence, correct = scored_pairs(columns.confidence, columns.correct)
    elif needs == "confidence":
        kept, confidence = scored_fractions(columns.confidence, "confidence")
    else:
        kept, correct = scored_outcomes(columns.correct)
    codes, ids = dialogue_codes(columns.dialogue, kept.n_given, other)
    turn = _turns(columns.turn, "turn", kept, other)
    order = np.lexsort((turn, codes))
    refuse_doubled_turns(codes[order], turn[order], order)
    return _Side(
        codes=codes,
        ids=ids,
        turn=turn,
        n_turns=_turns(columns.n_turns, "n_turns", kept, other),
        scored=np.ones(kept.n, dtype=np.bool_) if kept.mask is None else kept.mask,
        confidence=confidence,
        correct=correct,
    )


def _turns(values: Numbers, field: str, kept: Kept, other: str) -> Int64Array:
    turns = whole_numbers(values, field, minimum=1, maximum=MAX_LEVEL_TURNS)
    require_length(len(turns), field, kept.n_given, other)
    return turns


def _keys(codes: IntArray, turn: Int64Array) -> Int64Array:
    """One whole number a dialogue and turn."""
    return codes.astype(np.int64) * (MAX_LEVEL_TURNS + 1) + turn


def _require_same_lengths(one: _Side, other: _Side, in_one: IntArray, in_other: IntArray) -> None:
    differs = one.n_turns[in_one] != other.n_turns[in_other]
    if differs.any():
        place = int(np.argmax(differs))
        row, other_row = int(in_one[place]), int(in_other[place])
        raise InputError(
            f"dialogue {one.ids[one.codes[row]]!r} has {one.n_turns[row]} turns on the left"
            f" and {other.n_turns[other_row]} on the right",
            field="n_turns",
            expected="one length under both conditions",
        )
