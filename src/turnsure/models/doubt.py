"""Whether failures have to do with how much is sent at all.  Pure.

Some servers refuse a share of all requests, however few there are, and some lines cut a share of
all connections.  Whoever slows down for each of them crawls, and fails as often.
"""

from __future__ import annotations

_MOST = 3
"""Of the requests sent, one in so many may fail for other reasons than the load."""

_KEPT = 64
"""Requests that are looked back on."""

_SLOWED = 0.5


class Share:
    """Failures among the requests sent of late."""

    __slots__ = ("_n", "_n_failed")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._n = self._n_failed = 0

    def sent(self) -> None:
        """A request is on its way."""
        self._n += 1
        if self._n >= _KEPT:
            self._n, self._n_failed = self._n // 2, self._n_failed // 2

    def failed(self) -> bool:
        """One failed; True when too many do, more than one in three and more than one."""
        self._n_failed += 1
        if (self._n_failed - 1) * _MOST <= self._n:
            return False
        self.clear()
        return True


class Doubt:
    """Decides which refusals are taken for a sign of the load.

    All of them, until they have brought the rate down to half of what it was.  No count at one
    load can tell whether that is what the server takes, so from then on refusals are ignored
    while more and more is sent: a server that has too many soon refuses much of what comes on
    top, and is believed again.
    """

    __slots__ = ("_best", "_doubts", "_share")

    def __init__(self) -> None:
        self._best: float | None = None
        self._doubts = False
        self._share = Share()

    def sent(self) -> None:
        """A request is on its way."""
        self._share.sent()

    def refused(self) -> bool:
        """Count a refusal; True when it is to be taken for a sign of the load."""
        if not self._doubts:
            return True
        if not self._share.failed():
            return False
        self._doubts, self._best = False, None
        return True

    def found(self, rate: float) -> None:
        """The server was found to take so many requests a second, after it refused one."""
        if self._best is None:
            self._best = 0.0  # the first is that of a burst
            return
        self._best = max(self._best, rate)
        if rate < _SLOWED * self._best:
            self._doubts = True
            self._share.clear()
