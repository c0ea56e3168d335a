"""A model as the assistant: the loop of tool calls and their frozen results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.support.flows import drive, texts
from tests.support.suites import run_of, scenario
from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.errors import CapabilityError, InputError
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Reply
from turnsure.core.scenario import Limits
from turnsure.models.scripted import ALL_CAPABLE, ScriptedBackend
from turnsure.scenarios.assistants.model import ModelAssistant
from turnsure.scenarios.seams import AssistantReply, Fault

ASKED = (Message(role="user", content="A flat in Baner?"),)
FLATS = [{"id": "B1", "area": "Baner"}, {"id": "W1", "area": "Wakad"}]
GIVEN = scenario(
    fixtures={"flats": FLATS},
    tools={"find": {"description": "Finds flats.", "table": "flats"}},
)


def assistant(*, tools: bool = True, **settings) -> ModelAssistant:
    backend = ScriptedBackend(lambda request: "", capabilities=replace(ALL_CAPABLE, tools=tools))
    return ModelAssistant(backend=backend, **settings)


def calling(*calls: tuple[str, str], text: str = "") -> Generation:
    made = tuple(
        ToolCall(id=f"c{place}", name=name, arguments=written)
        for place, (name, written) in enumerate(calls)
    )
    return Generation(texts=(text,), finish_reasons=("stop",), tool_calls=made)


def turn(
    *replies: Reply, of: ModelAssistant | None = None, given=GIVEN, run=None
) -> tuple[AssistantReply | Fault, Sequence[GenerationRequest]]:
    line = iter(replies)
    flow = (of or assistant()).turn(ASKED, turn=1, run=run or run_of(given))
    return drive(flow, lambda request: next(line))


def test_results_of_calls_go_back_to_the_model_until_it_speaks():
    call = ("find", '{"area": "Baner"}')
    reply, asked = turn(calling(call, text="Let me see."), texts("B1 is free."))
    assert [one.role for one in reply.messages] == ["assistant", "tool", "assistant"]
    assert json.loads(reply.messages[1].content) == [FLATS[0]]
    assert reply.messages[1].tool_call_id == "c0"
    assert asked[1].messages == (*ASKED, *reply.messages[:2])
    assert [tool.name for tool in asked[0].tools] == ["find"]
    assert [one.role for one in asked] == ["subject", "subject"]


def test_a_call_that_nothing_serves_is_answered_by_an_error_and_kept():
    run = run_of(GIVEN)
    reply, _ = turn(calling(("book", "{}"), ("find", "oops")), texts("Sorry."), run=run)
    results = [json.loads(one.content)["error"] for one in reply.messages if one.role == "tool"]
    assert "no tool 'book'" in results[0]
    assert "no JSON object" in results[1]
    assert [one.partition("(")[0] for one in run.tools.take_unserved()] == ["book", "find"]


def test_calls_without_end_are_a_fault():
    given = replace(GIVEN, limits=Limits(tool_calls=2))
    fault, asked = turn(*[calling(("find", "{}"))] * 3, given=given)
    assert isinstance(fault, Fault)
    assert "calls tools 3 times in one turn, and 2 times are allowed" in fault.problem
    assert len(asked) == 3
    assert len(fault.messages) == 5


@pytest.mark.parametrize(
    ("kind", "is_infrastructure"),
    [
        ("unavailable", True),
        ("rate_limited", True),
        ("timeout", True),
        ("context_overflow", False),
        ("rejected", False),
        ("malformed_response", False),
    ],
)
def test_a_failed_request_says_whose_fault_it_is(kind, is_infrastructure):
    failure = Failure(stage="generation", kind=kind, message="it went wrong")
    fault, _ = turn(calling(("find", "{}")), failure)
    assert isinstance(fault, Fault)
    assert fault.is_infrastructure is is_infrastructure
    assert "it went wrong" in fault.problem
    assert len(fault.messages) == 2


@pytest.mark.parametrize("reply", [texts(""), texts("  \n"), Generation()])
def test_a_reply_without_a_word_is_a_fault(reply):
    fault, _ = turn(reply)
    assert isinstance(fault, Fault)
    assert "without a word" in fault.problem


def test_the_system_message_and_the_seeds_of_runs():
    told = assistant(system="Be brief.", temperature=0.5, max_tokens=9)
    _, [one] = turn(texts("Hi"), of=told)
    assert one.messages[0] == Message(role="system", content="Be brief.")
    assert (one.temperature, one.max_tokens) == (0.5, 9)
    _, [other] = turn(texts("Hi"), of=told, run=run_of(GIVEN, replicate=1))
    assert (one.replicate, other.replicate) == (0, 16)
    assert one.seed != other.seed
    assert told.fingerprint != assistant().fingerprint


def test_a_model_without_tools_is_refused_before_anything_is_asked():
    with pytest.raises(CapabilityError, match="tools"):
        assistant(tools=False).check(GIVEN)
    assistant(tools=False).check(scenario())
    assistant().check(GIVEN)


@pytest.mark.parametrize("setting", [{"temperature": -1.0}, {"max_tokens": 0}])
def test_settings_are_checked(setting):
    with pytest.raises(InputError, match=next(iter(setting))):
        assistant(**setting)
