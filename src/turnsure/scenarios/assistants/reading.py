"""What a function or a webhook gave back, read as an assistant's reply."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from turnsure.core.conversation import Item
from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.errors import InputError
from turnsure.scenarios.seams import AssistantReply

EXPECTED = (
    "a text, a message, a list of messages, or an object with content and, where there are any, "
    "items and tool_calls"
)
_FIELDS = frozenset({"role", "content", "items", "tool_calls", "messages"})


def read_reply(given: object) -> AssistantReply:
    """The reply that a value stands for.

    Taken are a text; a :class:`~turnsure.core.dialogue.Message`; a list of messages, as values or
    as objects with role and content in OpenAI's form; an object with ``content`` (or ``messages``)
    and, where there are any, ``items`` (a list of objects) and ``tool_calls`` (each with ``name``,
    ``arguments`` and, where it is known, ``result``).

    Raises
    ------
    InputError
        It is something else, or the user would read nothing.
    """
    if isinstance(given, AssistantReply):
        reply = given
    elif isinstance(given, Mapping):
        reply = _of_object(cast("Mapping[str, Any]", given))
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
        messages = [_message(one, place) for place, one in enumerate(cast("list[object]", given))]
        reply = AssistantReply(messages=tuple(messages))
    elif isinstance(given, str | Message):
        reply = AssistantReply(messages=(_message(given, 0),))
    else:
        raise InputError(f"it is {_kind(given)}", expected=EXPECTED)
    _check(reply)
    return reply


def _check(reply: AssistantReply) -> None:
    wrong = next(
        (one.role for one in reply.messages if one.role not in ("assistant", "tool")), None
    )
    if wrong is not None:
        raise InputError(
            f"a message is of the role {wrong!r}", field="role", expected="assistant or tool"
        )
    said = any(one.role == "assistant" and one.content.strip() for one in reply.messages)
    if not said and not reply.items:
        raise InputError(
            "the reply says nothing", field="content", expected="a text that is not blank"
        )


def _of_object(fields: Mapping[str, Any]) -> AssistantReply:
    unknown = next((name for name in fields if name not in _FIELDS), None)
    if unknown is not None:
        raise InputError(
            f"the field {unknown!r} is unknown",
            field=str(unknown),
            expected=", ".join(sorted(_FIELDS)),
        )
    items = _items(fields.get("items"))
    listed = fields.get("messages")
    if listed is not None:
        if not isinstance(listed, list):
            raise InputError(
                f"it is {_kind(listed)}", field="messages", expected="a list of messages"
            )
        messages = [_message(one, place) for place, one in enumerate(cast("list[object]", listed))]
        return AssistantReply(messages=tuple(messages), items=items)
    if "content" not in fields and not items:
        raise InputError("there is no content", field="content", expected=EXPECTED)
    calls, results = _calls(fields.get("tool_calls"))
    before: list[Message] = []
    if calls:
        before = [Message(role="assistant", content="", tool_calls=calls), *results]
    said = Message(role="assistant", content=_text(fields.get("content"), "content"))
    return AssistantReply(messages=(*before, said), items=items)


def _message(value: object, place: int) -> Message:
    if isinstance(value, Message):
        return value
    if isinstance(value, str):
        return Message(role="assistant", content=value)
    where = f"messages[{place}]"
    if not isinstance(value, Mapping):
        raise InputError(
            f"it is {_kind(value)}", field=where, expected="an object with role and content"
        )
    fields = cast("Mapping[str, Any]", value)
    role = fields.get("role", "assistant")
    if role not in ("assistant", "tool"):
        raise InputError(f"it is {role!r}", field=f"{where}.role", expected="assistant or tool")
    named = fields.get("tool_call_id")
    calls, _ = _calls(fields.get("tool_calls"))
    return Message(
        role=role,
        content=_text(fields.get("content"), f"{where}.content"),
        tool_calls=calls,
        tool_call_id=named if isinstance(named, str) else None,
    )


def _text(value: object, field: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"it is {_kind(value)}", field=field, expected="a text")
    return value


def _items(value: object) -> tuple[Item, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise InputError(f"it is {_kind(value)}", field="items", expected="a list of objects")
    for place, item in enumerate(cast("Sequence[object]", value)):
        if not isinstance(item, Mapping):
            raise InputError(f"it is {_kind(item)}", field=f"items[{place}]", expected="an object")
    # Copied, so that what the assistant does to them later changes no transcript.
    return tuple(
        json_copy(item, f"items[{place}]") for place, item in enumerate(cast("Any", value))
    )


def json_copy(fields: Mapping[str, Any], field: str) -> dict[str, Any]:
    """A copy that shares nothing with the original.

    Raises
    ------
    InputError
        It holds something that is no JSON value.
    """
    try:
        return json.loads(json.dumps(dict(fields), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"it cannot be written as JSON ({error})", field=field, expected="JSON values"
        ) from None


def _calls(value: object) -> tuple[tuple[ToolCall, ...], list[Message]]:
    """The calls, and the results that stand beside them."""
    if value is None:
        return (), []
    if not isinstance(value, list | tuple):
        raise InputError(f"it is {_kind(value)}", field="tool_calls", expected="a list of calls")
    calls: list[ToolCall] = []
    results: list[Message] = []
    for place, one in enumerate(cast("Sequence[object]", value)):
        if isinstance(one, ToolCall):
            calls.append(one)
            continue
        where = f"tool_calls[{place}]"
        if not isinstance(one, Mapping):
            raise InputError(f"it is {_kind(one)}", field=where, expected="an object with name")
        fields = cast("Mapping[str, Any]", one)
        inner: object = fields.get("function")
        function = cast("Mapping[str, Any]", inner) if isinstance(inner, Mapping) else fields
        name = function.get("name")
        if not isinstance(name, str) or not name:
            raise InputError("it names no tool", field=f"{where}.name", expected="a tool's name")
        named = fields.get("id")
        id_ = named if isinstance(named, str) and named else f"call_{place}"
        calls.append(
            ToolCall(id=id_, name=name, arguments=_written(function.get("arguments"), where))
        )
        if "result" in fields:
            content = _written(fields["result"], where)
            results.append(Message(role="tool", content=content, tool_call_id=id_))
    return tuple(calls), results


def _written(value: object, where: str) -> str:
    """A text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps({} if value is None else value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"it cannot be written as JSON ({error})", field=where) from None


def _kind(value: object) -> str:
    if value is None:
        return "nothing (None)"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
