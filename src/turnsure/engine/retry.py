"""When to ask again, and after how long."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from turnsure.core.errors import BackendError, BackendTimeout, MalformedResponse, RateLimited
from turnsure.core.protocols import Backend
from turnsure.models.pacing import LONGEST_PAUSE


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Exponential back-off with jitter; a server's Retry-After is honoured.

    Attributes
    ----------
    attempts
        Times a request is sent at most, 1 or more.
    fewer_attempts
        The same where the reply cannot be read or did not come in time: such a server mostly goes
        on so, and a timeout is waited for in full each time.
    first_wait, longest_wait
        Seconds before the second attempt, and the bound of the doubling.
    longest_retry_after
        A server that asks for a longer pause than this makes the request fail.
    """

    attempts: int = 6
    fewer_attempts: int = 3
    first_wait: float = 0.5
    longest_wait: float = 30.0
    longest_retry_after: float = LONGEST_PAUSE

    def wait(self, error: BackendError, attempt: int, jitter: Callable[[], float]) -> float | None:
        """Seconds to wait after the given attempt (1-based), or None to give up.

        Parameters
        ----------
        error
            What went wrong.
        attempt
            How many times it was sent.
        jitter
            Draws from [0, 1).
        """
        few = isinstance(error, MalformedResponse | BackendTimeout)
        most = min(self.attempts, self.fewer_attempts) if few else self.attempts
        if not error.retryable or attempt >= most:
            return None
        asked = error.retry_after if isinstance(error, RateLimited) else None
        if asked is not None:
            if asked > self.longest_retry_after:
                return None
            # A little more than asked, spread out so that waiting requests do not return at once.
            return asked * (1.0 + 0.1 * jitter())
        whole = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1))
        return whole * (0.5 + 0.5 * jitter())


AT_START = RetryPolicy(attempts=4)
"""A few seconds: a server that hiccups is waited for, a wrong address is told soon."""


async def start_patiently(
    backend: Backend,
    *,
    policy: RetryPolicy = AT_START,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    jitter: Callable[[], float] = random.random,
) -> None:
    """Start a back-end; one that is busy or away for a moment gets another chance.

    Raises
    ------
    BackendError
        It failed for good.
    """
    attempt = 1
    while True:
        try:
            await backend.start()
        except BackendTimeout:
            # It was waited for long enough.
            raise
        except BackendError as error:
            pause = policy.wait(error, attempt, jitter)
            if pause is None:
                raise
            attempt += 1
            await sleep(pause)
        else:
            return
