"""Request bodies of the OpenAI chat-completions interface and of its dialects.  Pure.

Servers that speak it differ in what they cut from the distribution unless told otherwise, and in
how they continue a reply that was begun for the model.  A dialect says what a server understands;
hosted services refuse fields that they do not know, so nothing extra is sent to those.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError
from turnsure.core.generation import GenerationRequest, Tool
from turnsure.models.control_tokens import without_control_tokens

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Body: TypeAlias = "dict[str, Json]"

Dialect = Literal["openai", "llama.cpp", "vllm", "sglang", "ollama"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)

FULL_DISTRIBUTION: Mapping[Dialect, Mapping[str, float]] = {
    "openai": {},
    "ollama": {},
    "llama.cpp": {"top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0},
    "vllm": {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0},
    "sglang": {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0},
}
"""Beside ``top_p = 1``: what makes a server sample from the whole, unchanged distribution."""

CONTINUATION: Mapping[Dialect, Mapping[str, bool]] = {
    "llama.cpp": {},
    "vllm": {"add_generation_prompt": False, "continue_final_message": True},
    "sglang": {"continue_final_message": True},
}
"""For the dialects known to continue a final assistant message: how they are told to."""

_SEEDS = 2**31
_ENCODER = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How one server wants to be asked.

    Attributes
    ----------
    model
        Its name for the model.
    dialect
        What it understands beyond the common fields.
    seed
        Whether a seed is sent.
    limit_field
        Name of the field that limits the reply; some hosted models know only the newer one.
    cached
        Whether llama.cpp may use what its cache holds.
    """

    model: str
    dialect: Dialect
    seed: bool = False
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    cached: bool = True


def dialect_named(name: str) -> Dialect | None:
    """The dialect of this name, None for ``"auto"``.

    Raises
    ------
    InputError
        There is none.
    """
    if name == "auto":
        return None
    for dialect in DIALECTS:
        if dialect == name:
            return dialect
    raise InputError(
        f"there is no dialect {name!r}",
        field="dialect",
        expected=f"auto or one of {', '.join(DIALECTS)}",
    )


def encoded(body: Body) -> bytes:
    """The body as it is sent; ASCII, because a text may hold half a surrogate pair."""
    return _ENCODER.encode(body).encode("ascii")


def text_body(style: Style, request: GenerationRequest, *, first: int, n: int) -> Body:
    """Body for the samples ``first`` to ``first + n − 1`` of a text request."""
    body = _common(style, request.messages) | {
        style.limit_field: request.max_tokens,
        "temperature": request.temperature,
    }
    if n > 1:
        body["n"] = n
    if request.stop:
        body["stop"] = list(request.stop)
    if request.logprobs:
        body["logprobs"] = True
        if style.dialect == "llama.cpp":
            body["top_logprobs"] = 1  # left out, it lists 20 for every token
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if style.seed:
        body["seed"] = (request.seed + first) % _SEEDS
    return body


def label_body(
    style: Style, messages: Sequence[Message], labels: Sequence[str], *, top_logprobs: int
) -> Body:
    """Body for the distribution of the reply's first token."""
    body = _common(style, messages) | {
        style.limit_field: 1,
        "temperature": 0.0,
        "logprobs": True,
        "top_logprobs": top_logprobs,
    }
    if style.dialect == "llama.cpp":
        # Its log-probabilities are those before sampling, so the grammar changes nothing in them;
        # but when half a UTF-8 character is sampled they vanish from the reply.
        body["grammar"] = f"root ::= {' | '.join(json.dumps(label) for label in labels)}"
    return body


def _common(style: Style, messages: Sequence[Message]) -> Body:
    body: Body = {"model": style.model, "messages": _written(messages), "top_p": 1.0}
    body |= FULL_DISTRIBUTION[style.dialect]
    if style.dialect == "llama.cpp" and not style.cached:
        body["cache_prompt"] = False
    if messages[-1].role == "assistant":
        body |= CONTINUATION.get(style.dialect, {})
    return body


def _written(messages: Sequence[Message]) -> list[Json]:
    """Messages as JSON; a tool's message that names no call answers the next of those before."""
    written: list[Json] = []
    open_calls: list[str] = []
    for message in messages:
        content = without_control_tokens(message.content)
        item: Body = {"role": message.role, "content": content}
        if message.tool_calls:
            open_calls = [call.id for call in message.tool_calls]
            item["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in message.tool_calls
            ]
        elif message.tool_call_id is not None:
            item["tool_call_id"] = message.tool_call_id
        elif message.role == "tool" and open_calls:
            item["tool_call_id"] = open_calls.pop(0)
        written.append(item)
    return written


def _tool(tool: Tool) -> Json:
    described: Body = {"description": tool.description} if tool.description else {}
    parameters = cast("Json", json.loads(tool.parameters))
    return {
        "type": "function",
        "function": {"name": tool.name, **described, "parameters": parameters},
    }
