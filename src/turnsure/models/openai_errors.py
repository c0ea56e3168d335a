"""What a server's refusal means: from an HTTP reply to one of our errors.  Pure."""

from __future__ import annotations

import email.utils
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple, cast

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
from turnsure.models.openai_replies import count_at, text_at
from turnsure.models.openai_wire import Json

QUOTED = 300
"""How many characters of a server's text a message quotes at most."""

_OVERFLOW_KINDS = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_OVERFLOW_WORDS = re.compile(
    r"context (?:length|size|window)|maximum model length|input tokens exceed", re.IGNORECASE
)
_NO_CREDIT = "insufficient_quota"
_BAD_REQUEST = 400


class HttpReply(NamedTuple):
    """An HTTP reply that was read to its end.

    Attributes
    ----------
    status
        Such as 200.
    headers
        Looked up in lower case; names may be listed otherwise.
    body
        The bytes, decompressed.
    seconds
        From sending the request to the last byte.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyReader:
    """Reads JSON or the reason why there is none; never lets the key through.

    Attributes
    ----------
    where
        Who was asked, for the messages.
    key_variable
        The environment variable from which the key comes, None when unknown.
    key
        The key, to be blotted out where a server repeats it.
    """

    where: str
    key_variable: str | None
    key: str | None = field(repr=False)

    def json(self, reply: HttpReply, now: datetime) -> Json:
        """The body of a good reply.

        Raises
        ------
        BackendError
            The status says so, the body is not JSON, or it holds an error instead of an answer.
        """
        if not reply.ok:
            raise self.error(reply, now)
        body = _parsed(reply.body)
        if body is None:
            raise MalformedResponse(
                f"{self.where} answered with something that is not JSON: "
                f"{self.quote(_text(reply.body))}"
            )
        if isinstance(body, dict) and body.get("error") and not body.get("choices"):
            # Gateways pass on another server's refusal under their own status 200.
            status = count_at(body, "error", "code")
            if status is not None and 400 <= status < 600:
                raise self._error(status, reply, now)
            raise MalformedResponse(f"{self.where} answered with an error: {self._reason(reply)}")
        return body

    def error(self, reply: HttpReply, now: datetime) -> BackendError:
        """The error that a reply with a status other than 2xx stands for."""
        return self._error(reply.status, reply, now)

    def quote(self, text: str) -> str:
        """A server's text with the key blotted out, on one line, cut to :data:`QUOTED`."""
        clean = text if self.key is None else text.replace(self.key, "[key]")
        clean = " ".join(clean.split())
        return clean if len(clean) <= QUOTED else f"{clean[:QUOTED]}…"

    def _error(self, status: int, reply: HttpReply, now: datetime) -> BackendError:
        said = f"{self.where} answered HTTP {status}: {self._reason(reply)}"
        body = _parsed(reply.body)
        kinds = {text_at(body, "error", "type"), text_at(body, "error", "code")}
        pause = retry_after(reply.headers.get("retry-after"), now)
        if status == 429 and _NO_CREDIT not in kinds:
            return RateLimited(said, retry_after=pause)
        if status == 503 and pause is not None:
            return RateLimited(said, retry_after=pause)
        if status >= 500:
            return BackendUnavailable(said)
        if status in (401, 403):
            return KeyRefused(f"{said} ({self._key_hint()})")
        if status == 408:
            return BackendTimeout(said)
        if status in (400, 413, 422) and (
            kinds & _OVERFLOW_KINDS or _OVERFLOW_WORDS.search(_message(reply.body))
        ):
            return ContextOverflow(f"the request does not fit the context; {said}{_sizes(body)}")
        if 300 <= status < 400:
            target = self.quote(reply.headers.get("location", "nowhere"))
            return RequestRejected(
                f"{self.where} answered HTTP {status} and points to {target}; redirects are not "
                "followed, so give the address that answers itself as base_url"
            )
        if status == 404:
            return RequestRejected(
                f"{said} (check the model's name, and base_url, which usually ends in /v1)"
            )
        return RequestRejected(said)

    def _reason(self, reply: HttpReply) -> str:
        return self.quote(_message(reply.body)) or "no reason given"

    def _key_hint(self) -> str:
        state = "no key was sent" if self.key is None else "the key was refused"
        source = f"; it is read from {self.key_variable}" if self.key_variable else ""
        return state + source


def wants_newer_limit(reply: HttpReply) -> bool:
    """Whether the server asks for ``max_completion_tokens`` in place of ``max_tokens``."""
    if reply.status != _BAD_REQUEST:
        return False
    message = _message(reply.body)
    return "max_completion_tokens" in message and "instead" in message


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds to wait, 0 or more, from a Retry-After header; None when it says nothing.

    The header holds seconds or an HTTP date (RFC 9110, section 10.2.3).
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = (when.replace(tzinfo=when.tzinfo or UTC) - now).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _parsed(raw: bytes) -> Json:
    try:
        return cast("Json", json.loads(raw))
    except (ValueError, RecursionError):
        return None


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")


def _message(raw: bytes) -> str:
    """The sentence in an error body, whichever of the usual shapes it has; else the whole body."""
    body = _parsed(raw)
    for path in (("error", "message"), ("message",), ("error",), ("detail",)):
        message = text_at(body, *path)
        if message is not None:
            return message
    return _text(raw)


def _sizes(body: Json) -> str:
    prompt, context = count_at(body, "error", "n_prompt_tokens"), count_at(body, "error", "n_ctx")
    if prompt is None or context is None:
        return ""
    return f" ({prompt} tokens asked for, {context} available)"
