from __future__ import annotations

import json

import pytest

from turnsure.core.errors import InputError
from turnsure.scenarios.importing.conversations import read_conversations


def user(text):
    return {"role": "user", "content": text}


def assistant(text, **more):
    return {"role": "assistant", "content": text, **more}


def read(tmp_path, value, name="talk.json"):
    file = tmp_path / name
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return read_conversations(file)


PLAIN = [user("Hi."), assistant("Hello.")]


@pytest.mark.parametrize(
    ("value", "name", "ids"),
    [
        (PLAIN, "talk.json", ["talk"]),
        ("\n".join(map(json.dumps, PLAIN)), "talk.jsonl", ["talk"]),
        ({"messages": PLAIN}, "talk.json", ["talk"]),
        ({"id": "c7", "messages": PLAIN}, "talk.json", ["c7"]),
        ([{"messages": PLAIN}, {"messages": PLAIN}], "talk.json", ["talk-0", "talk-1"]),
        (json.dumps({"messages": PLAIN}) + "\n", "talk.jsonl", ["talk-1"]),
    ],
)
def test_files_of_several_forms(tmp_path, value, name, ids):
    found = read(tmp_path, value, name)
    assert [one.id for one in found] == ids
    assert found[0].exchanges[0].text == "Hello."


def test_tool_calls_and_their_results_stand_in_the_turn(tmp_path):
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"a": 1}'}}
    [talk] = read(
        tmp_path,
        [
            {"role": "developer", "content": "Be kind."},
            assistant("Welcome!"),
            user("Find it."),
            assistant(None, tool_calls=[call]),
            {"role": "tool", "tool_call_id": "c1", "content": "[]"},
            assistant("Nothing."),
            user("Sure?"),
            user("Look again."),
            {"role": "assistant", "content": None, "function_call": {"name": "find"}},
            {"role": "function", "name": "find", "content": "[2]"},
            assistant([{"type": "text", "text": "One"}, {"type": "text", "text": "found."}]),
            user("Thanks."),
        ],
    )
    assert talk.instructions == "Be kind."
    assert [one.user.content for one in talk.exchanges] == ["Find it.", "Sure?\nLook again."]
    first, second = talk.exchanges
    assert [one.role for one in first.replies] == ["assistant", "tool", "assistant"]
    assert first.replies[0].tool_calls[0].arguments == '{"a": 1}'
    assert first.replies[1].tool_call_id == "c1"
    assert second.replies[0].tool_calls[0].arguments == "{}"
    assert second.text == "One\nfound."
    assert talk.unanswered == "Thanks."
    assert len(talk.left_out) == 2


def test_what_a_model_was_told_of_its_tools_is_kept(tmp_path):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    told = {"name": "find", "description": "Finds.", "parameters": schema}
    tools = [{"type": "function", "function": told}, {"name": "bare"}]
    [talk] = read(tmp_path, {"messages": PLAIN, "tools": tools})
    assert talk.tools == {"find": {"description": "Finds.", "parameters": schema}, "bare": {}}


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ([user("Hi.")], "no message of the user with a reply"),
        ([assistant("Hello.")], "no message of the user with a reply"),
        ([{"role": "robot", "content": "x"}], "'robot'"),
        ([user([{"type": "image_url"}]), assistant("Nice.")], "type"),
        ({"talk": []}, "messages"),
        ("{", "not JSON"),
        ([user("Hi."), assistant("", tool_calls=[{"id": "1"}])], "function"),
        ([user("Hi."), assistant("", tool_calls=[{"function": {"name": " "}}])], "name"),
    ],
)
def test_what_is_no_conversation_is_refused(tmp_path, value, what):
    with pytest.raises(InputError) as error:
        read(tmp_path, value)
    assert what in str(error.value)
    assert "talk.json" in str(error.value)
