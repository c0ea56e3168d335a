"""Tools over the OpenAI interface."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.http_server import DoubleServer, changed
from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.errors import MalformedResponse
from turnsure.core.generation import GenerationRequest, Tool
from turnsure.models.openai_endpoint import OpenAIEndpoint
from turnsure.models.openai_replies import read_texts
from turnsure.models.openai_wire import Style, text_body

FIND = Tool(name="find", description="Finds.", parameters='{"type": "object", "properties": {}}')
USER = Message(role="user", content="A flat?")
CALL = ToolCall(id="call_a", name="find", arguments='{"area": "Baner"}')
WIRE_CALL = {
    "id": "call_a",
    "type": "function",
    "function": {"name": "find", "arguments": '{"area": "Baner"}'},
}


def body_of(*messages: Message, tools: tuple[Tool, ...] = (FIND,)) -> dict[str, Any]:
    request = GenerationRequest(messages=messages, max_tokens=9, tools=tools)
    return text_body(Style(model="m", dialect="openai"), request, first=0, n=1)


def answer(*calls: Any, content: Any = None) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "tool_calls": list(calls)}
    return {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}


def test_tools_are_sent_where_there_are_any():
    assert body_of(USER)["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "find",
                "description": "Finds.",
                "parameters": {"type": "object", "properties": {}},
            },
        }
    ]
    assert "tools" not in body_of(USER, tools=())
    bare = body_of(USER, tools=(Tool(name="now"),))["tools"][0]["function"]
    assert bare == {"name": "now", "parameters": {"type": "object"}}


def test_results_name_the_call_that_they_answer():
    other = ToolCall(id="call_b", name="find", arguments="{}")
    said = Message(role="assistant", content="", tool_calls=(CALL, other))
    second = Message(role="tool", content="2", tool_call_id="call_b")
    first = Message(role="tool", content="1", tool_call_id="call_a")
    written = body_of(USER, said, second, first)["messages"]
    assert [one.get("tool_call_id") for one in written[2:]] == ["call_b", "call_a"]
    unnamed = body_of(USER, said, Message(role="tool", content="1"))["messages"]
    assert unnamed[2]["tool_call_id"] == "call_a"


def test_calls_are_read():
    generation = read_texts(answer(WIRE_CALL), n=1, seconds=0.0)
    assert generation.tool_calls == (CALL,)
    assert (generation.texts, generation.finish_reasons) == (("",), ("stop",))
    assert read_texts(answer(content="Hi"), n=1, seconds=0.0).tool_calls == ()


@pytest.mark.parametrize(
    ("function", "arguments"),
    [({"arguments": {"a": 1}}, '{"a": 1}'), ({"arguments": None}, "{}"), ({}, "{}")],
)
def test_servers_that_write_calls_in_their_own_way(function, arguments):
    call = {"function": {"name": "find", **function}}
    [read] = read_texts(answer(call), n=1, seconds=0.0).tool_calls
    assert read == ToolCall(id="call_0", name="find", arguments=arguments)


@pytest.mark.parametrize("call", [{}, {"function": {}}, {"function": {"name": ""}}, "find"])
def test_a_call_without_a_name_cannot_be_read(call):
    with pytest.raises(MalformedResponse, match="names no function"):
        read_texts(answer(call), n=1, seconds=0.0)


async def test_a_call_comes_through_an_endpoint():
    async with DoubleServer(takes=frozenset({"tools"})) as server:
        backend = OpenAIEndpoint("tiny", server.base_url)
        await backend.start()
        assert backend.capabilities.tools
        server.then(
            changed(lambda body: body["choices"][0]["message"].update(tool_calls=[WIRE_CALL]))
        )
        async with backend.session("d") as session:
            request = GenerationRequest(messages=(USER,), max_tokens=9, tools=(FIND,))
            generation = await session.generate(request)
        await backend.close()
    assert generation.tool_calls == (CALL,)
    assert server.asked[-1]["tools"][0]["function"]["name"] == "find"
