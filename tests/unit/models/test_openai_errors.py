from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from turnsure.core.errors import (
    BackendError,
    BackendTimeout,
    BackendUnavailable,
    ContextOverflow,
    KeyRefused,
    MalformedResponse,
    RateLimited,
    RequestRejected,
)
from turnsure.models.openai_errors import (
    QUOTED,
    HttpReply,
    ReplyReader,
    retry_after,
    wants_newer_limit,
)

NOW = datetime(2025, 3, 1, 12, 0, 0, tzinfo=UTC)
KEY = "sk-secret-123"
READER = ReplyReader(where="m at http://host/v1", key_variable="MY_KEY", key=KEY)

# Texts as the servers write them, with their numbers.
OVERFLOWS = {
    "openai": {
        "error": {
            "message": "This model's maximum context length is 8192 tokens. However, your "
            "messages resulted in 9001 tokens. Please reduce the length of the messages.",
            "type": "invalid_request_error",
            "param": "messages",
            "code": "context_length_exceeded",
        }
    },
    "openai, newer": {
        "error": {
            "message": "Input tokens exceed the configured limit of 8192 tokens. Your messages "
            "resulted in 9001 tokens.",
            "type": "invalid_request_error",
            "code": "context_length_exceeded",
        }
    },
    "vllm": {
        "object": "error",
        "message": "This model's maximum context length is 8192 tokens. However, you requested "
        "9001 tokens (8001 in the messages, 1000 in the completion). Please reduce the length.",
        "type": "BadRequestError",
        "param": None,
        "code": 400,
    },
    "vllm, newer": {
        "error": {
            "message": "'max_tokens' or 'max_completion_tokens' is too large: 9001. This model's "
            "maximum context length is 8192 tokens and your request has 26 input tokens.",
            "type": "BadRequestError",
            "code": 400,
        }
    },
    "vllm, prompt": {
        "error": {
            "message": "The decoder prompt (length 9001) is longer than the maximum model length "
            "of 8192.",
            "type": "BadRequestError",
            "code": 400,
        }
    },
    "sglang": {
        "object": "error",
        "message": "The input (9001 tokens) is longer than the model's context length "
        "(8192 tokens).",
        "type": "BadRequestError",
        "code": 400,
    },
    "llama.cpp": {
        "error": {
            "code": 400,
            "message": "request (9001 tokens) exceeds the available context size (8192 tokens), "
            "try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 9001,
            "n_ctx": 8192,
        }
    },
    "llama.cpp, older": {
        "error": {
            "code": 400,
            "message": "the prompt is too long",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 9001,
            "n_ctx": 8192,
        }
    },
}


def reply(status: int, payload: Any = None, **headers: str) -> HttpReply:
    return HttpReply(
        status=status,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        body=payload if isinstance(payload, bytes) else json.dumps(payload).encode(),
        seconds=0.0,
    )


