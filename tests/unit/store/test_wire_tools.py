"""Tools in requests and replies: kept, and older keys stay what they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.errors import InputError
from turnsure.core.generation import Generation, GenerationRequest, Tool
from turnsure.store.wire import dump_generation, load_generation, request_body, request_key

FIND = Tool(name="find", description="Finds.", parameters='{"type": "object"}')
PLAIN = GenerationRequest(messages=(Message(role="user", content="Hi"),), max_tokens=5)
CALLING = Message(
    role="assistant", content="", tool_calls=(ToolCall(id="1", name="find", arguments="{}"),)
)


def test_what_holds_no_tools_keeps_its_form():
    called = replace(PLAIN, messages=(CALLING, Message(role="tool", content="[]")))
    assert "tools" not in request_body(PLAIN)
    assert request_body(called)["messages"] == [
        ["assistant", "", [["1", "find", "{}"]]],
        ["tool", "[]"],
    ]
    assert "tool_calls" not in dump_generation(Generation(texts=("Hi",), finish_reasons=("stop",)))


@pytest.mark.parametrize(
    "tools",
    [
        (FIND,),
        (FIND, replace(FIND, name="book")),
        (replace(FIND, description="Looks."),),
        (replace(FIND, parameters="{}"),),
    ],
)
def test_tools_are_part_of_the_question(tools):
    other = request_key("m", replace(PLAIN, tools=(replace(FIND, name="x"),)))
    keys = {request_key("m", replace(PLAIN, tools=tools)), request_key("m", PLAIN), other}
    assert len(keys) == 3


def test_which_call_a_result_answers_is_part_of_the_question():
    keys = {
        request_key(
            "m", replace(PLAIN, messages=(Message(role="tool", content="x", tool_call_id=id_),))
        )
        for id_ in (None, "1", "2")
    }
    assert len(keys) == 3


def test_calls_come_back():
    generation = Generation(
        texts=("",),
        finish_reasons=("stop",),
        tool_calls=(ToolCall(id="1", name="find", arguments='{"é": 1}'),),
    )
    assert load_generation(dump_generation(generation)) == generation


@pytest.mark.parametrize("change", [{"n": 2}, {"labels": ("A", "B")}, {"embed": True}])
def test_tools_go_with_one_text_alone(change):
    with pytest.raises(InputError, match="tools"):
        replace(PLAIN, tools=(FIND,), **change)
