"""What changes as a threshold falls: the counts from which every rule for thresholds is computed.

A unit is a row, or a dialogue that is answered at its first turn at or above the threshold.  As the
threshold falls, a unit is answered from some threshold on; a dialogue may then be answered at ever
earlier turns, rightly or wrongly.  Each such change is a step, and the counts at a threshold are
sums of the steps at or above it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from turnsure.calibration.labelled import LabelledScores
from turnsure.core.chosen import Unit
from turnsure.core.errors import InputError
from turnsure.numerics.arrays import FloatArray, Int64Array, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Steps:
    """The changes, shape (s,) each, in no particular order.

    Attributes
    ----------
    threshold
        At which it happens: at and below it.
    unit
        To which unit, 0..n_units - 1; every unit has at least one step.
    answered, wrong
        Change of whether the unit is answered, and of whether it is answered wrongly.
    ever_wrong
        Change of whether some threshold at or above this one has the unit answered wrongly: the
        smallest loss above ``wrong`` that never falls as the threshold falls.
    asked
        Change of the questions asked before the answer; 0 for rows.
    cluster
        Dialogue of each unit, shape (n_units,), 0..n_clusters - 1.
    n_units, n_clusters
        How many there are.
    noun
        What a unit is called in a sentence, in the plural.
    """

    threshold: FloatArray
    unit: IntArray
    answered: Int64Array
    wrong: Int64Array
    ever_wrong: Int64Array
    asked: Int64Array
    cluster: IntArray
    n_units: int
    n_clusters: int
    noun: str

    def thresholds(self) -> FloatArray:
        """All thresholds at which something changes, highest first."""
        return np.unique(self.threshold)[::-1]

    def counts(self, thresholds: FloatArray) -> Counts:
        """Counts at thresholds that fall strictly, shape (1, m) each."""
        place = places(self.threshold, thresholds)
        m = len(thresholds)
        answered, wrong, ever_wrong = (
            np.cumsum(np.bincount(place, column, m + 1)[:m]).astype(np.int64)
            for column in (self.answered, self.wrong, self.ever_wrong)
        )
        return Counts(
            answered=answered[np.newaxis],
            wrong=wrong[np.newaxis],
            ever_wrong=ever_wrong[np.newaxis],
            n=np.array([self.n_units]),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """Units answered, answered wrongly and ever answered wrongly at falling thresholds.

    Shape (r, m) each, a row a sample; ``n``, shape (r,), is the number of units of the sample.
    """

    answered: Int64Array
    wrong: Int64Array
    ever_wrong: Int64Array
    n: Int64Array


Selector = Callable[[Counts], IntArray]
"""For every sample the place of the chosen threshold, −1 where there is none; shape (r,)."""


def places(values: FloatArray, thresholds: FloatArray) -> IntArray:
    """For each value the first of m falling thresholds that it reaches; m where it reaches none."""
    return len(thresholds) - np.searchsorted(thresholds[::-1], values, side="right")


def steps_of(rows: LabelledScores, unit: Unit, *, seed: int = 0) -> Steps:
    """The steps of labelled rows.

    Parameters
    ----------
    rows
        For ``"dialogue"`` with turns.
    unit
        What is counted.
    seed
        For ``"one_row"``: decides which row of a dialogue is taken.

    Raises
    ------
    InputError
        Dialogues are to be counted and the rows have no turns, or one turn twice.
    """
    if unit == "dialogue":
        return _steps_of_dialogues(rows)
    if unit == "one_row":
        return _steps_of_rows(one_row_a_dialogue(rows, seed=seed), "dialogues")
    return _steps_of_rows(rows, "rows")


def one_row_a_dialogue(rows: LabelledScores, *, seed: int) -> LabelledScores:
    """One row of every dialogue, each as likely as the others of its dialogue.

    Rows are numbered by turn, score and outcome before the draw, so that their order in the table
    does not decide.
    """
    turn = np.zeros(len(rows)) if rows.turn is None else rows.turn
    order = np.lexsort((rows.correct, rows.score, turn, rows.group))
    sizes = np.bincount(rows.group)
    drawn = (np.random.default_rng(seed).random(len(sizes)) * sizes).astype(np.intp)
    return rows.rows(order[np.cumsum(sizes) - sizes + drawn])


def _steps_of_rows(rows: LabelledScores, noun: str) -> Steps:
    n = len(rows)
    wrong = (~rows.correct).astype(np.int64)
    return Steps(
        threshold=rows.score,
        unit=np.arange(n),
        answered=np.ones(n, dtype=np.int64),
        wrong=wrong,
        ever_wrong=wrong,
        asked=np.zeros(n, dtype=np.int64),
        cluster=rows.group,
        n_units=n,
        n_clusters=len(rows.groups),
        noun=noun,
    )


def _steps_of_dialogues(rows: LabelledScores) -> Steps:
    """Steps at the turns whose score is above all earlier ones: at no other is one answered.

    With records r₁ < r₂ < … of a dialogue, a threshold in (r_{j−1}, r_j] answers at the turn of
    r_j, and one above the last record never.
    """
    turn, n_turns, order = by_turn(rows)
    group = rows.group[order]
    _, rank = np.unique(rows.score[order], return_inverse=True)
    # Ranks of later dialogues are lifted above all earlier ones, so that one running maximum does.
    lifted = rank + group * (len(rank) + 1)
    before = np.maximum.accumulate(np.concatenate(([-1], lifted[:-1])))
    kept = order[lifted > before]

    group = rows.group[kept]
    last = np.diff(group, append=group[-1] + 1) > 0
    wrong = (~rows.correct[kept]).astype(np.int64)
    asked = turn[kept] - 1
    # What holds just above a record's score: the next record's turn, or no answer at all.
    wrong_above = np.where(last, 0, np.roll(wrong, -1))
    asked_above = np.where(last, n_turns[kept] - 1, np.roll(asked, -1))
    wrong_records = np.flatnonzero(wrong)
    highest = np.diff(group[wrong_records], append=len(rows.groups)) > 0
    ever_wrong = np.zeros(len(kept), dtype=np.int64)
    ever_wrong[wrong_records[highest]] = 1
    return Steps(
        threshold=rows.score[kept],
        unit=group,
        answered=last.astype(np.int64),
        wrong=wrong - wrong_above,
        ever_wrong=ever_wrong,
        asked=asked - asked_above,
        cluster=np.arange(len(rows.groups)),
        n_units=len(rows.groups),
        n_clusters=len(rows.groups),
        noun="dialogues",
    )


def by_turn(rows: LabelledScores) -> tuple[Int64Array, Int64Array, IntArray]:
    """Turn and length of every row, and the rows in the order of dialogue and turn.

    Raises
    ------
    InputError
        The rows have no turns, or a dialogue has one turn twice.
    """
    if rows.turn is None or rows.n_turns is None:
        raise InputError(
            "the rows have no turns, so that it is not known which of a dialogue comes first",
            field="turn",
            expected="the turn and the number of turns of every row",
        )
    order = np.lexsort((rows.turn, rows.group))
    turn, group = rows.turn[order], rows.group[order]
    twice = np.flatnonzero((np.diff(group) == 0) & (np.diff(turn) == 0))
    if len(twice):
        where = twice[0]
        raise InputError(
            f"dialogue {rows.groups[int(group[where])]!r} has turn {turn[where]} twice",
            field="turn",
            expected="one row a dialogue and turn",
        )
    return rows.turn, rows.n_turns, order


def strictly_falling(thresholds: Sequence[float], field: str) -> FloatArray:
    """Thresholds in [0, 1], sorted, highest first, each once.

    Raises
    ------
    InputError
        There is none, or one is out of range.
    """
    column = np.unique(np.asarray(thresholds, dtype=np.float64))[::-1]
    if not (len(column) and column[0] <= 1.0 and column[-1] >= 0.0):
        raise InputError(f"they are {thresholds!r}", field=field, expected="numbers in [0, 1]")
    return column
