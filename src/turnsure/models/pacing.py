"""When the next request to an endpoint may be sent.  Pure: the clock's time is an argument.

Four things hold a request back: the bound of requests in flight, which adapts; a pause that the
server asked for, for all of them; the rate at which it was found to take requests; and what the
user allows a minute.  None of them changes what is asked or what is made of the reply.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import NamedTuple

from turnsure.core.errors import InputError
from turnsure.models.buckets import NEVER_BEFORE, Bucket, FoundRate
from turnsure.models.doubt import Doubt, Share
from turnsure.models.window import Window

LONGEST_PAUSE = 300.0
"""Seconds: of whom a server asks a longer pause fails, and nobody else waits for it."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 30.0
"""Seconds for which all requests wait when one after the other is refused without a word of for
how long; it doubles from the first to the longest."""

_DOUBLINGS = 7
_AWAY = 3
"""Decreases in a row without a reply in between, after which a server is taken to be away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the user allows at one endpoint.

    Attributes
    ----------
    concurrency
        Requests in flight at most, 1 or more.
    requests_per_minute, tokens_per_minute
        At most, 1 or more; None for no limit.

    Raises
    ------
    InputError
        One is below 1.
    """

    concurrency: int
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None

    def __post_init__(self) -> None:
        for name in ("concurrency", "requests_per_minute", "tokens_per_minute"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name} is {value}", field=name, expected="1 or more")


class Permit(NamedTuple):
    """Leave to send one request.

    Attributes
    ----------
    number
        Which request it is, from 1.
    tokens
        What it was estimated to use.
    most_reply
        How many of them are the longest reply allowed.
    """

    number: int
    tokens: float
    most_reply: float = 0.0


class Pacer:
    """Decides when requests go out, and learns from what becomes of them.

    Every permit is given back once: by :meth:`answered`, :meth:`refused`, :meth:`failed`,
    :meth:`cut`, :meth:`dropped` or :meth:`unused`.

    Parameters
    ----------
    limits
        The user's.
    patience
        Seconds for which a server is left alone at most.
    jitter
        Draws from [0, 1).
    """

    __slots__ = (
        "_cuts",
        "_doubt",
        "_held_until",
        "_jitter",
        "_last",
        "_n_in_vain",
        "_n_sent",
        "_patience",
        "_rate",
        "_requests",
        "_tokens",
        "_window",
        "n_in_flight",
    )

    def __init__(
        self, limits: Limits, *, patience: float = LONGEST_PAUSE, jitter: Callable[[], float]
    ) -> None:
        self._window = Window(limits.concurrency)
        self._rate = FoundRate()
        self._doubt = Doubt()
        self._cuts = Share()
        self._requests = _bucket(limits.requests_per_minute)
        self._tokens = _bucket(limits.tokens_per_minute)
        self._patience = patience
        self._jitter = jitter
        self._held_until = NEVER_BEFORE
        self._last = NEVER_BEFORE
        self._n_in_vain = 0
        self._n_sent = 0
        self.n_in_flight = 0

    @property
    def limit(self) -> int:
        """Requests that may be in flight at present."""
        return self._window.limit

    def ready_at(self, now: float, tokens: float) -> float | None:
        """When a request of so many tokens may be sent; None when another must come back first."""
        if self.n_in_flight >= self._window.limit:
            return None
        ready = max(self._held_until, self._rate.ready_at(now))
        if self._requests is not None:
            ready = max(ready, self._requests.ready_at(1.0))
        if self._tokens is not None:
            ready = max(ready, self._tokens.ready_at(tokens))
        return ready

    def enter(self, now: float, tokens: float, *, waited: bool) -> Permit:
        """Let a request go that is ready, whether it had to wait for it or not."""
        if not self.n_in_flight and not waited and self._last > NEVER_BEFORE:
            self._rate.idled(now - self._last)
        self.n_in_flight += 1
        self._n_sent += 1
        self._rate.sent(now)
        if self._requests is not None:
            self._requests.take(now, 1.0)
        if self._tokens is not None:
            self._tokens.take(now, tokens)
        self._doubt.sent()
        self._cuts.sent()
        return Permit(self._n_sent, tokens)

    def answered(self, permit: Permit, now: float, *, kind: Hashable, seconds: float) -> None:
        """A reply came, in so many seconds; see :meth:`Window.answered` for the kind."""
        self._window.answered(
            permit.number,
            kind=kind,
            seconds=seconds,
            n_in_flight=self.n_in_flight,
            n_sent=self._n_sent,
        )
        self._rate.answered(permit.number)
        self._n_in_vain = 0
        self._back(now)

    def refused(self, permit: Permit, now: float, *, pause: float | None) -> None:
        """The server has too many requests, and may have said for how long (seconds)."""
        # One that is told to wait longer than anyone would may be one of a kind: others are asked.
        asked = pause if pause is not None and pause <= self._patience else 0.0
        in_vain = self._window.is_in_vain
        if not self._doubt.refused():
            self._rate.refused_anyway(now, n_sent=self._n_sent)
        elif self._window.refused(permit.number, n_sent=self._n_sent):
            if in_vain:
                asked = max(asked, self._pause_in_vain())
            is_away = self._n_in_vain >= _AWAY
            found = self._rate.refused(now, asked, n_sent=self._n_sent, is_away=is_away)
            if found is not None:
                self._doubt.found(found)
        self._held_until = max(self._held_until, now + asked)
        self._back(now)

    def failed(self, permit: Permit, now: float) -> None:
        """No reply came in time."""
        self._window.failed(permit.number, n_sent=self._n_sent)
        self._back(now)

    def cut(self, permit: Permit, now: float) -> None:
        """The connection broke, or none was made."""
        if self._cuts.failed():
            self._window.failed(permit.number, n_sent=self._n_sent)
        self._back(now)

    def dropped(self, permit: Permit, now: float) -> None:
        """It was given up, or answered in a way that says nothing about the load."""
        del permit
        self._back(now)

    def unused(self, permit: Permit, now: float) -> None:
        """It was never sent."""
        if self._requests is not None:
            self._requests.settle(now, -1.0)
        self.settle(permit, now, 0)
        self._back(now)

    def settle(self, permit: Permit, now: float, tokens: float | None) -> None:
        """What a request used, None when the server did not tell and the estimate stands."""
        if self._tokens is not None and tokens is not None:
            self._tokens.settle(now, tokens - permit.tokens)

    def _back(self, now: float) -> None:
        self.n_in_flight -= 1
        self._last = now

    def _pause_in_vain(self) -> float:
        longest = min(_LONGEST_PAUSE, self._patience)
        whole = min(longest, _FIRST_PAUSE * 2.0 ** min(self._n_in_vain, _DOUBLINGS))
        self._n_in_vain += 1
        return whole * (0.5 + 0.5 * self._jitter())


def _bucket(per_minute: int | None) -> Bucket | None:
    return None if per_minute is None else Bucket(per_minute)
