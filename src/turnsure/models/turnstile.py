"""Where requests to an endpoint wait for their turn, first come, first served."""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import Protocol
from weakref import WeakKeyDictionary, WeakValueDictionary

from turnsure.models.pacing import Limits, Pacer, Permit


class Timer(Protocol):
    """What was set to be called later."""

    def cancel(self) -> None: ...


Later = Callable[[float, Callable[[], None]], Timer]


class Turnstile:
    """Lets requests through as the pacer allows.

    Parameters
    ----------
    pacer
        Decides.
    clock
        Seconds that only go up.
    later
        Calls something so many seconds later; None for the running event loop's way.
    """

    def __init__(
        self,
        pacer: Pacer,
        *,
        clock: Callable[[], float] = time.perf_counter,
        later: Later | None = None,
    ) -> None:
        self._pacer = pacer
        self._clock = clock
        self._later = later
        self._waiting: deque[tuple[asyncio.Future[Permit], float]] = deque()
        self._timer: tuple[float, Timer] | None = None

    async def enter(self, tokens: float = 0.0) -> Permit:
        """Wait for leave to send a request of so many tokens."""
        if not self._waiting:
            now = self._clock()
            ready = self._pacer.ready_at(now, tokens)
            if ready is not None and ready <= now:
                return self._pacer.enter(now, tokens, waited=False)
        future: asyncio.Future[Permit] = asyncio.get_running_loop().create_future()
        self._waiting.append((future, tokens))
        self._let_through()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self._pacer.unused(future.result(), self._clock())
                self._let_through()
            raise

    def answered(self, permit: Permit, *, kind: Hashable, seconds: float) -> None:
        """See :meth:`Pacer.answered`, as for the methods below."""
        self._pacer.answered(permit, self._clock(), kind=kind, seconds=seconds)
        self._let_through()

    def refused(self, permit: Permit, *, pause: float | None) -> None:
        self._pacer.refused(permit, self._clock(), pause=pause)
        self._let_through()

    def failed(self, permit: Permit) -> None:
        self._pacer.failed(permit, self._clock())
        self._let_through()

    def cut(self, permit: Permit) -> None:
        self._pacer.cut(permit, self._clock())
        self._let_through()

    def dropped(self, permit: Permit) -> None:
        self._pacer.dropped(permit, self._clock())
        self._let_through()

    def settle(self, permit: Permit, tokens: float | None) -> None:
        self._pacer.settle(permit, self._clock(), tokens)
        self._let_through()

    def _let_through(self) -> None:
        """Give leave to as many of those that wait as may go, and be called again for the next."""
        while self._waiting:
            future, tokens = self._waiting[0]
            if future.done():  # given up by who waited
                self._waiting.popleft()
                continue
            now = self._clock()
            ready = self._pacer.ready_at(now, tokens)
            if ready is None:
                return
            if ready > now:
                self._wake(now, ready)
                return
            self._waiting.popleft()
            future.set_result(self._pacer.enter(now, tokens, waited=True))

    def _wake(self, now: float, ready: float) -> None:
        # One call at a time: what comes too early finds out and asks for another.
        if self._timer is not None:
            wakes_at, timer = self._timer
            if wakes_at <= ready:
                return
            timer.cancel()
        later = self._later or asyncio.get_running_loop().call_later
        self._timer = ready, later(ready - now, self._woken)

    def _woken(self) -> None:
        self._timer = None
        self._let_through()


_SHARED: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[Hashable, Turnstile]] = (
    WeakKeyDictionary()
)
"""By event loop, and by endpoint: kept as long as someone uses them."""


def turnstile_of(
    address: str,
    key: str | None,
    limits: Limits,
    *,
    patience: float,
    clock: Callable[[], float],
) -> Turnstile:
    """The turnstile of an address and a key in the running event loop.

    Several models in several roles may be asked at one address with one key, and the server
    counts their requests together; so those with the same settings share one.
    """
    here = _SHARED.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    name = (address, key, limits, patience, clock)
    turnstile = here.get(name)
    if turnstile is None:
        pacer = Pacer(limits, patience=patience, jitter=random.random)
        here[name] = turnstile = Turnstile(pacer, clock=clock)
    return turnstile
