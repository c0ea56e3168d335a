"""Recorded dialogues by turn, and what answering at some of their turns comes to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.steps import by_turn
from turnsure.core.chosen import PolicyResult
from turnsure.core.results import Interval, MetricResult, Undefined
from turnsure.numerics.arrays import BoolArray, FloatArray, Int64Array, IntArray
from turnsure.numerics.inputs import require_length, whole_number
from turnsure.numerics.intervals import clopper_pearson_bounds
from turnsure.numerics.resampling import percentile_interval

LEVEL = 0.95
"""Nominal coverage of the intervals of policies."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PolicyTurns:
    """Rows in the order of dialogue and turn.

    Attributes
    ----------
    score, correct, turn, n_turns, group
        Shape (n,) each, as in :class:`~turnsure.calibration.labelled.LabelledScores`.
    identified
        Shape (n,): whether the hints so far leave one candidate only; None where that is not known.
    n_dialogues
        Their number.
    """

    score: FloatArray
    correct: BoolArray
    turn: Int64Array
    n_turns: Int64Array
    group: IntArray
    identified: BoolArray | None
    n_dialogues: int

    @classmethod
    def of(cls, rows: LabelledScores, identified: BoolArray | None = None) -> PolicyTurns:
        """Sort rows.

        Raises
        ------
        InputError
            The rows have no turns, a turn is there twice, or ``identified`` does not fit.
        """
        turn, n_turns, order = by_turn(rows)
        if identified is not None:
            require_length(len(identified), "identified", len(rows), "score")
        return cls(
            score=rows.score[order],
            correct=rows.correct[order],
            turn=turn[order],
            n_turns=n_turns[order],
            group=rows.group[order],
            identified=None
            if identified is None
            else np.asarray(identified, dtype=np.bool_)[order],
            n_dialogues=len(rows.groups),
        )

    def first(self, where: BoolArray) -> IntArray:
        """For each dialogue its first row where it holds, −1 where there is none."""
        rows = np.flatnonzero(where)
        dialogues, places = np.unique(self.group[rows], return_index=True)
        found = np.full(self.n_dialogues, -1, dtype=np.intp)
        found[dialogues] = rows[places]
        return found

    @property
    def most_questions(self) -> Int64Array:
        """Questions that can be asked in each dialogue: its turns but the first."""
        starts = np.flatnonzero(np.diff(self.group, prepend=-1))
        return self.n_turns[starts] - 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PolicyOutcome:
    """For each dialogue the row whose answer is given, −1 for none, and the questions asked."""

    row: IntArray
    asked: Int64Array


def policy_result(
    name: str, turns: PolicyTurns, outcome: PolicyOutcome, *, resamples: int, seed: int
) -> PolicyResult:
    """Count what a policy came to."""
    n = turns.n_dialogues
    given = outcome.row[outcome.row >= 0]
    right = turns.correct[given]
    n_right = int(np.count_nonzero(right))
    right_rows = np.flatnonzero(turns.correct)
    last_right = np.full(n, -1, dtype=np.intp)
    last_right[turns.group[right_rows]] = right_rows  # of several rows the last one stays
    early = ~right & (last_right[turns.group[given]] > given)
    return PolicyResult(
        name=name,
        n_dialogues=n,
        n_answered=len(given),
        n_right=n_right,
        accuracy=_rate("accuracy_of_answers", n_right, len(given))
        if len(given)
        else Undefined(name="accuracy_of_answers", reason="no dialogue got an answer"),
        right=_rate("answered_rightly", n_right, n),
        questions=_questions(outcome.asked, resamples=resamples, seed=seed),
        n_early_wrong=int(np.count_nonzero(early)),
        n_before_identified=None
        if turns.identified is None
        else int(np.count_nonzero(~turns.identified[given])),
    )


def _rate(name: str, n_right: int, n: int) -> MetricResult:
    low, high = clopper_pearson_bounds(n_right, n, LEVEL)
    return MetricResult(
        name=name,
        value=n_right / n,
        interval=Interval(low=low, high=high, level=LEVEL, method="clopper_pearson"),
        n_turns=n,
        n_dialogues=n,
        direction="higher",
    )


def _questions(asked: Int64Array, *, resamples: int, seed: int) -> MetricResult:
    """The mean with its bootstrap interval.

    A dialogue is one number, so that a resample is a multinomial draw of how often each occurs.
    """
    n = len(asked)
    interval = None
    if n > 1:
        values, counts = np.unique(asked, return_counts=True)
        draws = np.random.default_rng(whole_number(seed, "seed", minimum=0)).multinomial(
            n, counts / n, size=whole_number(resamples, "resamples", minimum=1)
        )
        interval = percentile_interval(draws @ values / n, LEVEL)
    return MetricResult(
        name="questions",
        value=float(np.mean(asked)),
        interval=interval,
        n_turns=n,
        n_dialogues=n,
        direction="lower",
    )
