"""Conversations as lists of messages, in the form of OpenAI's interfaces, tool calls included."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from turnsure.core.conversation import Exchange
from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.errors import InputError
from turnsure.dialogues.readers.files import json_records
from turnsure.dialogues.readers.record import Record

_SYSTEM = ("system", "developer")
_TOOLS = ("tool", "function")
_ROLES = (*_SYSTEM, "user", "assistant", *_TOOLS)
_TEXT_PARTS = ("text", "input_text", "output_text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What was said between one user and one assistant.

    Attributes
    ----------
    id
        The record's own, or else its file with its line or place.
    instructions
        Of the system; empty without any.
    exchanges
        The turns; messages of the user in a row are one.
    unanswered
        What the user said last, where no reply follows; None for most.
    tools
        What the record says of the assistant's tools: description and parameters, by name.
    left_out
        What is not kept, a sentence each.
    """

    id: str
    instructions: str
    exchanges: tuple[Exchange, ...]
    unanswered: str | None = None
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    left_out: tuple[str, ...] = ()


def read_conversations(path: str | Path) -> list[Conversation]:
    """Read conversations.

    Parameters
    ----------
    path
        JSON or JSON Lines: objects with ``messages``, or the messages of a single conversation.

    Raises
    ------
    InputError
        The file cannot be read, or holds no such conversation; names file, line and field.
    """
    file = Path(path)
    records = [_whole(one) for one in json_records(file)]
    if records and all("role" in one.body and "messages" not in one.body for one in records):
        return [_conversation(file.stem, messages_of(records), records[0])]
    return [_conversation(_name(one), messages_of(one.records("messages")), one) for one in records]


def messages_of(records: Iterable[Record]) -> list[Message]:
    """Messages with their tool calls.

    Raises
    ------
    InputError
        A role is unknown, a content is no text, or a call names no tool.
    """
    made: list[Message] = []
    for record in records:
        role = record.text("role")
        if role not in _ROLES:
            raise record.wrong("role", expected=", ".join(_ROLES))
        named = record.label_or_none("tool_call_id")
        made.append(
            Message(
                role="system"
                if role in _SYSTEM
                else "tool"
                if role in _TOOLS
                else "user"
                if role == "user"
                else "assistant",
                content=_content(record),
                tool_calls=_calls(record, len(made)),
                tool_call_id=named,
            )
        )
    return made


def exchanges_of(messages: Sequence[Message]) -> tuple[tuple[Exchange, ...], str | None]:
    """The turns of a conversation, and what the user said last where no reply follows.

    System messages, and whatever stands before the user's first message, are passed over.
    """
    exchanges: list[Exchange] = []
    said: list[str] = []
    replies: list[Message] = []

    def close() -> None:
        if said and replies:
            exchanges.append(
                Exchange(
                    turn=len(exchanges) + 1,
                    user=Message(role="user", content="\n".join(said)),
                    replies=tuple(replies),
                )
            )
            said.clear()
        replies.clear()

    for message in messages:
        if message.role == "user":
            if replies:
                close()
            said.append(message.content)
        elif message.role != "system" and said:
            replies.append(message)
    close()
    return tuple(exchanges), "\n".join(said) if said else None


def _conversation(name: str, messages: Sequence[Message], record: Record) -> Conversation:
    exchanges, unanswered = exchanges_of(messages)
    if not exchanges:
        raise record.error(
            "there is no message of the user with a reply", field="messages", expected="one or more"
        )
    silent = next((one.turn for one in exchanges if not one.user.content.strip()), None)
    if silent is not None:
        raise record.error(
            f"the user says nothing at turn {silent}", field="messages", expected="a text"
        )
    first = next(place for place, one in enumerate(messages) if one.role == "user")
    before = sum(one.role != "system" for one in messages[:first])
    left_out = [] if not before else [f"what stands before the user's first message ({before})"]
    if unanswered is not None:
        left_out.append("the user's last message, which has no reply")
    return Conversation(
        id=name,
        instructions="\n\n".join(one.content for one in messages if one.role == "system"),
        exchanges=exchanges,
        unanswered=unanswered,
        tools=_tools(record),
        left_out=tuple(left_out),
    )


def _whole(one: Record | InputError) -> Record:
    if isinstance(one, InputError):
        raise one
    return one


def _name(record: Record) -> str:
    own = record.label_or_none("id", "conversation_id")
    if own is not None:
        return own
    place = record.path.strip("[]") if record.line is None else str(record.line)
    return f"{record.file.stem}-{place}" if place else record.file.stem


def _content(record: Record) -> str:
    """The text of a message; empty where it only calls tools."""
    if not isinstance(record.body.get("content"), list):
        return record.text_or_none("content") or ""
    parts = record.records("content")
    for part in parts:
        if part.label("type") not in _TEXT_PARTS:
            raise part.wrong("type", expected=", ".join(_TEXT_PARTS))
    return "\n".join(part.text_or_none("text") or "" for part in parts)


def _calls(record: Record, place: int) -> tuple[ToolCall, ...]:
    made: list[ToolCall] = []
    for one in record.records("tool_calls") if record.has("tool_calls") else ():
        function = one.record("function")
        name = one.label_or_none("id") or f"call-{place}-{len(made)}"
        made.append(_call(name, function))
    if record.has("function_call"):
        made.append(_call(f"call-{place}", record.record("function_call")))
    return tuple(made)


def _call(name: str, function: Record) -> ToolCall:
    return ToolCall(
        id=name,
        name=function.text("name"),
        arguments=function.text_or_none("arguments") or "{}",
    )


def _tools(record: Record) -> dict[str, dict[str, Any]]:
    """What a model was told of its tools, by name."""
    found: dict[str, dict[str, Any]] = {}
    for one in record.records("tools") if record.has("tools") else ():
        tool = one.record("function") if one.has("function") else one
        described: dict[str, Any] = {}
        if tool.has("description"):
            described["description"] = tool.text("description")
        if tool.has("parameters"):
            described["parameters"] = dict(cast("Any", tool.record("parameters").body))
        found[tool.text("name")] = described
    return found
