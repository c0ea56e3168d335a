"""Replies of the OpenAI chat-completions interface, turned into generations.  Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from turnsure.core.dialogue import ToolCall
from turnsure.core.errors import MalformedResponse, RequestRejected
from turnsure.core.generation import FinishReason, Generation, TokenLogprob, Usage
from turnsure.models.labels import read_labels
from turnsure.models.openai_wire import Json

_FINISH: Mapping[Json, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "stop",
}


def read_texts(body: Json, *, n: int, seconds: float, begun: str = "") -> Generation:
    """Up to ``n`` texts in the order of their index; a server may give fewer.

    Parameters
    ----------
    seconds
        As the client measured them; llama.cpp's own timing of a single text is preferred.
    begun
        The beginning of the reply that was given to the model, where the server repeats it.

    Raises
    ------
    MalformedResponse
        There is no choice, or one cannot be read.
    RequestRejected
        The model refused to answer.
    """
    choices = [_choice(item) for item in choices_of(body)[:n]]
    refusals = [choice.refusal for choice in choices if choice.refusal is not None]
    if len(refusals) == len(choices):
        raise RequestRejected(f"the model refused to answer: {refusals[0]}")
    tokens = [choice.tokens for choice in choices if choice.tokens]
    return Generation(
        texts=tuple(choice.text.removeprefix(begun) for choice in choices),
        finish_reasons=tuple(choice.finish_reason for choice in choices),
        tool_calls=choices[0].calls if len(choices) == 1 else (),
        token_logprobs=tuple(tokens) if len(tokens) == len(choices) else (),
        usage=_usage(body, n=len(choices)),
        seconds=_seconds(body, n=len(choices), measured=seconds),
    )


def read_label_reply(labels: Sequence[str], body: Json, *, seconds: float) -> Generation:
    """The label distribution at the reply's first token.

    Raises
    ------
    MalformedResponse
        There are no log-probabilities though they were asked for, or they cannot be read.
    """
    top = [_token(item) for item in top_tokens(body)]
    if not top:
        raise MalformedResponse(
            "the reply has no log-probabilities for its first token though they were asked for"
        )
    return Generation(
        labels=read_labels(labels, [(item.token, item.logprob) for item in top]),
        usage=_usage(body, n=1),
        seconds=_seconds(body, n=1, measured=seconds),
    )


def choices_of(body: Json) -> list[Json]:
    """The choices in the order of their index; at least one.

    Raises
    ------
    MalformedResponse
        There is none.
    """
    match body:
        case {"choices": [_] as one}:
            return one
        case {"choices": [_, *_] as choices}:
            return sorted(choices, key=lambda choice: count_at(choice, "index") or 0)
        case _:
            raise MalformedResponse("the reply has no choices")


def top_tokens(body: Json) -> list[Json]:
    """What is listed for the first token of the first choice; empty when nothing is."""
    match choices_of(body)[0]:
        case {"logprobs": {"content": [{"top_logprobs": [*listed]}, *_]}}:
            return listed
        case _:
            return []


def value_at(body: Json, *path: str) -> Json:
    """The value at the end of a path of keys, None where the path breaks off."""
    for key in path:
        if not isinstance(body, dict):
            return None
        body = body.get(key)
    return body


def count_at(body: Json, *path: str) -> int | None:
    """The whole number at the end of a path of keys, None when there is none."""
    value = value_at(body, *path)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text_at(body: Json, *path: str) -> str | None:
    """The text at the end of a path of keys, None when there is none."""
    value = value_at(body, *path)
    return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    text: str
    refusal: str | None
    finish_reason: FinishReason
    calls: tuple[ToolCall, ...]
    tokens: tuple[TokenLogprob, ...]


def _choice(choice: Json) -> _Choice:
    message = value_at(choice, "message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(content, str | None):
        raise MalformedResponse("a choice of the reply has no message with text or null in it")
    listed = value_at(choice, "logprobs", "content")
    return _Choice(
        # Null is what a model gives that spent all its tokens on reasoning: a text without a word.
        text=content or "",
        refusal=text_at(message, "refusal") or None,
        finish_reason=_FINISH.get(text_at(choice, "finish_reason"), "other"),
        calls=_calls(message.get("tool_calls")),
        tokens=tuple(_token(item) for item in listed) if isinstance(listed, list) else (),
    )


def _calls(listed: Json) -> tuple[ToolCall, ...]:
    """The calls of a message; some servers leave out their ids, which then follow the order."""
    if not isinstance(listed, list):
        return ()
    calls: list[ToolCall] = []
    for place, item in enumerate(listed):
        name = text_at(item, "function", "name")
        arguments = value_at(item, "function", "arguments")
        if not name:
            raise MalformedResponse("a tool call of the reply names no function")
        written = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        calls.append(
            ToolCall(id=text_at(item, "id") or f"call_{place}", name=name, arguments=written)
        )
    return tuple(calls)


def _token(item: Json) -> TokenLogprob:
    match item:
        case {"token": str(token), "logprob": logprob} if not math.isnan(value := _number(logprob)):
            return TokenLogprob(token=token, logprob=value)
        case _:
            raise MalformedResponse("a token of the reply has no text or no log-probability")


def _usage(body: Json, *, n: int) -> Usage:
    counts, timings = value_at(body, "usage"), value_at(body, "timings")
    cached = count_at(counts, "prompt_tokens_details", "cached_tokens")
    # llama.cpp, known by its timings, counts the tokens of the first of several texts only.
    first_only = n > 1 and timings is not None
    return Usage(
        prompt_tokens=count_at(counts, "prompt_tokens"),
        cached_tokens=count_at(timings, "cache_n") if cached is None else cached,
        completion_tokens=None if first_only else count_at(counts, "completion_tokens"),
    )


def _seconds(body: Json, *, n: int, measured: float) -> float:
    match body:
        case {"timings": {"prompt_ms": prompt, "predicted_ms": predicted}} if n == 1:
            told = (_number(prompt) + _number(predicted)) / 1000.0
            return told if 0.0 <= told < math.inf else measured
        case _:
            return measured


def _number(value: Json) -> float:
    """A number as a float; NaN for what is none, or is too large for one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan
