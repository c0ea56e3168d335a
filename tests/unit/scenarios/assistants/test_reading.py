"""What functions and webhooks may give back."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.errors import InputError
from turnsure.scenarios.assistants.reading import json_copy, read_reply

HI = Message(role="assistant", content="Hi")
CALL = ToolCall(id="call_0", name="find", arguments='{"area": "Baner"}')
CALLED = (
    Message(role="assistant", content="", tool_calls=(CALL,)),
    Message(role="tool", content='["B1"]', tool_call_id="call_0"),
    HI,
)
PLAIN_CALL = {"name": "find", "arguments": {"area": "Baner"}, "result": ["B1"]}
OPENAI_CALL = {
    "id": "call_0",
    "type": "function",
    "function": {"name": "find", "arguments": '{"area": "Baner"}'},
}


@pytest.mark.parametrize(
    ("given", "messages"),
    [
        ("Hi", (HI,)),
        (HI, (HI,)),
        ([HI], (HI,)),
        (["Hi"], (HI,)),
        ({"content": "Hi"}, (HI,)),
        ({"role": "assistant", "content": "Hi"}, (HI,)),
        ([{"role": "assistant", "content": "Hi"}], (HI,)),
        ([{"content": "Hi"}], (HI,)),
        ({"messages": [{"content": "Hi"}]}, (HI,)),
        ({"content": "Hi", "tool_calls": [PLAIN_CALL]}, CALLED),
        (
            [
                {"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]},
                {"role": "tool", "tool_call_id": "call_0", "content": '["B1"]'},
                {"role": "assistant", "content": "Hi"},
            ],
            CALLED,
        ),
        (list(CALLED), CALLED),
    ],
)
def test_what_is_taken(given, messages):
    reply = read_reply(given)
    assert (reply.messages, reply.items) == (messages, ())


def test_items_are_copied():
    item = {"id": "B1", "rent": 24000}
    reply = read_reply({"content": "Hi", "items": [item]})
    item["rent"] = 0
    assert reply.items == ({"id": "B1", "rent": 24000},)
    assert read_reply({"items": [item]}).items[0]["id"] == "B1"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "nothing (None)"),
        (3, "an int"),
        (b"Hi", "a bytes"),
        ("", "says nothing"),
        ("  ", "says nothing"),
        ([], "says nothing"),
        ({}, "no content"),
        ({"text": "Hi"}, "'text' is unknown"),
        ({"content": 3}, "'content': it is an int"),
        ({"content": None}, "says nothing"),
        ({"content": "Hi", "items": {"id": 1}}, "'items': it is a dict"),
        ({"content": "Hi", "items": ["B1"]}, "'items[0]': it is a str"),
        ({"content": "Hi", "items": [{"a": object()}]}, "cannot be written as JSON"),
        ({"content": "Hi", "items": [{"a": float("nan")}]}, "cannot be written as JSON"),
        ({"content": "Hi", "tool_calls": "find"}, "'tool_calls': it is a str"),
        ({"content": "Hi", "tool_calls": ["find"]}, "'tool_calls[0]': it is a str"),
        ({"content": "Hi", "tool_calls": [{}]}, "names no tool"),
        ({"content": "Hi", "tool_calls": [{"name": "f", "arguments": {1}}]}, "as JSON"),
        ({"messages": "Hi"}, "'messages': it is a str"),
        ([3], "'messages[0]': it is an int"),
        ([{"role": "user", "content": "Hi"}], "'user'"),
        ([{"role": "tool", "content": "Hi"}], "says nothing"),
        (Message(role="user", content="Hi"), "'user'"),
    ],
)
def test_what_is_not_taken_is_named(given, said):
    with pytest.raises(InputError) as caught:
        read_reply(given)
    assert said in str(caught.value)


def test_a_copy_shares_nothing():
    inner = {"a": [1]}
    copied = json_copy({"x": inner}, "x")
    inner["a"].append(2)
    assert copied == {"x": {"a": [1]}}
