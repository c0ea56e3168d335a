"""Thresholds by hand and from exact fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import comb

import numpy as np
import pytest

from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.cheapest import cheapest_rule, cost_of
from turnsure.calibration.thresholds.conformal import conformal_evidence
from turnsure.calibration.thresholds.costs import Costs, optimal_rule
from turnsure.calibration.thresholds.needed import labels_needed
from turnsure.calibration.thresholds.risk import RiskTarget, candidates, evidence, last, naive
from turnsure.calibration.thresholds.steps import steps_of
from turnsure.calibration.thresholds.targets import judge_of, needed_for
from turnsure.core.decision import DecisionRule
from turnsure.numerics.binomial import least_trials

TENTHS = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]


def chosen(target, scores, correct, unit="row", **columns):
    steps = steps_of(LabelledScores.of(scores, correct, **columns), unit)
    thresholds = candidates(steps, target)
    judge = judge_of(target, thresholds, n_units=steps.n_units, n_most=steps.n_units)
    place = int(last(judge(steps.counts(thresholds)))[0])
    return None if place < 0 else float(thresholds[place])


def test_the_p_value_is_an_exact_sum():
    """2 wrong of 12 answered at 25 %."""
    rows = LabelledScores.of([0.9] * 12 + [0.1] * 3, [1] * 10 + [0] * 5)
    found = evidence(steps_of(rows, "row"), 0.5, confidence=0.9, error=0.25)
    exact = sum(comb(12, j) * Fraction(1, 4) ** j * Fraction(3, 4) ** (12 - j) for j in range(3))
    assert (found.n, found.n_answered, found.n_wrong) == (15, 12, 2)
    assert found.p_value == pytest.approx(float(exact), rel=1e-13)
    assert found.coverage == 0.8
    assert found.error == 2 / 12


def test_the_bound_without_a_wrong_answer():
    rows = LabelledScores.of([0.9] * 30, [1] * 30)
    found = evidence(steps_of(rows, "row"), 0.9, confidence=0.95)
    assert found.upper_bound == pytest.approx(1 - 0.05 ** (1 / 30), rel=1e-13)
    assert found.p_value is None


# ε = ½, δ = ¼: 0, 1, 2 wrong ones pass from 2, 5, 7 answered on (1/4; 6/32; 29/128).
HALF = RiskTarget(error=0.5, confidence=0.75)


@pytest.mark.parametrize(
    ("correct", "expected"),
    [
        ([1, 1, 0, 1, 1, 1, 0, 0], 0.8),  # 3 answered and 1 wrong ends the walk
        ([1, 1, 1, 1, 0, 0, 1, 1], 0.5),  # 5 and 1 passes, 6 and 2 does not, 7 and 2 comes too late
        ([1, 1, 1, 1, 0, 1, 0, 1], 0.2),
        ([1, 0, 1, 1, 1, 1, 1, 1], None),  # the walk begins with 2 answered
    ],
)
def test_a_walk_by_hand(correct, expected):
    assert chosen(HALF, TENTHS, correct) == expected


def test_with_enough_rows_the_walk_begins_where_one_error_is_allowed():
    """Ten rows are twice the five of which one may be wrong."""
    scores = [0.99, 0.95, *TENTHS]
    assert chosen(HALF, scores, [0, 1, 1, 1, 1, 0, 0, 0, 0, 0]) == 0.7
    assert chosen(HALF, scores, [0, 1, 1, 1, 0, 1, 1, 1, 1, 1]) is None


def test_several_starts_share_the_level():
    """At 1/8 a start, 0 and 1 wrong ones pass from 3 and 6 answered on (1/8; 7/64)."""
    correct = [0, 1, 1, 1, 1, 1, 1, 1]
    target = RiskTarget(error=0.5, confidence=0.75, starts=(0.8, 0.4))
    assert chosen(target, TENTHS, correct) == 0.2
    assert chosen(RiskTarget(error=0.5, confidence=0.75, starts=(0.8,)), TENTHS, correct) is None
    wide = [1, 1, 1, 0, 0, 0, 0, 0]
    assert chosen(RiskTarget(error=0.5, confidence=0.75, starts=(0.7, 0.3)), TENTHS, wide) == 0.7


def test_bonferroni_by_hand():
    """Two tests at 1/8: 3 without an error, 6 with one.  The higher threshold may fail."""
    target = RiskTarget(error=0.5, confidence=0.75, method="bonferroni", grid=(0.75, 0.35))
    assert chosen(target, TENTHS, [1, 0, 1, 1, 1, 1, 0, 0]) == 0.35
    assert chosen(target, TENTHS, [1, 0, 0, 1, 1, 1, 0, 0]) is None


def test_a_dialogue_counts_the_turn_at_which_it_is_answered():
    """Below 0.6 the dialogue is answered at its first turn, wrongly; above at its second."""
    columns = {"dialogue": ["a", "a", "a"], "turn": [1, 2, 3], "n_turns": [3, 3, 3]}
    rows = LabelledScores.of([0.6, 0.8, 0.7], [0, 1, 0], **columns)
    counts = steps_of(rows, "dialogue").counts(np.array([0.9, 0.8, 0.7, 0.6, 0.5]))
    assert counts.answered.tolist() == [[0, 1, 1, 1, 1]]
    assert counts.wrong.tolist() == [[0, 0, 0, 1, 1]]


@pytest.mark.parametrize(
    ("alpha", "infimum", "threshold"),
    [
        (0.3, 0.3, 0.4),  # (W + 1) / 10 ≤ 0.3 allows two wrong ones; the third scores 0.3
        (0.1, 0.7, 0.8),  # none
        (0.09, None, None),  # 1 / 10 > 0.09
        (0.4, 0.0, 0.2),  # all three
    ],
)
def test_conformal_risk_control_by_hand(alpha, infimum, threshold):
    scores = [0.95, *TENTHS]
    correct = [1, 1, 1, 0, 1, 0, 1, 0, 1]
    steps = steps_of(LabelledScores.of(scores, correct), "row")
    found = conformal_evidence(steps, steps.thresholds(), alpha)
    assert (found.infimum, found.threshold) == (infimum, threshold)


def test_conformal_risk_control_of_a_loss_that_is_not_monotone():
    """Answered rightly at 0.5 and wrongly at 0.7: for thresholds up to 0.7 it counts as wrong."""
    dialogue = [0, 0, 1, 2, 3, 4]
    rows = LabelledScores.of(
        [0.5, 0.7, 0.9, 0.9, 0.9, 0.9],
        [1, 0, 1, 1, 1, 1],
        dialogue=dialogue,
        turn=[1, 2, 1, 1, 1, 1],
        n_turns=[2, 2, 1, 1, 1, 1],
    )
    steps = steps_of(rows, "dialogue")
    counts = steps.counts(steps.thresholds())
    assert counts.wrong.tolist() == [[0, 1, 0]]
    assert counts.ever_wrong.tolist() == [[0, 1, 1]]
    found = conformal_evidence(steps, steps.thresholds(), 0.2)
    assert (found.infimum, found.threshold, found.corrected_risk) == (0.7, 0.9, 1 / 6)


def test_the_naive_threshold_is_the_lowest_that_looks_good():
    steps = steps_of(LabelledScores.of(TENTHS, [1, 0, 1, 1, 1, 0, 0, 0]), "row")
    thresholds = steps.thresholds()
    place = last(naive(0.2)(steps.counts(thresholds)))[0]
    assert thresholds[place] == 0.5  # 1 of 5


@pytest.mark.parametrize(
    ("correct", "n_answered", "n", "n_more"),
    [
        (20, 20, 40, 78),  # 59 answered without an error, at half the coverage 118 units
        (39, 40, 40, 194),  # 6 of 234, since ⌈234 / 40⌉ = 6 and 208 may hold 5 only
    ],
)
def test_labels_needed_by_hand(correct, n_answered, n, n_more):
    scores = [0.9] * n_answered + [0.1] * (n - n_answered)
    rows = LabelledScores.of(scores, [1] * correct + [0] * (n - correct))
    steps = steps_of(rows, "row")
    least = partial(least_trials, 0.05, 0.05)
    assert labels_needed(steps, steps.thresholds(), least, error=0.05).n_more == n_more


def test_no_number_of_labels_helps_a_score_that_is_wrong_too_often():
    steps = steps_of(LabelledScores.of([0.9] * 10, [1] * 9 + [0]), "row")
    needed = needed_for(RiskTarget(error=0.05), steps, steps.thresholds())
    assert needed.n_more is None
    assert needed.reason.startswith("No number of labels would do")


def test_chow():
    """Answer when p ≥ 1 − review / wrong answer."""
    rule = optimal_rule(Costs(wrong_answer=10, review=3))
    assert rule == DecisionRule(answer_at=0.7, otherwise="escalate")


def test_three_actions_by_hand():
    """Answer 8(1 − p), ask 1 + 3(1 − p), escalate 3: crossings 1 − 1/5 and 1 − 2/3."""
    rule = optimal_rule(Costs(wrong_answer=8, question=1, vain_question=3, review=3))
    assert rule.answer_at == pytest.approx(0.8, rel=1e-15)
    assert rule.ask_at == pytest.approx(1 / 3, rel=1e-15)


def test_abstaining_by_hand():
    """Answer 0.5 + 6(1 − p), abstain 4p: 6.5 = 10 p."""
    rule = optimal_rule(Costs(wrong_answer=6, answer=0.5, missed_answer=4), "abstain")
    assert rule == DecisionRule(answer_at=0.65, otherwise="abstain")


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        (Costs(wrong_answer=1, review=2), (0.0, None)),  # a review costs more than any mistake
        (Costs(wrong_answer=4, answer=2, review=1), (None, None)),  # and here less than answering
        (Costs(wrong_answer=4, question=1, review=2), (0.75, 0.0)),
        (Costs(wrong_answer=4, question=3, review=2), (0.5, None)),
    ],
)
def test_actions_that_never_pay(costs, expected):
    rule = optimal_rule(costs)
    assert (rule.answer_at, rule.ask_at) == expected


def test_the_cheapest_rule_by_hand():
    """Wrong 4, review 1: answering 0.9 and 0.8 costs 0, then 0.7 and 0.6 cost 4 instead of 2."""
    rows = LabelledScores.of([0.9, 0.8, 0.7, 0.6, 0.5], [1, 1, 0, 1, 0])
    found = cheapest_rule(rows, Costs(wrong_answer=4, review=1))
    assert found.rule == DecisionRule(answer_at=0.8)
    assert found.mean_cost == 3 / 5
    assert (found.n_answered, found.n_asked, found.n_otherwise) == (2, 0, 3)


def test_the_cost_of_a_rule_by_hand():
    costs = Costs(wrong_answer=5, answer=0.5, question=1, needless_question=2, needless_review=3)
    rows = LabelledScores.of([0.9, 0.9, 0.5, 0.4, 0.1], [1, 0, 1, 0, 1])
    rule = DecisionRule(answer_at=0.8, ask_at=0.4)
    assert cost_of(rows, rule, costs).mean_cost == (0.5 + 5.5 + 3 + 1 + 3) / 5
