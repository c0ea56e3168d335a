"""The tool calls of one turn, with their arguments and results as values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from turnsure.core.dialogue import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call.

    Attributes
    ----------
    name
        Of the tool.
    arguments
        A JSON object; None where the model wrote none.
    written
        The arguments as the model wrote them.
    result
        What the tool gave, as a JSON value where it is one and as text otherwise; None where no
        result is in the transcript.
    """

    name: str
    arguments: dict[str, Any] | None
    written: str
    result: Any = None

    @property
    def values(self) -> dict[str, Any]:
        """Plain values for expressions; without ``arguments`` where they cannot be read."""
        known = {"name": self.name, "written": self.written, "result": self.result}
        return known if self.arguments is None else {**known, "arguments": self.arguments}


def calls_of(replies: Sequence[Message]) -> tuple[Call, ...]:
    """The calls of a turn in order, each with the tool's message that answers it.

    A message that names no call answers the next one that none has answered yet.
    """
    made = [call for one in replies if one.role == "assistant" for call in one.tool_calls]
    results: dict[int, str] = {}
    for message in replies:
        if message.role != "tool":
            continue
        place = next(
            (
                place
                for place, call in enumerate(made)
                if place not in results and message.tool_call_id in {None, call.id}
            ),
            None,
        )
        if place is not None:
            results[place] = message.content
    return tuple(
        Call(
            name=call.name,
            arguments=_arguments(call.arguments),
            written=call.arguments,
            result=_value(results[place]) if place in results else None,
        )
        for place, call in enumerate(made)
    )


def _arguments(written: str) -> dict[str, Any] | None:
    value = _value(written or "{}")
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
