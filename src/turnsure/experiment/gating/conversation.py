"""A conversation as a client sends it, and the prefix of a dialogue that it stands for.

A score counts only when the model is shown what the run showed it, so a conversation is turned into
task and hints, and rendered by the run's own rendering:

- system (or developer) messages at the beginning are the task; without any, it is the task of the
  run's dialogues when they all had the same one, else the first message of the user;
- every (further) message of the user is a hint, and so a turn;
- what the assistant said before it is the question of that hint, as in dialogues that are read from
  lists of messages; a *reply* of the assistant in the middle therefore reads as a question;
- the last message is the user's: the answer to it is what is judged.

Tool calls, tool results, images and other parts that are no text, blank messages, and system
messages later on cannot be mapped, and are never dropped silently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from turnsure.core.dialogue import Message, MessageRole, Prefix
from turnsure.core.digest import SHORT, digest
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.dialogues.readers.conversation import user_turns

Given = Message | Mapping[str, Any]

_ROLES: Mapping[str, MessageRole] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_CALLS = ("tool_calls", "function_call")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message that is text only."""

    role: MessageRole
    text: str


def prefix_of(
    messages: object,
    *,
    task: str | None,
    closing: str | None,
    dialogue: str | None = None,
) -> Prefix | Failure:
    """The prefix that a conversation stands for, or why it stands for none.

    Parameters
    ----------
    messages
        Mappings with ``role`` and ``content``, as OpenAI's interfaces take them, or
        :class:`~turnsure.core.dialogue.Message`.
    task
        The run's one task, None where it had several.
    closing
        What the run's dialogues said after the last hint, None for the usual words.
    dialogue
        Its id, which seeds the sampling; None to take a digest of the conversation.

    Raises
    ------
    InputError
        This is no list of messages: a role is missing or unknown, or the content is neither text
        nor a list of parts; names the message, counted from 0.
    """
    if isinstance(messages, str | bytes) or not isinstance(messages, Sequence):
        raise InputError(
            f"it is a {type(messages).__name__}", field="messages", expected="a list of messages"
        )
    said: list[Said] = []
    for place, message in enumerate(cast("Sequence[object]", messages)):
        one = _said(message, place)
        if isinstance(one, Failure):
            return one
        said.append(one)
    leading = next((place for place, one in enumerate(said) if one.role != "system"), len(said))
    rest = said[leading:]
    if any(one.role == "system" for one in rest):
        return unmapped("a system message stands in the middle of the conversation")
    if not rest or rest[-1].role != "user":
        return unmapped("the last message is not the user's")
    stated = "\n\n".join(one.text for one in said[:leading]) or task
    if stated is None:
        if rest[0].role != "user":
            return unmapped("there is no task: neither a system message nor one of the user first")
        stated, rest = rest[0].text, rest[1:]
    hints = user_turns([(one.role, one.text) for one in rest])
    if not hints:
        return unmapped("there is a task and no hint: no turn that a run could have measured")
    name = dialogue or digest([[one.role, one.text] for one in said])[:SHORT]
    return Prefix(dialogue=name, task=stated, hints=hints, turn=len(hints), closing=closing)


def messages_of(prefix: Prefix) -> list[dict[str, str]]:
    """A conversation that stands for a prefix: what :func:`prefix_of` reads back."""
    messages = [{"role": "system", "content": prefix.task}]
    for hint in prefix.hints:
        if hint.question is not None:
            messages.append({"role": "assistant", "content": hint.question})
        messages.append({"role": "user", "content": hint.answer})
    return messages


def unmapped(message: str) -> Failure:
    """The failure of a conversation that no run could have measured."""
    return Failure(stage="confidence", kind="unmapped", message=message)


def _said(message: object, place: int) -> Said | Failure:
    if isinstance(message, Message):
        role, content, calls = message.role, message.content, bool(message.tool_calls)
    elif isinstance(message, Mapping):
        fields = cast("Mapping[str, Any]", message)
        role = _role(fields.get("role"), place)
        content = fields.get("content")
        calls = any(fields.get(name) for name in _CALLS)
    else:
        raise InputError(
            f"it is a {type(message).__name__}",
            field=f"messages[{place}]",
            expected="an object with role and content",
        )
    if calls or role == "tool":
        return unmapped(f"message {place + 1} calls a tool or holds its result")
    text = _text(content, place)
    if isinstance(text, Failure):
        return text
    if not text.strip():
        return unmapped(f"message {place + 1} is blank")
    return Said(role=role, text=text)


def _role(value: object, place: int) -> MessageRole:
    role = _ROLES.get(value) if isinstance(value, str) else None
    if role is None:
        raise InputError(
            f"it is {value!r}", field=f"messages[{place}].role", expected=", ".join(_ROLES)
        )
    return role


def _text(content: object, place: int) -> str | Failure:
    """The text; parts of a list are joined by line breaks."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    field = f"messages[{place}].content"
    if not isinstance(content, list):
        raise InputError(f"it is {content!r}", field=field, expected="a text, or a list of parts")
    texts: list[str] = []
    for part in cast("list[object]", content):
        kind, text = _part(part)
        if not isinstance(kind, str):
            raise InputError("a part has no type", field=field, expected='{"type": "text", …}')
        if kind != "text" or not isinstance(text, str):
            return unmapped(f"message {place + 1} holds something else than text ({kind})")
        texts.append(text)
    return "\n".join(texts)


def _part(part: object) -> tuple[object, object]:
    """Type and text of a part, None where there is none."""
    if not isinstance(part, Mapping):
        return None, None
    fields = cast("Mapping[str, object]", part)
    return fields.get("type"), fields.get("text")
