"""Settings and rows that cannot be used."""

from __future__ import annotations

import math

import pytest

from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.costs import Costs, optimal_rule
from turnsure.calibration.thresholds.risk import RiskTarget
from turnsure.calibration.thresholds.steps import steps_of
from turnsure.core.errors import InputError


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"error": 0.0}, "'error': it is 0.0"),
        ({"error": 1.0}, "'error'"),
        ({"error": math.nan}, "'error'"),
        ({"error": 0.1, "confidence": 95}, "'confidence': it is 95"),
        ({"error": 0.1, "confidence": 1 - 1e-16}, "'confidence': .*as good as 1"),
        ({"error": 0.1, "confidence": 1e-17}, "'confidence': .*as good as 0"),
        ({"error": 0.1, "method": "magic"}, "'method': it is 'magic'"),
        ({"error": 0.1, "unit": "turn"}, "'unit': it is 'turn'"),
        ({"error": 0.1, "grid": ()}, "'grid'"),
        ({"error": 0.1, "grid": (0.5, math.nan)}, "'grid'"),
        ({"error": 0.1, "starts": (1.5,)}, "'starts'"),
        ({"error": 0.1, "starts": (0.5,), "method": "bonferroni"}, "'starts': it stands alone"),
    ],
)
def test_targets(settings, message):
    with pytest.raises(InputError, match=message):
        RiskTarget(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"wrong_answer": 0}, "'wrong_answer': a wrong answer costs nothing"),
        ({"wrong_answer": math.inf}, "'wrong_answer': it is inf"),
        ({"wrong_answer": 1, "review": -1}, "'review': it is -1"),
        ({"wrong_answer": 1, "question": math.nan}, "'question': it is nan"),
        ({"wrong_answer": 1, "vain_question": 1}, "'vain_question': it is 1"),
    ],
)
def test_costs(settings, message):
    with pytest.raises(InputError, match=message):
        Costs(**settings)


def test_asking_only_at_the_lowest_probabilities_is_no_rule():
    """Ask 1 + 6p, review 2: asking is cheaper below 1/6, and reviews from there to the answers."""
    with pytest.raises(InputError, match=r"asking would pay below a probability of 0\.1667"):
        optimal_rule(Costs(wrong_answer=10, question=1, needless_question=6, review=2))


def test_questions_without_a_cost_cannot_be_priced():
    with pytest.raises(InputError, match="'question': questions have no cost"):
        Costs(wrong_answer=1).of("ask")


def test_dialogues_need_turns():
    with pytest.raises(InputError, match="'turn': the rows have no turns"):
        steps_of(LabelledScores.of([0.5], [1]), "dialogue")


def test_a_turn_that_is_there_twice():
    rows = LabelledScores.of(
        [0.5, 0.6, 0.7], [1, 1, 1], dialogue=["a", "b", "b"], turn=[1, 2, 2], n_turns=[2, 2, 2]
    )
    with pytest.raises(InputError, match="dialogue 'b' has turn 2 twice"):
        steps_of(rows, "dialogue")
