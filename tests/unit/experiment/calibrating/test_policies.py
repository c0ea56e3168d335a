"""Replays of recorded dialogues."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure.calibration.labelled import LabelledScores
from turnsure.core.decision import DecisionRule
from turnsure.core.errors import InputError
from turnsure.core.results import Undefined
from turnsure.experiment.calibrating.policies import (
    compare_policies,
    policy_curve,
    replay,
    replay_held_out,
)
from turnsure.numerics.intervals import clopper_pearson_bounds

# Dialogue: scores and right answers by turn.
TABLE = {
    "a": ([0.2, 0.6, 0.9], [0, 1, 1]),
    "b": ([0.8, 0.3, 0.95], [0, 0, 1]),
    "c": ([0.1, 0.2, 0.3], [0, 0, 0]),
    "d": ([0.7, 0.9], [1, 0]),
}
IDENTIFIED = np.array([False, True, True, False, False, True, False, False, False, False, True])


def rows(table=TABLE):
    return LabelledScores.of(
        [score for scores, _ in table.values() for score in scores],
        [right for _, rights in table.values() for right in rights],
        dialogue=[name for name, (scores, _) in table.items() for _ in scores],
        turn=[turn for scores, _ in table.values() for turn in range(1, len(scores) + 1)],
        n_turns=[len(scores) for scores, _ in table.values() for _ in scores],
    )


def summary(result):
    return (
        result.n_answered,
        result.n_right,
        result.questions.value * result.n_dialogues,
        result.n_early_wrong,
        result.n_never,
    )


def test_a_replay_by_hand():
    """At 0.6: a at turn 2, right; b at 1, wrong and early; c never; d at 1, right."""
    result = replay(rows(), DecisionRule(answer_at=0.6, ask_at=0.0), identified=IDENTIFIED)
    assert summary(result) == (3, 2, 1 + 0 + 2 + 0, 1, 1)
    assert result.n_before_identified == 2  # b and d
    interval = result.accuracy.interval
    assert (interval.low, interval.high) == clopper_pearson_bounds(2, 3, 0.95)
    assert result.accuracy.value == 2 / 3
    assert result.right.value == 0.5
    assert result.questions.interval.method == "cluster_bootstrap"


def test_the_interval_of_questions_is_a_bootstrap_over_dialogues():
    """Half of 100 dialogues are asked one question: the mean has a standard error of 0.05."""
    table = {f"d{k}": ([0.9 * (k % 2), 0.9], [1, 1]) for k in range(100)}
    questions = replay(rows(table), DecisionRule(answer_at=0.5, ask_at=0.0)).questions
    assert questions.value == 0.5
    assert questions.interval.low == pytest.approx(0.4, abs=0.02)
    assert questions.interval.high == pytest.approx(0.6, abs=0.02)
    assert questions.interval.n_resamples == 2000
    alone = replay(rows({"a": TABLE["a"]}), DecisionRule(answer_at=0.5, ask_at=0.0))
    assert alone.questions.interval is None


def test_a_turn_that_is_too_unsure_ends_the_dialogue():
    """Below 0.3 the third action follows: a and c at their first turns."""
    result = replay(rows(), DecisionRule(answer_at=0.85, ask_at=0.3))
    assert summary(result) == (2, 1, 0 + 2 + 0 + 1, 0, 2)
    assert result.n_before_identified is None


def test_without_asking_the_first_turn_decides():
    result = replay(rows(), DecisionRule(answer_at=0.75))
    assert summary(result) == (1, 0, 0, 1, 3)


def test_an_answer_may_be_forced_at_the_last_turn():
    result = replay(rows(), DecisionRule(answer_at=0.99, ask_at=0.0), at_end="answer")
    assert summary(result) == (4, 2, 2 + 2 + 2 + 1, 0, 0)


def test_nothing_is_answered_without_a_threshold():
    result = replay(rows(), DecisionRule(answer_at=None, ask_at=0.0))
    assert summary(result) == (0, 0, 7, 0, 4)
    assert isinstance(result.accuracy, Undefined)
    assert result.right.value == 0.0


def test_a_turn_without_a_score_is_passed_over():
    """b has no score at turn 1, and at its last turn neither: it is asked everything."""
    table = LabelledScores.of(
        [None, 0.8, None], [1, 1, 1], dialogue=["b"] * 3, turn=[1, 2, 3], n_turns=[3] * 3
    )
    assert summary(replay(table, DecisionRule(answer_at=0.7, ask_at=0.0))) == (1, 1, 1, 0, 0)
    assert summary(replay(table, DecisionRule(answer_at=0.9, ask_at=0.0))) == (0, 0, 2, 0, 1)


def test_rivals_by_hand():
    results = {
        result.name: summary(result)
        for result in compare_policies(
            rows(), DecisionRule(answer_at=0.6, ask_at=0.0), identified=IDENTIFIED
        )
    }
    assert results == {
        "gate": (3, 2, 3, 1, 1),
        "always the first turn": (4, 1, 0, 2, 0),
        "turn 2": (4, 1, 4, 1, 0),
        "level 0.25": (4, 1, 0, 2, 0),
        "level 0.5": (4, 2, 3, 1, 0),  # of three turns the second, of two the first
        "level 0.75": (4, 2, 7, 0, 0),
        "always the last turn": (4, 2, 7, 0, 0),
        "oracle": (3, 3, 1 + 2 + 2 + 0, 0, 1),
        "ideal: as soon as identified": (3, 2, 1 + 2 + 2 + 1, 0, 1),
    }


def test_single_turns_have_few_rivals():
    table = {name: ([scores[0]], [right[0]]) for name, (scores, right) in TABLE.items()}
    names = [r.name for r in compare_policies(rows(table), DecisionRule(answer_at=0.5))]
    assert names == ["gate", "always the first turn", "oracle"]


def test_the_curve_by_hand():
    curve = policy_curve(rows())
    found = [(p.threshold, p.n, p.y * p.n, p.x * 4) for p in curve.points]
    assert found[:4] == [
        (0.95, 1, 1.0, 7.0),  # b at its last turn
        (0.9, 3, 2.0, 7.0),  # a and d too, d wrongly
        (0.8, 3, 1.0, 5.0),  # b at its first turn, wrongly
        (0.7, 3, 2.0, 4.0),  # d at its first turn, rightly
    ]
    assert found[-1] == (0.1, 4, 1.0, 0.0)
    assert curve.n_turns == 11
    assert all(p.low <= p.y <= p.high for p in curve.points)


def test_held_out_rules_never_see_the_dialogues_they_decide():
    random = np.random.default_rng(0)
    table = {f"d{k}": (random.random(3).tolist(), [1, 0, 1]) for k in range(20)}
    labelled = rows(table)
    seen = []

    def choose_rule(some):
        seen.append(set(some.groups))
        return DecisionRule(answer_at=0.5, ask_at=0.0)

    result = replay_held_out(labelled, choose_rule, folds=4)
    assert [len(groups) for groups in seen] == [15] * 4
    assert set().union(*seen) == set(table)
    assert summary(result) == summary(replay(labelled, DecisionRule(answer_at=0.5, ask_at=0.0)))


def test_held_out_rules_decide_their_own_fold():
    """A rule that answers nothing in one fold leaves that fold unanswered."""
    labelled = rows({f"d{k}": ([0.9, 0.9], [1, 1]) for k in range(12)})
    rules = iter([DecisionRule(answer_at=None), *[DecisionRule(answer_at=0.5)] * 2])
    assert replay_held_out(labelled, lambda _: next(rules), folds=3).n_answered == 8


@pytest.mark.parametrize(
    ("columns", "settings", "message"),
    [
        ({}, {}, "the rows have no turns"),
        ({"turn": [1, 2], "n_turns": [2, 2]}, {"at_end": "guess"}, "'at_end': it is 'guess'"),
        (
            {"turn": [1, 2], "n_turns": [2, 2]},
            {"identified": np.array([True])},
            "'identified': it has 1 rows",
        ),
    ],
)
def test_mistakes(columns, settings, message):
    labelled = LabelledScores.of([0.5, 0.6], [1, 0], dialogue=["a", "a"], **columns)
    with pytest.raises(InputError, match=message):
        replay(labelled, DecisionRule(answer_at=0.5), **settings)
