"""Differences between two independent samples, with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A number with its bounds, None where there are none, and the rows behind it."""

    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A number of the evidence and of the new rows.

    Attributes
    ----------
    name
        Of the metric or, for shares, of the action.
    before, now
        On the evidence, None where the gate does not keep it, and on the new rows.
    difference, low, high
        Now − before with its interval; None where there is none.
    """

    name: str
    before: Measured | None
    now: Measured
    difference: float | None
    low: float | None
    high: float | None

    @property
    def is_clear(self) -> bool:
        """Whether the interval of the difference excludes 0."""
        return self.low is not None and self.high is not None and not self.low <= 0.0 <= self.high


def change(name: str, before: Measured | None, now: Measured) -> Change:
    """The difference of two independent numbers.

    The interval is made of the two intervals: with d = now − before,
    d − √((now − low now)² + (high before − before)²) and
    d + √((high now − now)² + (before − low before)²).  Of Wilson's intervals for two rates this is
    Newcombe's.  A bound on the wrong side of its own number, as a bootstrap can give for a biased
    statistic, counts as the number.

    References
    ----------
    Zou, Donner: Construction of confidence limits about effect measures: a general approach.
    Statistics in Medicine 27 (2008), equation 3.  Newcombe: Interval estimation for the difference
    between independent proportions. Statistics in Medicine 17 (1998), method 10.
    """
    low = high = None
    if before is None:
        return Change(name=name, before=None, now=now, difference=None, low=None, high=None)
    difference = now.value - before.value
    known = (before.low, before.high, now.low, now.high)
    if None not in known:
        below_now, above_now = _sides(now)
        below_before, above_before = _sides(before)
        low = difference - math.hypot(below_now, above_before)
        high = difference + math.hypot(above_now, below_before)
    return Change(name=name, before=before, now=now, difference=difference, low=low, high=high)


def _sides(measured: Measured) -> tuple[float, float]:
    """How far the bounds are below and above the number, at least 0."""
    low = measured.value if measured.low is None else measured.low
    high = measured.value if measured.high is None else measured.high
    return max(measured.value - low, 0.0), max(high - measured.value, 0.0)
