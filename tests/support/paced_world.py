"""A server, its clients and their pacer in virtual time: no event loop, no waiting.

Clients ask one request after the other through one pacer; a refused request waits as the engine's
retries do and is asked again, as often as it takes.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from turnsure.core.errors import RateLimited
from turnsure.engine.retry import RetryPolicy
from turnsure.models.pacing import Limits, Pacer, Permit

POLICY = RetryPolicy(attempts=10**9)


class Said(NamedTuple):
    """What a server does with a request: its status, after how long, and the pause it asks for.

    Status 0 is a connection that breaks.
    """

    status: int = 200
    seconds: float = 0.05
    pause: float | None = None
    tokens: int | None = None


Server = Callable[[float, int], Said]
"""From the time and the requests in flight (with this one) to what it does."""


@dataclass
class World:
    """Run with :meth:`run`; what the server saw stands in the lists.

    Attributes
    ----------
    sent
        Time, request and requests in flight of everything that was sent.
    answered, refused
        Times and requests.
    """

    limits: Limits
    server: Server
    tokens: float = 0.0
    jitter: Callable[[], float] = lambda: 0.5
    sent: list[tuple[float, int, int]] = field(default_factory=list)
    answered: list[tuple[float, int]] = field(default_factory=list)
    refused: list[tuple[float, int]] = field(default_factory=list)
    limits_seen: list[tuple[float, int]] = field(default_factory=list)
    now: float = 0.0
    _events: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _waiting: deque[tuple[int, int]] = field(default_factory=deque)
    _order: Iterator[int] = field(default_factory=itertools.count)
    _fresh: Iterator[int] = field(default_factory=lambda: iter(()))
    _wakes_at: float = math.inf

    def __post_init__(self) -> None:
        self.pacer = Pacer(self.limits, jitter=self.jitter)

    def run(self, n: int, *, lanes: int, until: float = 1e9) -> World:
        self._fresh = iter(range(n))
        for _ in range(lanes):
            self._ask_next()
        self._let_through()
        while self._events and self._events[0][0] <= until:
            self.now, _, happens = heapq.heappop(self._events)
            happens()
            self._let_through()
        return self

    def _at(self, time: float, happens: Callable[[], None]) -> None:
        heapq.heappush(self._events, (time, next(self._order), happens))

    def _ask_next(self) -> None:
        request = next(self._fresh, None)
        if request is not None:
            self._waiting.append((request, 1))

    def _let_through(self) -> None:
        while self._waiting:
            ready = self.pacer.ready_at(self.now, self.tokens)
            if ready is None:
                return
            if ready > self.now:
                if not self.now < self._wakes_at <= ready:
                    self._wakes_at = ready
                    self._at(ready, lambda: None)
                return
            self._send(*self._waiting.popleft())

    def _send(self, request: int, attempt: int) -> None:
        permit = self.pacer.enter(self.now, self.tokens, waited=True)
        self.sent.append((self.now, request, self.pacer.n_in_flight))
        self.limits_seen.append((self.now, self.pacer.limit))
        said = self.server(self.now, self.pacer.n_in_flight)
        self._at(self.now + said.seconds, lambda: self._back(request, attempt, permit, said))

    def _back(self, request: int, attempt: int, permit: Permit, said: Said) -> None:
        if said.status == 200:
            self.answered.append((self.now, request))
            self.pacer.answered(permit, self.now, kind="text", seconds=said.seconds)
            self.pacer.settle(permit, self.now, said.tokens)
            self._ask_next()
            return
        self.refused.append((self.now, request))
        if said.status:
            self.pacer.refused(permit, self.now, pause=said.pause)
        else:
            self.pacer.cut(permit, self.now)
        error = RateLimited("slow down", retry_after=said.pause)
        pause = POLICY.wait(error, attempt, self.jitter)
        assert pause is not None
        self._at(self.now + pause, lambda: self._waiting.append((request, attempt + 1)))


class RefillingServer:
    """Takes so many requests a second with a burst, refuses others at once."""

    def __init__(self, rate: float, burst: float, *, seconds=0.05, pause: float | None = None):
        self.rate, self.burst, self.seconds, self.pause = rate, burst, seconds, pause
        self.level, self.time = burst, 0.0

    def __call__(self, now: float, n_in_flight: int) -> Said:
        self.level = min(self.burst, self.level + (now - self.time) * self.rate)
        self.time = now
        if self.level < 1.0:
            return Said(429, 0.005, self.pause)
        self.level -= 1.0
        return Said(seconds=self.seconds)


class WindowedServer:
    """Takes so many requests in every window of time, and says when the next one begins."""

    def __init__(self, most: int, window: float):
        self.most, self.window = most, window
        self.taken: Counter[int] = Counter()

    def __call__(self, now: float, n_in_flight: int) -> Said:
        here = int(now // self.window)
        if self.taken[here] >= self.most:
            return Said(429, 0.005, (here + 1) * self.window - now)
        self.taken[here] += 1
        return Said()
