"""Rates of sending: what the user allows a minute, and what a server was found to take.  Pure.

Times are seconds of one clock that only goes up, given by the caller.
"""

from __future__ import annotations

import math

_MINUTE = 60.0

NEVER_BEFORE = -math.inf
"""The time of what may happen at once."""


class Bucket:
    """A token bucket: so many units a minute, with a burst of what falls in one second.

    Kept as the time at which the bucket is full again, as the generic cell rate algorithm does
    (ITU-T I.371, annex A: its "theoretical arrival time"), so that asking for the time at which
    something may be taken and taking it then agree to the last bit.

    In no half-open minute are more units taken than allowed, but for what the last taking is too
    large: something larger than the burst is taken when the bucket is full, and waited for
    afterwards.

    Parameters
    ----------
    per_minute
        Units, 1 or more.
    """

    __slots__ = ("_burst", "_full_at", "_seconds_a_unit")

    def __init__(self, per_minute: float) -> None:
        self._burst = max(1.0, per_minute / _MINUTE)
        # The burst comes on top of what trickles in, so less than the limit may trickle in.
        self._seconds_a_unit = _MINUTE / (per_minute + 1.0 - self._burst)
        self._full_at = NEVER_BEFORE

    def ready_at(self, units: float) -> float:
        """When so many units can be taken."""
        spare = self._burst - min(units, self._burst)
        return self._full_at - spare * self._seconds_a_unit

    def take(self, now: float, units: float) -> None:
        """Take them."""
        self._full_at = max(self._full_at, now) + units * self._seconds_a_unit

    def settle(self, now: float, units: float) -> None:
        """Take more than was estimated, or put some back (negative units)."""
        if units > 0:
            self.take(now, units)
        else:
            self._full_at += units * self._seconds_a_unit


_JUST_BELOW = 0.95
_FEWEST_TAKEN = 5
"""Requests by which a rate is estimated at least."""

_RECENT = 32
"""Requests taken after which the rate before them is a thing of the past."""

_DOUBLING_SECONDS, _DOUBLING_REQUESTS, _LONGEST_DOUBLING = 10.0, 20.0, 30.0
_FORGOTTEN_AFTER = 4.0
"""Of the doubling times, after which 2**16 times the rate is allowed: nothing is held back."""

_CATCHING_UP = 0.05
"""Seconds of lateness of timers that may be made up for."""


class FoundRate:
    """The rate at which a server that refuses takes requests, found from what it took.

    Between two refusals the server's own bucket starts and ends empty, so what it took in between,
    by the time, is its rate; when it said how long to wait, the wait belongs to the time.  From
    then on requests are spaced out just below that rate, which rises slowly at first and ever
    faster (by ``2**(t**2)``, ``t`` in doubling times), so that a limit that was lifted is found
    out within a minute or so, and one that was not is seldom run into.
    """

    __slots__ = ("_counted_from", "_doubling", "_due", "_n_before", "_n_taken", "_rate", "_since")

    def __init__(self) -> None:
        self._rate: float | None = None
        self._since: float | None = None
        self._counted_from: float | None = None
        self._n_before = self._n_taken = 0
        self._doubling = _DOUBLING_SECONDS
        self._due = NEVER_BEFORE

    def answered(self, number: int) -> None:
        """The server took a request, the so-manieth that was sent."""
        # What was under way when it last refused was taken before, not since.
        self._n_taken += number > self._n_before

    def idled(self, seconds: float) -> None:
        """Nobody wanted anything for a while, which says nothing about the server."""
        if self._since is not None:
            self._since += seconds
        if self._counted_from is not None:
            self._counted_from += seconds

    def sent(self, now: float) -> None:
        """A request is on its way."""
        if self._counted_from is None:
            self._since = self._counted_from = now
        rate = self._now(now)
        if rate is not None:
            self._due = max(self._due, now - _CATCHING_UP) + 1.0 / rate

    def refused(self, now: float, pause: float, *, n_sent: int, is_away: bool) -> float | None:
        """The server refused one, the first since a while.

        Parameters
        ----------
        now
            The time.
        pause
            Seconds for which nothing is sent.
        n_sent
            Requests sent so far.
        is_away
            It has refused everything for some time, which says nothing about its rate.

        Returns
        -------
        float or None
            Requests a second, when the rate was found out anew.
        """
        found = None
        lasted = now + pause - (now if self._counted_from is None else self._counted_from)
        if self._n_taken >= _FEWEST_TAKEN and lasted > 0.0:
            self._rate = found = _JUST_BELOW * self._n_taken / lasted
            some = max(_DOUBLING_SECONDS, _DOUBLING_REQUESTS / found)
            self._doubling = min(some, _LONGEST_DOUBLING)
        elif not is_away:
            return None  # they and the time go on counting
        self._since = now + pause
        self._count_from(self._since, n_sent)
        return found

    def refused_anyway(self, now: float, *, n_sent: int) -> None:
        """The server refused one of so many sent, which may have nothing to do with the rate."""
        if self._n_taken >= _RECENT:
            self._count_from(now, n_sent)

    def _count_from(self, time: float, n_sent: int) -> None:
        self._counted_from, self._n_taken, self._n_before = time, 0, n_sent

    def ready_at(self, now: float) -> float:
        """When the next request may be sent."""
        return NEVER_BEFORE if self._now(now) is None else self._due

    def _now(self, now: float) -> float | None:
        """Requests a second, None for as many as you like."""
        if self._rate is None or self._since is None:
            return None
        doublings = max(0.0, now - self._since) / self._doubling
        if doublings > _FORGOTTEN_AFTER:
            self._rate = None
            return None
        return self._rate * 2.0 ** (doublings * doublings)
