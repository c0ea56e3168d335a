"""How many requests may be in flight, found from what the server does.  Pure.

Additive increase and multiplicative decrease, as TCP does it (Jacobson, "Congestion avoidance and
control", SIGCOMM 1988; RFC 5681): the limit doubles in a round trip up to where it last had to
fall, and grows by one a round trip beyond.  A round trip ends with the first reply to a request
that was sent after it began, and costs at most one decrease.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

_FIRST = 8
_LATE = 4.0
"""A reply is late when it took so many times as long as the quickest of its kind."""

_NEVER_LATE = 0.1
"""Seconds in which a reply is never late: at many short requests, the client itself is the load."""

_FEWEST = 8
"""Replies by which lateness is judged at least."""

_PROBING = 1.0 / 16.0
"""How much slower the limit grows into where the server refused the last time."""


class Window:
    """The bound of requests in flight: from 1 to the user's.

    Lateness is judged by the earliest of a round trip's replies, each measured by the quickest
    reply ever of its kind: replies of a model differ in length, but a loaded server slows all of
    them.  Each decrease for lateness doubles what counts as quickest: if halving the requests in
    flight did not halve the time, the load was not the cause, and the time is the new normal.

    Parameters
    ----------
    most
        The user's bound, 1 or more.
    """

    __slots__ = (
        "_answered",
        "_ceiling",
        "_earliest",
        "_fell",
        "_limit",
        "_most",
        "_n_judged",
        "_quickest",
        "_slow_from",
        "_trip",
    )

    def __init__(self, most: int) -> None:
        self._most = float(most)
        self._limit = min(self._most, float(_FIRST))
        self._slow_from = self._most
        self._ceiling = math.inf
        self._answered = True
        self._fell = self._trip = 0
        self._n_judged = 0
        self._earliest = math.inf
        self._quickest: dict[Hashable, float] = {}

    @property
    def limit(self) -> int:
        """Requests that may be in flight, from 1 to the bound."""
        return int(self._limit)

    @property
    def is_in_vain(self) -> bool:
        """Whether no reply came since the last decrease."""
        return not self._answered

    def answered(
        self, number: int, *, kind: Hashable, seconds: float, n_in_flight: int, n_sent: int
    ) -> None:
        """A reply came.

        Parameters
        ----------
        number
            Which request it answers, counted from 1 in the order of sending.
        kind
            Requests of one kind take about as long as each other.
        seconds
            From sending to the last byte.
        n_in_flight
            Requests in flight, this one included.
        n_sent
            Requests sent so far.
        """
        self._answered = True
        # A limit that is not used says nothing about a higher one.
        if self._limit < self._most and 2 * n_in_flight >= self._limit:
            self._grow()
        quickest = self._quickest.get(kind)
        if quickest is None or seconds < quickest:
            self._quickest[kind] = quickest = seconds
        if number > self._trip:
            self._n_judged += 1
            lateness = seconds / quickest if seconds > _NEVER_LATE and quickest > 0.0 else 1.0
            if lateness < self._earliest:
                self._earliest = lateness
            if self._n_judged >= max(_FEWEST, self._limit):
                self._judge(n_sent)

    def refused(self, number: int, *, n_sent: int) -> bool:
        """The server refused a request because it has too many; True when the limit fell for it."""
        if number <= self._fell:
            return False
        self._ceiling = self._limit
        self._fall(n_sent)
        return True

    def failed(self, number: int, *, n_sent: int) -> None:
        """No reply came in time, or at all."""
        if number > self._fell:
            self._fall(n_sent)

    def _grow(self) -> None:
        if self._limit < self._slow_from:
            step = 1.0
        elif self._limit < self._ceiling < self._limit + 1.0:
            step = _PROBING / self._limit
        else:
            step = 1.0 / self._limit
        self._limit = min(self._most, self._limit + step)
        if self._limit >= self._ceiling:
            self._ceiling = math.inf

    def _judge(self, n_sent: int) -> None:
        late = self._earliest > _LATE
        self._start_trip(n_sent)
        if late:
            self._fall(n_sent)
            self._quickest = {kind: 2.0 * time for kind, time in self._quickest.items()}

    def _fall(self, n_sent: int) -> None:
        half = max(1.0, self._limit / 2.0)
        # One that goes on falling is not told anything new about where it was well.
        if self._answered:
            self._slow_from = half
        self._limit = half
        self._answered = False
        self._fell = n_sent
        self._start_trip(n_sent)

    def _start_trip(self, n_sent: int) -> None:
        self._trip = n_sent
        self._n_judged, self._earliest = 0, math.inf
