import numpy as np
import pytest

from turnsure.calibration.drift.actions import (
    ABSTAIN,
    ANSWER,
    ASK,
    ESCALATE,
    actions_of,
    ending_answers,
)
from turnsure.calibration.drift.changes import Measured, change
from turnsure.calibration.gate_parts import GateLimits, GateValidity
from turnsure.core.decision import ACTIONS, DecisionRule
from turnsure.numerics.intervals import wilson_bounds

RULE = DecisionRule(answer_at=0.8, ask_at=0.3)


def rate(passes, runs):
    low, high = wilson_bounds(passes, runs, 0.95)
    return Measured(value=passes / runs, low=low, high=high, n=runs)


@pytest.mark.parametrize(
    ("now", "before", "low", "high"),
    # Newcombe (1998), table II, method 10.
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((0, 10), (0, 20), -0.1611, 0.2775),
    ],
)
def test_two_rates_have_newcombes_interval(now, before, low, high):
    found = change("rate", rate(*before), rate(*now))
    assert found.low == pytest.approx(low, abs=5e-5)
    assert found.high == pytest.approx(high, abs=5e-5)


def test_a_bound_on_the_wrong_side_counts_as_the_number():
    now = Measured(value=0.1, low=0.12, high=0.2, n=9)
    before = Measured(value=0.1, low=0.05, high=0.1, n=9)
    found = change("ece", before, now)
    assert found.low == pytest.approx(0.0)
    assert found.high == pytest.approx(np.hypot(0.1, 0.05))
    assert not found.is_clear


def test_without_evidence_there_is_no_difference():
    found = change("gap", None, rate(3, 9))
    assert (found.difference, found.low, found.is_clear) == (None, None, False)


def test_actions_are_those_of_the_rule():
    probability = np.array([0.0, 0.29, 0.3, 0.79, 0.8, 1.0])
    found = actions_of(RULE, GateLimits(), GateValidity(), probability, None)
    assert [ACTIONS[one] for one in found] == [RULE.action(one) for one in probability.tolist()]


def test_limits_and_measured_turns_count():
    rule = DecisionRule(answer_at=0.8, ask_at=0.3, otherwise="abstain")
    limits, validity = GateLimits(most_turns=2), GateValidity(turns=(1, 3))
    turn = np.array([1, 2, 2, 2, 3, 4])
    probability = np.array([0.5, 0.5, 0.1, 0.9, 0.9, 0.9])
    found = actions_of(rule, limits, validity, probability, turn)
    assert found.tolist() == [ASK, ABSTAIN, ABSTAIN, ANSWER, ANSWER, ESCALATE]


def test_a_gate_without_threshold_answers_nothing():
    found = actions_of(DecisionRule(answer_at=None), GateLimits(), GateValidity(), np.ones(3), None)
    assert found.tolist() == [ESCALATE] * 3


def test_a_dialogue_is_answered_at_its_first_such_turn():
    group, turn = np.array([0, 1, 0, 1, 0]), np.array([3, 1, 2, 2, 1])
    action = np.array([ANSWER, ASK, ANSWER, ANSWER, ASK])
    assert np.flatnonzero(ending_answers(action, group, turn)).tolist() == [2, 3]


@pytest.mark.parametrize("end", [ESCALATE, ABSTAIN])
def test_a_dialogue_that_was_handed_over_gets_no_later_answer(end):
    group, turn = np.array([0, 0, 0, 1]), np.array([1, 2, 3, 1])
    action = np.array([ASK, end, ANSWER, ANSWER])
    assert np.flatnonzero(ending_answers(action, group, turn)).tolist() == [3]