def said(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


@pytest.mark.parametrize(
    ("status", "headers", "kind", "retryable"),
    [
        (429, {}, RateLimited, True),
        (503, {"retry_after": "3"}, RateLimited, True),
        (503, {}, BackendUnavailable, True),
        (500, {}, BackendUnavailable, True),
        (502, {}, BackendUnavailable, True),
        (408, {}, BackendTimeout, True),
        (400, {}, RequestRejected, False),
        (401, {}, KeyRefused, False),
        (402, {}, RequestRejected, False),
        (403, {}, KeyRefused, False),
        (404, {}, RequestRejected, False),
        (422, {}, RequestRejected, False),
    ],
)
def test_statuses(
    status: int, headers: dict[str, str], kind: type[BackendError], retryable: bool
) -> None:
    error = READER.error(reply(status, said("because"), **headers), NOW)
    assert type(error) is kind
    assert error.retryable is retryable
    assert str(error).startswith(f"m at http://host/v1 answered HTTP {status}: because")


@pytest.mark.parametrize("server", OVERFLOWS)
def test_context_overflow_is_known_from_every_server_and_says_the_sizes(server: str) -> None:
    error = READER.error(reply(400, OVERFLOWS[server]), NOW)
    assert type(error) is ContextOverflow
    assert "9001" in str(error)
    assert "8192" in str(error)


def test_the_words_of_an_overflow_do_not_make_one_of_a_server_error() -> None:
    error = READER.error(reply(500, said("context length table missing")), NOW)
    assert type(error) is BackendUnavailable


def test_no_credit_is_not_a_rate_limit() -> None:
    payload = said("You exceeded your current quota", code="insufficient_quota")
    assert type(READER.error(reply(429, payload), NOW)) is RequestRejected


def test_the_hint_names_the_variable() -> None:
    assert str(READER.error(reply(401, said("no")), NOW)).endswith(
        "no (the key was refused; it is read from MY_KEY)"
    )
    keyless = ReplyReader(where="m", key_variable="MY_KEY", key=None)
    assert str(keyless.error(reply(401, said("no")), NOW)).endswith(
        "(no key was sent; it is read from MY_KEY)"
    )
    nameless = ReplyReader(where="m", key_variable=None, key=None)
    assert str(nameless.error(reply(403, said("no")), NOW)).endswith("(no key was sent)")


def test_a_wrong_address_is_hinted_at() -> None:
    assert "usually ends in /v1" in str(READER.error(reply(404, b"not found"), NOW))


def test_a_redirect_says_where_to() -> None:
    error = READER.error(reply(307, b"", location="https://other/v1"), NOW)
    assert type(error) is RequestRejected
    assert "points to https://other/v1" in str(error)


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (said("in error"), "in error"),
        ({"error": "plain"}, "plain"),
        ({"object": "error", "message": "top level"}, "top level"),
        ({"detail": "from FastAPI"}, "from FastAPI"),
        ({"detail": [{"msg": "field required"}]}, '{"detail": [{"msg": "field required"}]}'),
        (b"<html>\n  gone  </html>", "<html> gone </html>"),
        (b"\xff\xfe", "��"),
        (b"", "no reason given"),
    ],
)
def test_the_reason_is_found_in_every_usual_shape(payload: Any, text: str) -> None:
    error = READER.error(reply(418, payload), NOW)
    assert str(error) == f"m at http://host/v1 answered HTTP 418: {text}"


def test_quotes_are_cut_and_never_hold_the_key_nor_a_part_of_it() -> None:
    text = "x" * (QUOTED - 4) + KEY + " and more"
    quote = READER.quote(text)
    assert quote == "x" * (QUOTED - 4) + "[key" + "…"
    assert READER.quote(f"Bearer {KEY}") == "Bearer [key]"
    assert KEY not in repr(READER)


def test_good_json_comes_back() -> None:
    assert READER.json(reply(200, {"choices": [1]}), NOW) == {"choices": [1]}


@pytest.mark.parametrize("body", [b"<html>hello", b'{"choices": [', b"", b"\xff", b"[" * 10**5])
def test_what_is_not_json_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedResponse, match="not JSON"):
        READER.json(reply(200, body), NOW)


def test_an_error_inside_a_good_status_is_an_error() -> None:
    with pytest.raises(RateLimited, match="answered HTTP 429: slow down"):
        READER.json(reply(200, said("slow down", code=429), retry_after="2"), NOW)
    with pytest.raises(MalformedResponse, match="answered with an error: broken"):
        READER.json(reply(200, said("broken", code="oops")), NOW)


def http_date(moment: datetime) -> str:
    return moment.strftime("%a, %d %b %Y %H:%M:%S GMT")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        (http_date(NOW + timedelta(seconds=90)), 90.0),
        (http_date(NOW - timedelta(seconds=90)), 0.0),
        ("Sat, 01 Mar 2025 12:00:30 -0000", 30.0),
        ("Sat, 99 Mar 2025 12:00:30 GMT", None),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, NOW) == seconds


def test_retry_after_reaches_the_error() -> None:
    error = READER.error(reply(429, None, retry_after=http_date(NOW + timedelta(seconds=5))), NOW)
    assert isinstance(error, RateLimited)
    assert error.retry_after == 5.0


def test_who_wants_the_newer_limit() -> None:
    text = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead."
    )
    assert wants_newer_limit(reply(400, said(text)))
    assert not wants_newer_limit(reply(500, said(text)))
    assert not wants_newer_limit(reply(400, OVERFLOWS["vllm, newer"]))
