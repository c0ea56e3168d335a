"""Requests and replies in the terms of the llama.cpp engine.  Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from turnsure.core.errors import (
    BackendError,
    BackendUnavailable,
    ContextOverflow,
    MalformedResponse,
    RequestRejected,
)
from turnsure.core.generation import (
    FinishReason,
    Generation,
    GenerationRequest,
    TokenLogprob,
    Usage,
)
from turnsure.models.control_tokens import without_control_tokens
from turnsure.models.labels import read_labels
from turnsure.models.prompt_tree import PromptTree

LABEL_TOP = 100
"""How many top tokens a label probe lists; enough that label variants are never missing."""

LEDGER = "ledger"
"""Where the worker puts what the engine does not give: the tokens of the ``prompt``, and how many
``reply_tokens`` several samples have together."""

_SLOT = 0
_NOTHING: Mapping[str, Any] = {}
_FINISH: Mapping[str, FinishReason] = {"stop": "stop", "length": "length"}


def text_body(request: GenerationRequest, *, n: int, seed: int) -> dict[str, Any]:
    """Body for n texts; sample j is drawn with ``seed + j``."""
    body = _common(request) | {
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "n": n,
        "seed": seed,
        # The engine's defaults cut the tail of the distribution; samples must not be cut.
        "top_k": 0,
        "top_p": 1.0,
        "min_p": 0.0,
    }
    if request.stop:
        body["stop"] = list(request.stop)
    if request.logprobs:
        # The chosen token's own comes with each token, but only where some are listed.
        body |= {"logprobs": True, "top_logprobs": 1}
    return body


def label_body(request: GenerationRequest, labels: Sequence[str]) -> dict[str, Any]:
    """Body for the distribution of the reply's first token.

    Log-probabilities are those before sampling.  The grammar changes nothing in them; it only
    keeps half a UTF-8 character from being sampled, which would make them vanish from the reply.
    """
    return _common(request) | {
        "max_tokens": 1,
        "temperature": 0.0,
        "logprobs": True,
        "top_logprobs": LABEL_TOP,
        "grammar": f"root ::= {' | '.join(json.dumps(label) for label in labels)}",
    }


def read_text_reply(request: GenerationRequest, reply: Mapping[str, Any]) -> Generation:
    """Texts in order, without the prefill that the engine repeats, and the request's usage.

    Log-probabilities that were asked for and are null stay absent: the texts are still good.

    Raises
    ------
    MalformedResponse
        A field is missing.
    """
    last = request.messages[-1]
    prefill = last.content if last.role == "assistant" else ""
    try:
        choices = sorted(reply["choices"], key=lambda choice: choice["index"])
        texts = tuple(
            str(choice["message"]["content"] or "").removeprefix(prefill) for choice in choices
        )
        reasons: tuple[FinishReason, ...] = tuple(
            _finish_reason(choice["finish_reason"]) for choice in choices
        )
        tokens = [_tokens(choice) for choice in choices] if request.logprobs else []
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise MalformedResponse(f"the engine's reply lacks {error}") from error
    return Generation(
        texts=texts,
        finish_reasons=reasons,
        token_logprobs=tuple(tokens) if all(tokens) else (),
        usage=_usage(reply, n=len(texts)),
        seconds=_seconds(reply),
    )


def read_label_reply(labels: Sequence[str], reply: Mapping[str, Any]) -> Generation:
    """Label distribution from the reply's first token."""
    try:
        first = reply["choices"][0]["logprobs"]["content"][0]
        top = [(str(item["token"]), float(item["logprob"])) for item in first["top_logprobs"]]
    except (KeyError, IndexError, TypeError) as error:
        raise MalformedResponse("the engine gave no log-probabilities though asked") from error
    return Generation(
        labels=read_labels(labels, top), usage=_usage(reply, n=1), seconds=_seconds(reply)
    )


def count_new_tokens(reply: Mapping[str, Any], tree: PromptTree) -> Mapping[str, Any]:
    """Enter the reply's prompt into the tree, and its new tokens into the ledger."""
    ledger: Mapping[str, Any] = reply.get(LEDGER) or _NOTHING
    if "prompt" not in ledger:
        return reply
    return {**reply, LEDGER: {**ledger, "new_tokens": tree.add(ledger["prompt"])}}


def engine_error(error: object) -> BackendError:
    """Turn the engine's two kinds of error into ours."""
    fields: Mapping[str, Any] = (
        cast("Mapping[str, Any]", error) if isinstance(error, Mapping) else {"message": str(error)}
    )
    message = str(fields.get("message", "no reason given"))
    if fields.get("type") == "exceed_context_size_error":
        return ContextOverflow(
            f"the prompt has {fields.get('n_prompt_tokens')} tokens and the context "
            f"{fields.get('n_ctx')}; raise it with --context"
        )
    if fields.get("code") == 400 or fields.get("type") == "invalid_request_error":
        return RequestRejected(f"the embedded model refused the request: {message}")
    return BackendUnavailable(f"the embedded model failed: {message}")


def _common(request: GenerationRequest) -> dict[str, Any]:
    messages = [
        {"role": message.role, "content": without_control_tokens(message.content)}
        for message in request.messages
    ]
    return {"messages": messages, "id_slot": _SLOT, "cache_prompt": True}


def _tokens(choice: Mapping[str, Any]) -> tuple[TokenLogprob, ...]:
    """The tokens of one text; none where the engine gave null."""
    listed = (choice.get("logprobs") or _NOTHING).get("content") or ()
    return tuple(
        TokenLogprob(token=str(item["token"]), logprob=float(item["logprob"])) for item in listed
    )


def _usage(reply: Mapping[str, Any], *, n: int) -> Usage:
    usage: Mapping[str, Any] = reply.get("usage") or _NOTHING
    details: Mapping[str, Any] = usage.get("prompt_tokens_details") or _NOTHING
    ledger: Mapping[str, Any] = reply.get(LEDGER) or _NOTHING
    return Usage(
        prompt_tokens=usage.get("prompt_tokens"),
        cached_tokens=details.get("cached_tokens"),
        new_tokens=ledger.get("new_tokens"),
        # The engine counts the first of several samples only.
        completion_tokens=usage.get("completion_tokens") if n == 1 else ledger.get("reply_tokens"),
    )


def _finish_reason(value: object) -> FinishReason:
    return _FINISH.get(str(value), "other")


def _seconds(reply: Mapping[str, Any]) -> float:
    timings: Mapping[str, Any] = reply.get("timings") or _NOTHING
    return (timings.get("prompt_ms", 0.0) + timings.get("predicted_ms", 0.0)) / 1000.0
