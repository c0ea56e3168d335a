"""What a conversation stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsure.core.dialogue import Dialogue, Hint, Message, Prefix, ToolCall
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.dialogues.readers.chat_messages import read_chat_messages
from turnsure.experiment.gating.conversation import messages_of, prefix_of

SYSTEM = {"role": "system", "content": "Name the country."}
TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1
).filter(str.strip)


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def said(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def found(messages: object, task: str | None = None) -> Prefix | Failure:
    return prefix_of(messages, task=task, closing=None, dialogue="d")


def test_system_is_the_task_and_every_user_message_a_turn():
    prefix = found([SYSTEM, user("In Asia."), said("By the sea?"), user("No.")])
    assert prefix == Prefix(
        dialogue="d",
        task="Name the country.",
        hints=(Hint(answer="In Asia."), Hint(question="By the sea?", answer="No.")),
        turn=2,
    )


def test_several_system_messages_are_one_task():
    prefix = found([SYSTEM, {"role": "developer", "content": "Be brief."}, user("In Asia.")])
    assert isinstance(prefix, Prefix)
    assert prefix.task == "Name the country.\n\nBe brief."


def test_without_a_system_message_the_run_s_task_is_taken():
    prefix = found([user("In Asia.")], task="Name the country.")
    assert isinstance(prefix, Prefix)
    assert (prefix.task, prefix.turn) == ("Name the country.", 1)


def test_without_any_task_the_first_user_message_is_it():
    prefix = found([user("Name the country."), said("Where?"), user("In Asia.")])
    assert isinstance(prefix, Prefix)
    assert prefix.task == "Name the country."
    assert prefix.hints == (Hint(question="Where?", answer="In Asia."),)


def test_what_the_dialogues_closed_with_is_kept():
    prefix = prefix_of([SYSTEM, user("In Asia.")], task=None, closing="Now!", dialogue="d")
    assert isinstance(prefix, Prefix)
    assert prefix.closing == "Now!"


def test_text_parts_are_joined():
    parts = [{"type": "text", "text": "In Asia."}, {"type": "text", "text": "An island."}]
    prefix = found([SYSTEM, {"role": "user", "content": parts}])
    assert isinstance(prefix, Prefix)
    assert prefix.hints == (Hint(answer="In Asia.\nAn island."),)


def test_messages_of_our_own_type():
    messages = [Message(role="system", content="Name it."), Message(role="user", content="Asia.")]
    assert found(messages) == found([{"role": m.role, "content": m.content} for m in messages])


CALL = ToolCall(id="1", name="look", arguments="{}")


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([], "not the user's"),
        ([SYSTEM], "not the user's"),
        ([SYSTEM, user("In Asia."), said("Japan")], "not the user's"),
        ([SYSTEM, user("a"), SYSTEM, user("b")], "in the middle"),
        ([user("Which country has Paris?")], "no hint"),
        ([said("Hello"), user("a")], "no task"),
        ([SYSTEM, user(" ")], "blank"),
        ([SYSTEM, {"role": "user", "content": None}], "blank"),
        ([SYSTEM, {"role": "tool", "content": "42"}, user("a")], "tool"),
        ([SYSTEM, {"role": "assistant", "content": "", "tool_calls": [{}]}, user("a")], "tool"),
        ([SYSTEM, {"role": "user", "content": [{"type": "image_url"}]}], "image_url"),
        (
            [
                Message(role="assistant", content="x", tool_calls=(CALL,)),
                Message(role="user", content="a"),
            ],
            "tool",
        ),
    ],
)
def test_what_stands_for_no_dialogue_is_a_failure_with_the_reason(messages, reason):
    failure = found(messages)
    assert isinstance(failure, Failure)
    assert failure.kind == "unmapped"
    assert reason in failure.message


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        (None, "messages"),
        ("hello", "messages"),
        ({"role": "user"}, "messages"),
        (["hello"], "messages[0]"),
        ([SYSTEM, {"content": "a"}], "messages[1].role"),
        ([{"role": "boss", "content": "a"}], "messages[0].role"),
        ([{"role": ["user"], "content": "a"}], "messages[0].role"),
        ([{"role": "user", "content": 3}], "messages[0].content"),
        ([{"role": "user", "content": [{"text": "a"}]}], "messages[0].content"),
        ([{"role": "user", "content": ["a"]}], "messages[0].content"),
    ],
)
def test_what_is_no_list_of_messages_is_an_error(messages, field):
    with pytest.raises(InputError) as caught:
        found(messages)
    assert caught.value.field == field


@given(
    task=TEXT,
    hints=st.lists(st.builds(Hint, answer=TEXT, question=st.none() | TEXT), min_size=1, max_size=5),
)
def test_a_prefix_comes_back_from_its_messages(task, hints):
    dialogue = Dialogue(id="d", task=task, hints=tuple(hints), gold=("x",))
    prefix = dialogue.prefix(dialogue.n_turns)
    assert found(messages_of(prefix)) == prefix


def test_the_same_log_reads_as_the_same_hints_from_a_file(tmp_path):
    """A run on converted logs and a gate in front of them must mean the same by a turn."""
    import json

    messages = [SYSTEM, user("In Asia."), said("By the sea?"), user("No."), said("Nepal")]
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"messages": messages}) + "\n")
    [dialogue] = read_chat_messages(log)
    prefix = found(messages[:-1])
    assert isinstance(prefix, Prefix)
    assert (prefix.task, prefix.hints) == (dialogue.task, dialogue.hints)


def test_an_unnamed_conversation_gets_a_name_of_its_own():
    one, other = (prefix_of([SYSTEM, user(text)], task=None, closing=None) for text in ("a", "b"))
    again = prefix_of([SYSTEM, user("a")], task=None, closing=None)
    assert isinstance(one, Prefix)
    assert one == again
    assert one.dialogue != getattr(other, "dialogue", None)
