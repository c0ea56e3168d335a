"""Messages as functions and webhooks get them."""

from __future__ import annotations

from typing import Any

from turnsure.core.dialogue import Message


def message_object(message: Message) -> dict[str, Any]:
    """A message as in OpenAI's interfaces."""
    body: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        body["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        body["tool_call_id"] = message.tool_call_id
    return body
