"""Scores with labels, and which dialogue each belongs to: what maps and thresholds are fitted on.

Validated once, here; everything after works on plain arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from turnsure.core.errors import InputError, LeakageError
from turnsure.numerics.arrays import BoolArray, FloatArray, Int64Array, IntArray
from turnsure.numerics.inputs import (
    Ids,
    Numbers,
    dialogue_codes,
    require_length,
    require_rows,
    scored_pairs,
    whole_numbers,
)

_MOST_TURNS = 2**31


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelledScores:
    """Rows with a score and a label.

    Attributes
    ----------
    score
        Shape (n,), in [0, 1].
    correct
        Shape (n,).
    group
        Shape (n,): the number of each row's dialogue, an index of ``groups``.
    groups
        Ids of the dialogues; a row without one is a dialogue of its own.
    turn, n_turns
        Shape (n,), 1-based turn and length of its dialogue; None where rows have no turns.
    n_missing
        Rows that were given and left out because the score or the label is missing.
    """

    score: FloatArray
    correct: BoolArray
    group: IntArray
    groups: Sequence[Any]
    turn: Int64Array | None = None
    n_turns: Int64Array | None = None
    n_missing: int = 0

    @classmethod
    def of(
        cls,
        score: Numbers,
        correct: Numbers,
        *,
        dialogue: Ids | None = None,
        turn: Numbers | None = None,
        n_turns: Numbers | None = None,
    ) -> LabelledScores:
        """Check columns and leave out, counted, the rows in which something is missing.

        Raises
        ------
        InputError
            A value is no number or out of range, or the columns differ in length; names column
            and row.
        UndefinedMetricError
            No row is complete.
        """
        kept, scores, outcomes = scored_pairs(score, correct)
        if dialogue is None:
            codes, ids = np.arange(kept.n_given), list[Any](range(kept.n_given))
        else:
            codes, ids = dialogue_codes(dialogue, kept.n_given, "score")
        if (turn is None) != (n_turns is None):
            raise InputError("it stands alone", field="turn", expected="turn and n_turns together")
        turns = lengths = None
        if turn is not None and n_turns is not None:
            turns = whole_numbers(turn, "turn", minimum=1, maximum=_MOST_TURNS)
            lengths = whole_numbers(n_turns, "n_turns", minimum=1, maximum=_MOST_TURNS)
            require_length(len(turns), "turn", kept.n_given, "score")
            require_length(len(lengths), "n_turns", kept.n_given, "score")
            require_rows(turns <= lengths, turns, "turn", "at most n_turns")
            turns, lengths = kept.pick(turns), kept.pick(lengths)
        present, group = np.unique(kept.pick(codes), return_inverse=True)
        return cls(
            score=scores,
            correct=outcomes,
            group=group,
            groups=[ids[code] for code in present.tolist()],
            turn=turns,
            n_turns=lengths,
            n_missing=kept.n_failed,
        )

    def __len__(self) -> int:
        return len(self.score)

    @property
    def level(self) -> FloatArray | None:
        """Information level turn / n_turns in (0, 1], shape (n,)."""
        if self.turn is None or self.n_turns is None:
            return None
        return self.turn / self.n_turns

    def rows(self, where: BoolArray | IntArray) -> LabelledScores:
        """Some of the rows."""
        present, group = np.unique(self.group[where], return_inverse=True)
        return LabelledScores(
            score=self.score[where],
            correct=self.correct[where],
            group=group,
            groups=[self.groups[code] for code in present.tolist()],
            turn=None if self.turn is None else self.turn[where],
            n_turns=None if self.n_turns is None else self.n_turns[where],
        )

    def up_to(self, last: int | None) -> LabelledScores:
        """The rows of turns up to ``last``, as if dialogues ended there.

        All rows where ``last`` is None or rows have no turns.  What is missing stays counted.

        Raises
        ------
        InputError
            All rows are of later turns.
        """
        if last is None or self.turn is None or self.n_turns is None:
            return self
        kept = self.turn <= last
        if not kept.any():
            raise InputError(
                f"all {len(self):,} rows are of later turns than {last}",
                field="turn",
                expected="rows of turns at which something is decided",
            )
        cut = replace(self, n_turns=np.minimum(self.n_turns, last))
        return replace(cut.rows(kept), n_missing=self.n_missing)


def refuse_shared_dialogues(fitted_on: frozenset[Any], judged: LabelledScores, what: str) -> None:
    """Refuse to judge on a dialogue that was fitted on.

    Raises
    ------
    LeakageError
        Names how many dialogues are shared, and one of them.
    """
    shared = fitted_on.intersection(judged.groups)
    if shared:
        example = min(shared, key=str)
        raise LeakageError(
            f"{what} was fitted on {len(shared)} of the {len(judged.groups)} dialogues that it "
            f"would be judged on, among them {example!r}; judge it on other dialogues"
        )
