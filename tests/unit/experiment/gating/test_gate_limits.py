"""What holds whatever the score, and outside of the evidence."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from tests.support.gates import SURE, changed, fixed
from turnsure import Gate
from turnsure.core.decision import DecisionRule
from turnsure.core.errors import (
    InputError,
)
from turnsure.core.outcome import Failure
from turnsure.experiment.gating.files import read_gate


async def test_what_was_not_measured_escalates(raw):
    backend = fixed(0.99)
    gate = Gate.load(raw, backend)
    clue = SURE[1]
    for messages, known, reason in (
        ([SURE[0], clue, clue, clue, clue], {}, "turn 4 was not measured"),
        ([{"role": "system", "content": "Name the city."}, clue], {}, "task is not the one"),
        ([SURE[0], {"role": "user", "content": "x" * 5000}], {}, "characters are more"),
        (SURE, {"slices": {"language": "fr"}}, "language 'fr' was not measured"),
        (SURE, {"slices": {"planet": "Mars"}}, "planet 'Mars' was not measured"),
    ):
        decision = await gate.decide(messages, "Peru", **known)
        assert decision.action == "escalate"
        assert reason in decision.reasons[0]
    assert backend.asked == []
    assert (await gate.decide(SURE, "Peru", slices={"language": "es"})).action == "answer"


async def test_an_irreversible_act_needs_approval_whatever_the_score(raw, tmp_path):
    gate = Gate.load(raw, fixed(1.0))
    decision = await gate.decide(SURE, "Peru", irreversible=True)
    assert decision.action == "escalate"
    assert decision.probability == 1.0
    assert "cannot be undone" in decision.reasons[0]
    limits = replace(read_gate(raw).limits, irreversible=("refund",))
    gate = Gate.load(changed(raw, tmp_path, limits=limits), fixed(1.0))
    assert (await gate.decide(SURE, "Peru", act="refund")).action == "escalate"
    assert (await gate.decide(SURE, "Peru", act="greet")).action == "answer"


async def test_an_irreversible_act_is_not_abstained_from_either(raw, tmp_path):
    path = changed(raw, tmp_path, rule=DecisionRule(answer_at=0.8, otherwise="abstain"))
    decision = await Gate.load(path, fixed(0.1)).decide(SURE, "Peru", irreversible=True)
    assert decision.action == "escalate"


async def test_asking_ends_at_the_turn_limit_or_when_told(raw, tmp_path):
    limits = replace(read_gate(raw).limits, most_turns=2)
    gate = Gate.load(changed(raw, tmp_path, limits=limits), fixed(0.5))
    assert (await gate.decide(SURE, "Peru")).action == "ask"
    assert (await gate.decide([*SURE, SURE[1]], "Peru")).action == "escalate"
    assert (await gate.decide(SURE, "Peru", may_ask=False)).action == "escalate"


async def test_an_expired_gate_answers_nothing(raw, tmp_path):
    limits = replace(read_gate(raw).limits, expires="2026-03-01")
    path = changed(raw, tmp_path, limits=limits)
    for day, action in ((1, "answer"), (2, "escalate")):
        gate = Gate.load(path, fixed(0.9), today=lambda day=day: datetime.date(2026, 3, day))
        assert (await gate.decide(SURE, "Peru")).action == action


def test_scores_made_elsewhere(raw):
    gate = Gate.load(raw)
    assert gate.decide_score(0.85, turn=2).action == "answer"
    assert gate.decide_score(0.85, turn=9).action == "escalate"
    assert gate.decide_score(0.85, irreversible=True).action == "escalate"
    missing = Failure(stage="confidence", kind="unparsable", message="no number")
    assert gate.decide_score(missing).action == "escalate"


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan"), True])
def test_a_score_that_is_none_is_refused(raw, score):
    with pytest.raises(InputError) as caught:
        Gate.load(raw).decide_score(score)
    assert caught.value.field == "score"
