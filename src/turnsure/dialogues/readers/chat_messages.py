"""Conversations as lists of messages, as OpenAI's interfaces write them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.readers.conversation import REFERENCE, TASK, user_turns
from turnsure.dialogues.readers.convert import Dropped, Kept, dialogues_of
from turnsure.dialogues.readers.files import json_records
from turnsure.dialogues.readers.log import ReadLog
from turnsure.dialogues.readers.record import Record

_SYSTEM = ("system", "developer")
_SPEAKERS = ("user", "assistant")
_TOOLS = ("tool", "function")
_ROLES = (*_SYSTEM, *_SPEAKERS, *_TOOLS)
_LISTS = ("messages", "traj")
_GOLD = ("gold", "answers", "answer")
_TEXT_PARTS = ("text", "input_text", "output_text")
_PLAIN = (str, int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conversation:
    """What is said, and what of it is not kept."""

    instructions: tuple[str, ...]
    said: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]
    only_text: bool


def read_chat_messages(
    path: str | Path, *, task: str | None = None, log: ReadLog | None = None
) -> Iterator[Dialogue]:
    """Conversations as lists of messages: a turn is what the user says.

    System messages are the task.  Gold is what the record gives (``gold``, ``answers`` or
    ``answer``: a text or a list of texts); without it the last reply, which then ends the dialogue.
    Tool calls and their results are left out.  Whether information accumulates is not known, and
    ``meta`` says so (``progressive`` is ``"unknown"``).

    Parameters
    ----------
    path
        An object a line, or a list in JSON, with ``messages`` (or ``traj``, as tau-bench calls it).
    task
        For conversations without a system message, None for the usual one.
    log
        Counts what became of each conversation.

    Raises
    ------
    InputError
        The file cannot be read or holds no such conversation.
    """
    return dialogues_of(
        json_records(Path(path)), lambda one: _dialogue(one, task), file=path, log=log
    )


def _dialogue(record: Record, task: str | None) -> Kept | Dropped:
    talk = _conversation(record)
    if not talk.only_text:
        return Dropped(reason="holds something else than text, such as an image")
    given = _given_gold(record)
    end = _end(talk.said, "assistant" if given is None else "user")
    if end is None:
        missing = "reply, and no accepted answer is given" if given is None else "user message"
        return Dropped(reason=f"no {missing}")
    # The last reply is the reference; the user's last message is still shown.
    hints = user_turns(talk.said[:end] if given is None else talk.said[: end + 1])
    if not hints:
        return Dropped(reason="no message of the user before the last reply")
    after = tuple(f"{role} message after the end" for role, _ in talk.said[end + 1 :])
    dialogue = Dialogue(
        id=_name(record),
        task="\n\n".join(talk.instructions) or task or TASK,
        hints=hints,
        gold=(talk.said[end][1],) if given is None else given,
        meta={
            **_meta(record),
            **({"gold": REFERENCE} if given is None else {}),
            "progressive": "unknown",
        },
    )
    return Kept(dialogue=dialogue, left_out=(*talk.left_out, *after))


def _end(said: Sequence[tuple[str, str]], role: str) -> int | None:
    """The place of the last message of a role."""
    places = [place for place, (speaker, _) in enumerate(said) if speaker == role]
    return places[-1] if places else None


def _conversation(record: Record) -> _Conversation:
    """The messages by what becomes of them.

    Raises
    ------
    InputError
        A message has no known role, or its content is neither text nor a list of parts.
    """
    name = next((one for one in _LISTS if record.has(one)), _LISTS[0])
    instructions: list[tuple[str, str]] = []
    said: list[tuple[str, str]] = []
    left_out: list[str] = []
    only_text = True
    for message in record.records(name):
        role = message.text("role")
        if role not in _ROLES:
            raise message.wrong("role", expected=", ".join(_ROLES))
        if role in _TOOLS:
            left_out.append("tool result")
            continue
        calls = message.has("tool_calls") or message.has("function_call")
        if calls:
            left_out.append("tool call")
        text = _content(message)
        if text is None:
            only_text = False
        elif text:
            (instructions if role in _SYSTEM else said).append((role, text))
        elif not calls:
            left_out.append(f"blank {role} message")
    return _Conversation(
        instructions=tuple(text for _, text in instructions),
        said=tuple(said),
        left_out=tuple(left_out),
        only_text=only_text,
    )


def _content(message: Record) -> str | None:
    """The text of a message, ``""`` where it says nothing, None if a part of it is no text."""
    if not isinstance(message.body.get("content"), list):
        return (message.text_or_none("content") or "").strip()
    parts = message.records("content")
    if any(part.label("type") not in _TEXT_PARTS for part in parts):
        return None
    return "\n".join(part.text_or_none("text") or "" for part in parts).strip()


def _given_gold(record: Record) -> tuple[str, ...] | None:
    name = next((one for one in _GOLD if record.has(one)), None)
    if name is None:
        return None
    value = record.body[name]
    if not isinstance(value, list):
        return (record.label(name),)
    answers = cast("list[object]", value)
    if not answers or not all(isinstance(one, str) and one.strip() for one in answers):
        raise record.wrong(name, expected="a text, or a list of one text or more")
    return tuple(str(one) for one in answers)


def _name(record: Record) -> str:
    """The record's own id, or else its file with its line or its place in the list."""
    own = record.label_or_none("id", "conversation_id")
    if own is not None:
        return own
    if record.has("task_id"):
        return "-".join(record.labels("task_id", "trial").values())
    place = record.path.strip("[]") if record.line is None else str(record.line)
    return f"{record.file.stem}-{place or 1}"


def _meta(record: Record) -> dict[str, str]:
    """Texts, numbers and flags of ``metadata``, and the reward that tau-bench gives."""
    found = record.labels("reward")
    for name in ("metadata", "meta"):
        if record.has(name):
            inner = record.record(name)
            plain = (key for key, value in inner.body.items() if isinstance(value, _PLAIN))
            found |= inner.labels(*plain)
    return found
