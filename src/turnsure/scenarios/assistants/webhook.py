"""An HTTP webhook as the assistant under test.

Each turn is one POST of ``{"messages": […], "context": {…}}``: the messages as in OpenAI's
interfaces, and of the run its ``conversation`` (a name of its own), ``scenario``, ``replicate``,
``turn``, ``seed`` and ``meta``.  The reply is JSON: ``{"content": "…"}`` with ``items`` and
``tool_calls`` where there are any, or what else
:func:`turnsure.scenarios.assistants.reading.read_reply` takes.

A server that is away, busy (429) or broken (5xx) is asked again a few times and is then a fault of
the infrastructure.  A reply that is late, refused (other 4xx) or unreadable is the assistant's.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from turnsure.core.dialogue import Message
from turnsure.core.errors import BackendError, BackendUnavailable, InputError, RateLimited
from turnsure.core.scenario import Scenario
from turnsure.engine.retry import RetryPolicy
from turnsure.models.openai_errors import QUOTED, HttpReply, retry_after
from turnsure.models.openai_transport import Transport
from turnsure.models.openai_wire import encoded
from turnsure.scenarios.assistants.messages import message_object
from turnsure.scenarios.assistants.reading import read_reply
from turnsure.scenarios.seams import AssistantReply, Fault, RunContext

POLICY = RetryPolicy(attempts=4, longest_wait=8.0, longest_retry_after=60.0)

_NO_LIMIT = 24 * 3600.0
"""Seconds of the connection itself; what counts is the scenario's own limit."""

_BUSY, _AWAY = 429, 503


class WebhookAssistant:
    """A server that answers for the assistant.

    Parameters
    ----------
    url
        Where to POST.
    token
        Sent as a bearer token; in no name, fingerprint or message.
    retry
        When to ask again.
    sleep, jitter, clock, now
        The clocks and the randomness of retries.

    Raises
    ------
    InputError
        This is no address, or the token holds what no header can hold.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        retry: RetryPolicy = POLICY,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.perf_counter,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._url, self._shown = _checked(url)
        self._token = token
        self._retry = retry
        self._sleep = sleep
        self._jitter = jitter
        self._now = now
        self._transport = Transport(
            self._shown,
            key=token,
            quote=self._quote,
            timeout=_NO_LIMIT,
            clock=clock,
        )

    @property
    def name(self) -> str:
        return self._shown

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Its address; what answers there may change unseen."""
        return {"assistant": "webhook", "name": self._shown}

    @property
    def backend(self) -> None:
        """It asks whom it likes."""
        return None

    async def start(self) -> None:
        if not self._transport.is_open:
            await self._transport.open()

    async def close(self) -> None:
        await self._transport.close()

    def check(self, scenario: Scenario) -> None:
        """It can be tested with any scenario."""

    async def reply(
        self, messages: Sequence[Message], *, turn: int, run: RunContext
    ) -> AssistantReply | Fault:
        scenario, seconds = run.scenario, run.scenario.limits.seconds
        body: dict[str, Any] = {
            "messages": [message_object(one) for one in messages],
            "context": {
                "conversation": f"{scenario.id}/{run.replicate}/{run.seed}",
                "scenario": scenario.id,
                "replicate": run.replicate,
                "turn": turn,
                "seed": run.seed,
                "meta": dict(scenario.meta),
            },
        }
        attempt = 1
        while True:
            try:
                async with asyncio.timeout(seconds):
                    answer = await self._transport.send("POST", self._url, encoded(body))
                self._refuse_trouble(answer)
            except TimeoutError:
                return self._fault(f"it gave no reply in {seconds:g} s", attempt)
            except BackendError as error:
                pause = self._retry.wait(error, attempt, self._jitter)
                if pause is None:
                    times = f" (sent {attempt} times)" if attempt > 1 else ""
                    return Fault(problem=f"{error}{times}", is_infrastructure=True, n_calls=attempt)
                attempt += 1
                await self._sleep(pause)
            else:
                return self._read(answer, attempt)

    def _refuse_trouble(self, answer: HttpReply) -> None:
        """Raise for a status that says nothing about the assistant."""
        pause = retry_after(answer.headers.get("retry-after"), self._now())
        if answer.status == _BUSY or (answer.status == _AWAY and pause is not None):
            raise RateLimited(self._said(answer), retry_after=pause)
        if answer.status >= 500:
            raise BackendUnavailable(self._said(answer))

    def _read(self, answer: HttpReply, n_calls: int) -> AssistantReply | Fault:
        if not answer.ok:
            return self._fault(f"it answered HTTP {answer.status}: {self._text(answer)}", n_calls)
        try:
            given: object = json.loads(answer.body)
        except (ValueError, RecursionError):
            return self._fault(
                f"it answered with something that is not JSON: {self._text(answer)}", n_calls
            )
        try:
            reply = read_reply(given)
        except InputError as error:
            return self._fault(f"its reply cannot be used: {error}", n_calls)
        return AssistantReply(messages=reply.messages, items=reply.items, n_calls=n_calls)

    def _fault(self, problem: str, n_calls: int) -> Fault:
        return Fault(problem=f"{self._shown}: {problem}", n_calls=n_calls)

    def _said(self, answer: HttpReply) -> str:
        return f"{self._shown} answered HTTP {answer.status}: {self._text(answer)}"

    def _text(self, answer: HttpReply) -> str:
        return self._quote(answer.body.decode("utf-8", errors="replace")) or "no reason given"

    def _quote(self, text: str) -> str:
        """A server's text without the token, on one line, shortened."""
        clean = text if self._token is None else text.replace(self._token, "[token]")
        clean = " ".join(clean.split())
        return clean if len(clean) <= QUOTED else f"{clean[:QUOTED]}…"


def _checked(url: str) -> tuple[str, str]:
    """The address, and how it is shown: a query may hold a secret."""
    expected = "http://HOST:PORT/PATH or https://HOST/PATH"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        raise InputError("this is no address", field="webhook", expected=expected) from None
    if "@" in parts.netloc:
        raise InputError(
            "the address holds a user name or a password",
            field="webhook",
            expected=f"{expected}, with the token in an environment variable",
        )
    if not usable or any(letter.isspace() for letter in url):
        raise InputError(f"{url!r} is no address", field="webhook", expected=expected)
    return url, f"{parts.scheme}://{parts.netloc}{parts.path}"
