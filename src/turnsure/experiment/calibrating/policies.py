"""Deciding turn by turn when to answer: recorded dialogues replayed under a rule and its rivals.

Nothing new is asked of a model: at every turn the answer and its score are known, and a policy
picks the turn whose answer is given.  A turn without a score is passed over, since nothing is
answered without one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from turnsure.calibration.folds import fold_of_rows
from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.steps import by_turn, places, steps_of
from turnsure.core.chosen import PolicyResult
from turnsure.core.decision import DecisionRule
from turnsure.core.results import Curve, CurvePoint
from turnsure.experiment.calibrating.policy_turns import (
    LEVEL,
    PolicyOutcome,
    PolicyTurns,
    policy_result,
)
from turnsure.numerics.arrays import BoolArray, Int64Array
from turnsure.numerics.inputs import choice
from turnsure.numerics.intervals import wilson_bounds

AtEnd = Literal["rule", "answer"]
"""At the last turn, where no question is left: do what the rule says, or answer in any case."""

LEVELS = (0.25, 0.5, 0.75)


def replay(
    rows: LabelledScores,
    rule: DecisionRule,
    *,
    at_end: AtEnd = "rule",
    identified: BoolArray | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> PolicyResult:
    """Replay dialogues under a rule.

    At each turn the rule answers, or asks, which takes the next hint, or does its third action,
    which ends the dialogue without an answer.  At the last turn nothing can be asked.

    Parameters
    ----------
    rows
        With probabilities as scores and with turns; of dialogues by which neither map nor threshold
        was chosen.
    rule
        What to do; it never asks if its ``ask_at`` is None, and then decides at the first turn.
    at_end
        What happens at the last turn.
    identified
        Shape (n,): whether the hints so far leave one candidate only.
    resamples, seed
        Of the bootstrap over dialogues.

    Raises
    ------
    InputError
        The rows have no turns or one twice, or a column does not fit.
    """
    turns = PolicyTurns.of(rows, identified)
    outcome = _replayed(turns, rule, at_end)
    return policy_result("gate", turns, outcome, resamples=resamples, seed=seed)


def replay_held_out(
    rows: LabelledScores,
    choose_rule: Callable[[LabelledScores], DecisionRule],
    *,
    folds: int = 5,
    at_end: AtEnd = "rule",
    identified: BoolArray | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> PolicyResult:
    """Replay each fold of dialogues under the rule that was chosen on the other folds.

    ``choose_rule`` gets the rows of the other folds; the rest is as for :func:`replay`.
    """
    turns = PolicyTurns.of(rows, identified)
    _, _, order = by_turn(rows)
    fold = fold_of_rows(rows, folds=folds, seed=seed)
    row = np.full(turns.n_dialogues, -1, dtype=np.intp)
    asked = np.zeros(turns.n_dialogues, dtype=np.int64)
    for place in range(folds):
        rule = choose_rule(rows.rows(fold != place))
        # The rule is tried on all dialogues, and what it does with those of the fold is kept.
        outcome = _replayed(turns, rule, at_end)
        here = np.unique(turns.group[fold[order] == place])
        row[here], asked[here] = outcome.row[here], outcome.asked[here]
    held_out = PolicyOutcome(row=row, asked=asked)
    return policy_result(
        "gate, chosen on other dialogues", turns, held_out, resamples=resamples, seed=seed
    )


def compare_policies(
    rows: LabelledScores,
    rule: DecisionRule,
    *,
    at_end: AtEnd = "rule",
    identified: BoolArray | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[PolicyResult, ...]:
    """The rule beside policies that look at no score, and beside the best that is possible.

    In this order: the gate; the first turn always; every fixed turn k between (the last turn, in
    dialogues that are shorter); the turn at information levels ¼, ½ and ¾ (rounded up); the last
    turn always; the oracle, which answers at the first turn with a right answer and never where
    there is none; and, where ``identified`` is given, the ideal, which answers as soon as the hints
    leave one candidate only and never before.

    Parameters and errors are those of :func:`replay`.
    """
    turns = PolicyTurns.of(rows, identified)
    longest = int(turns.n_turns.max())
    policies = {"gate": _replayed(turns, rule, at_end), "always the first turn": _at(turns, 1)}
    for k in range(2, longest):
        policies[f"turn {k}"] = _at(turns, k)
    if longest > 1:
        for level in LEVELS:
            wanted = np.ceil(level * turns.n_turns).astype(np.int64)
            policies[f"level {level:g}"] = _at(turns, wanted)
        policies["always the last turn"] = _at(turns, longest)
    policies["oracle"] = _when(turns, turns.correct)
    if turns.identified is not None:
        policies["ideal: as soon as identified"] = _when(turns, turns.identified)
    return tuple(
        policy_result(name, turns, outcome, resamples=resamples, seed=seed)
        for name, outcome in policies.items()
    )


def policy_curve(rows: LabelledScores) -> Curve:
    """Accuracy of the answers given against questions asked, over all thresholds.

    The policy answers at the first turn whose score is at or above the threshold and asks before;
    a dialogue that is never answered is asked everything.  One point a threshold at which something
    changes, highest first, computed from running sums; low and high are Wilson's 95 % interval.
    Read the curve of dialogues on which neither map nor threshold was chosen.

    Raises
    ------
    InputError
        The rows have no turns, or one twice.
    """
    turns = PolicyTurns.of(rows)
    steps = steps_of(rows, "dialogue")
    thresholds = steps.thresholds()
    counts = steps.counts(thresholds)
    place = places(steps.threshold, thresholds)
    saved = np.cumsum(np.bincount(place, steps.asked, len(thresholds)))
    asked = turns.most_questions.sum() + saved
    points: list[CurvePoint] = []
    for threshold, n, wrong, questions in zip(
        thresholds.tolist(),
        counts.answered[0].tolist(),
        counts.wrong[0].tolist(),
        asked.tolist(),
        strict=True,
    ):
        low, high = wilson_bounds(n - wrong, n, LEVEL)
        points.append(
            CurvePoint(
                x=questions / turns.n_dialogues,
                y=(n - wrong) / n,
                low=low,
                high=high,
                n=n,
                threshold=threshold,
            )
        )
    return Curve(
        name="policy",
        x_label="questions asked a dialogue",
        y_label="accuracy of the answers given",
        points=tuple(points),
        n_turns=len(rows),
        n_failed=rows.n_missing,
        definition={"answers": "at the first turn with score >= threshold"},
    )


def _replayed(turns: PolicyTurns, rule: DecisionRule, at_end: AtEnd) -> PolicyOutcome:
    choice(at_end, "at_end", ("rule", "answer"))
    is_last = turns.turn == turns.n_turns
    answers = turns.score >= (np.inf if rule.answer_at is None else rule.answer_at)
    asks = turns.score >= (np.inf if rule.ask_at is None else rule.ask_at)
    ends = turns.first(answers | ~asks | is_last)
    gives = answers | (is_last if at_end == "answer" else False)
    ended = ends >= 0
    return PolicyOutcome(
        row=np.where(ended & gives[ends], ends, -1),
        asked=np.where(ended, turns.turn[ends] - 1, turns.most_questions),
    )


def _at(turns: PolicyTurns, wanted: int | Int64Array) -> PolicyOutcome:
    """The answer at a turn, or at the last one of dialogues that are shorter."""
    row = turns.first(turns.turn == np.minimum(wanted, turns.n_turns))
    starts = np.flatnonzero(np.diff(turns.group, prepend=-1))
    asked = np.minimum(wanted, turns.n_turns)[starts] - 1
    return PolicyOutcome(row=row, asked=asked)


def _when(turns: PolicyTurns, holds: BoolArray) -> PolicyOutcome:
    """The answer at the first turn where it holds."""
    row = turns.first(holds)
    return PolicyOutcome(
        row=row, asked=np.where(row >= 0, turns.turn[row] - 1, turns.most_questions)
    )
