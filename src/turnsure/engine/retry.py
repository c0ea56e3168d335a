"""When to ask again, and after how long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from turnsure.core.errors import BackendError, RateLimited


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Exponential back-off with jitter; a server's Retry-After is honoured.

    Attributes
    ----------
    attempts
        Times a request is sent at most, 1 or more.
    first_wait, longest_wait
        Seconds before the second attempt, and the bound of the doubling.
    longest_retry_after
        A server that asks for a longer pause than this makes the request fail.
    """

    attempts: int = 6
    first_wait: float = 0.5
    longest_wait: float = 30.0
    longest_retry_after: float = 300.0

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
        if not error.retryable or attempt >= self.attempts:
            return None
        asked = error.retry_after if isinstance(error, RateLimited) else None
        if asked is not None:
            if asked > self.longest_retry_after:
                return None
            # A little more than asked, spread out so that waiting requests do not return at once.
            return asked * (1.0 + 0.1 * jitter())
        whole = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1))
        return whole * (0.5 + 0.5 * jitter())
