"""Decisions of a gate in front of a model."""

from __future__ import annotations

import asyncio

import pytest

from tests.support import gates
from tests.support.gates import SURE, changed, fixed
from turnsure import Gate
from turnsure.core.decision import DecisionRule
from turnsure.core.errors import (
    BackendUnavailable,
    RateLimited,
)
from turnsure.core.outcome import Failure
from turnsure.experiment.gating.conversation import messages_of
from turnsure.experiment.gating.files import write_gate
from turnsure.models.scripted import ScriptedBackend
from turnsure.store.turns_file import read_turns


async def test_it_answers_asks_and_escalates(raw):
    for score, action in ((0.9, "answer"), (0.8, "answer"), (0.5, "ask"), (0.1, "escalate")):
        decision = await Gate.load(raw, fixed(score)).decide(SURE, "Peru")
        assert (decision.action, decision.score) == (action, pytest.approx(score))
        assert decision.probability == decision.score
        assert decision.failure is None
        assert decision.turn == 1
        assert decision.reasons


async def test_otherwise_may_be_to_abstain(raw, tmp_path):
    path = changed(raw, tmp_path, rule=DecisionRule(answer_at=0.8, otherwise="abstain"))
    assert (await Gate.load(path, fixed(0.5)).decide(SURE, "Peru")).action == "abstain"


async def test_a_gate_whose_target_was_not_met_answers_nothing(raw, tmp_path):
    path = changed(raw, tmp_path, rule=DecisionRule(answer_at=None))
    decision = await Gate.load(path, fixed(1.0)).decide(SURE, "Peru")
    assert decision.action == "escalate"
    assert "never answers" in decision.reasons[0]


async def test_one_decision_costs_what_the_method_asks_and_touches_no_file(made, monkeypatch):
    backend = gates.scripted()
    gate = Gate.load(made, backend)
    await gate.decide(SURE, "Peru")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a decision opened a file")

    backend.asked.clear()
    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr("io.open", refuse)
    decision = await gate.decide(SURE, "Peru")
    assert len(backend.asked) == 1
    assert decision.cost.calls == 1
    assert decision.cost.seconds >= 0.0


async def test_the_gate_asks_exactly_what_the_run_asked(tmp_path):
    """A replayed dialogue stream gets the run's own scores from the run's own prompts."""
    run, measured_with = await asyncio.to_thread(gates.run, tmp_path)
    path = tmp_path / "gate.json"
    write_gate(gates.built(run), path)
    prompts = {one.messages for one in measured_with.asked if one.labels is not None}
    table, _ = read_turns(run / "turns.parquet")
    rows = {
        (row.dialogue, row.turn): row for row in table.select(target="answer", method="p_true").rows
    }
    backend = gates.scripted()
    gate = Gate.load(path, backend)
    for dialogue in gates.dialogues():
        for turn in range(1, dialogue.n_turns + 1):
            row = rows[dialogue.id, turn]
            decision = await gate.decide(
                messages_of(dialogue.prefix(turn)), row.answer, dialogue=dialogue.id
            )
            assert decision.score == row.confidence.value
            assert decision.turn == turn
    assert len(backend.asked) == len(rows)
    assert {one.messages for one in backend.asked} <= prompts


@pytest.mark.parametrize("style", ["transcript", "chat"])
async def test_both_renderings_are_kept(tmp_path, style):
    run, _ = await asyncio.to_thread(gates.run, tmp_path, render=style, given=gates.dialogues(8))
    path = tmp_path / "gate.json"
    write_gate(gates.built(run, map="identity"), path)
    backend = gates.scripted()
    dialogue = gates.dialogues(1)[0]
    await Gate.load(path, backend).decide(messages_of(dialogue.prefix(2)), "Peru")
    assert len(backend.asked[0].messages) == (1 if style == "transcript" else 5)


@pytest.mark.parametrize(
    "error", [BackendUnavailable("down"), RateLimited("slow down", retry_after=9.0)]
)
async def test_a_model_that_fails_is_never_an_answer(raw, error):
    decision = await Gate.load(raw, fixed(error)).decide(SURE, "Peru")
    assert decision.action == "escalate"
    assert (decision.score, decision.probability) == (None, None)
    assert decision.failure is not None
    assert decision.failure.kind == error.kind
    assert decision.cost.calls >= 1


async def test_a_model_that_cannot_be_reached_is_never_an_answer(raw):
    class Away(ScriptedBackend):
        async def start(self) -> None:
            raise BackendUnavailable("nobody there")

    backend = Away(reply=lambda _: {"A": 1.0, "B": 0.0})
    gate = Gate.load(raw, backend)
    decision = await gate.decide(SURE, "Peru")
    assert (decision.action, decision.cost.calls, backend.asked) == ("escalate", 0, [])
    assert decision.failure is not None
    assert decision.failure.kind == "unavailable"


async def test_a_hiccup_is_asked_again_once(raw):
    replies = iter([BackendUnavailable("hiccup"), {"A": 0.9, "B": 0.1}])
    decision = await Gate.load(raw, ScriptedBackend(reply=lambda _: next(replies))).decide(
        SURE, "Peru"
    )
    assert (decision.action, decision.cost.calls) == ("answer", 2)


async def test_labels_that_are_absent_escalate(raw):
    decision = await Gate.load(raw, ScriptedBackend(reply=lambda _: {"A": 0.0, "B": 0.0})).decide(
        SURE, "Peru"
    )
    assert decision.action == "escalate"
    assert decision.failure is not None
    assert decision.failure.kind == "labels_absent"


@pytest.mark.parametrize("answer", ["", "  ", Failure(stage="answer", kind="x", message="none")])
async def test_without_an_answer_nothing_is_asked(raw, answer):
    backend = fixed(0.9)
    decision = await Gate.load(raw, backend).decide(SURE, answer)
    assert (decision.action, backend.asked) == ("escalate", [])


async def test_conversations_that_no_run_could_have_measured_escalate(raw):
    backend = fixed(0.99)
    decision = await Gate.load(raw, backend).decide(SURE[:1], "Peru")
    assert (decision.action, backend.asked) == ("escalate", [])
    assert "not the user's" in decision.reasons[0]


async def test_many_decisions_at_once_keep_their_own_scores(raw):
    gate = Gate.load(raw, gates.scripted())
    conversations = [messages_of(one.prefix(2)) for one in gates.dialogues(30, prefix="e")]
    at_once = await asyncio.gather(*(gate.decide(one, "Peru") for one in conversations))
    in_turn = [await gate.decide(one, "Peru") for one in conversations]
    assert [one.score for one in at_once] == [one.score for one in in_turn]
    assert len({one.score for one in at_once}) == len(conversations)


async def test_reading_an_answer_as_the_run_read_it(raw):
    gate = Gate.load(raw, fixed(0.9))
    assert gate.read(r"I think \boxed{Peru}") == "Peru"
    assert isinstance(gate.read(r"\boxed{answer}"), Failure)
