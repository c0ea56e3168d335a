"""Requests and generations as JSON, apart from the domain types so that either can change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.digest import canonical, digest
from turnsure.core.errors import StoreError
from turnsure.core.generation import (
    Generation,
    GenerationRequest,
    LabelReading,
    TokenLogprob,
    Usage,
)


def request_body(request: GenerationRequest) -> dict[str, Any]:
    """Everything that makes the request what it is.

    Left out: who asked and why (``role``, ``tag``), and the seed of a greedy request, which has no
    effect; so equal questions share one generation.  ``logprobs``, ``embed`` and ``tools`` stand in
    the body only when they are asked for, so that older keys stay what they are.
    """
    sampled = request.temperature > 0 and request.labels is None
    body: dict[str, Any] = {
        "messages": [_message(message) for message in request.messages],
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "n": request.n,
        "labels": None if request.labels is None else list(request.labels),
        "stop": list(request.stop),
        "seed": request.seed if sampled else None,
        "replicate": request.replicate,
    }
    asked = {"logprobs": request.logprobs, "embed": request.embed}
    tools = [[tool.name, tool.description, tool.parameters] for tool in request.tools]
    return (
        body
        | {name: True for name, wanted in asked.items() if wanted}
        | ({"tools": tools} if tools else {})
    )


def request_key(model_digest: str, request: GenerationRequest) -> str:
    """The store key: digest of the model's fingerprint and the request, replicate included."""
    return digest([model_digest, request_body(request)])


def dump_request(request: GenerationRequest) -> str:
    """JSON text of the request."""
    return canonical(request_body(request))


def dump_generation(generation: Generation) -> str:
    """JSON text of a generation; floats are kept to the last bit."""
    labels = generation.labels
    vector = {"embedding": list(generation.embedding)} if generation.embedding else {}
    calls = {"tool_calls": _calls(generation.tool_calls)} if generation.tool_calls else {}
    return canonical(
        vector
        | calls
        | {
            "texts": list(generation.texts),
            "finish_reasons": list(generation.finish_reasons),
            "labels": None
            if labels is None
            else {
                "mass": dict(labels.mass),
                "truncated": list(labels.truncated),
                "n_top": labels.n_top,
                "outside": dict(labels.outside),
                "variants": dict(labels.variants),
            },
            "token_logprobs": [
                [[token.token, token.logprob] for token in tokens]
                for tokens in generation.token_logprobs
            ],
            "usage": [
                generation.usage.prompt_tokens,
                generation.usage.cached_tokens,
                generation.usage.completion_tokens,
                generation.usage.new_tokens,
            ],
            "seconds": generation.seconds,
        }
    )


def load_generation(text: str) -> Generation:
    """Read back what :func:`dump_generation` wrote.

    Raises
    ------
    StoreError
        The text is not such JSON.
    """
    try:
        body: dict[str, Any] = json.loads(text)
        labels: dict[str, Any] | None = body["labels"]
        prompt, cached, completion, *more = body["usage"]  # older stores hold three counts
        return Generation(
            texts=tuple(body["texts"]),
            finish_reasons=tuple(body["finish_reasons"]),
            tool_calls=tuple(
                ToolCall(id=id_, name=name, arguments=arguments)
                for id_, name, arguments in body.get("tool_calls", ())
            ),
            labels=None
            if labels is None
            else LabelReading(
                mass=labels["mass"],
                truncated=tuple(labels["truncated"]),
                n_top=labels["n_top"],
                outside=labels["outside"],
                variants=labels["variants"],
            ),
            token_logprobs=tuple(
                tuple(TokenLogprob(token=token, logprob=logprob) for token, logprob in tokens)
                for tokens in body["token_logprobs"]
            ),
            embedding=tuple(body.get("embedding", ())),
            usage=Usage(
                prompt_tokens=prompt,
                cached_tokens=cached,
                completion_tokens=completion,
                new_tokens=more[0] if more else None,
            ),
            seconds=body["seconds"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"a stored generation cannot be read ({error})") from error


def _message(message: Message) -> list[Any]:
    calls = _calls(message.tool_calls)
    answers = [] if message.tool_call_id is None else [{"tool_call_id": message.tool_call_id}]
    return [message.role, message.content, *([calls] if calls else []), *answers]


def _calls(calls: Sequence[ToolCall]) -> list[list[str]]:
    return [[call.id, call.name, call.arguments] for call in calls]
