"""A test that may be looked at after every row: betting against the gate.

A gambler starts with 1 and bets, before each unit is seen, a share of the capital on it.  If the
gate holds, no way to bet wins in expectation, so that the capital exceeds 1/α *ever* with a
probability of at most α (Ville's inequality): an alarm at the first such moment is wrong with that
probability at most, however long the stream and however often one looks.

Several constant bets are kept side by side and their capitals averaged, which is a fair bet again.

References
----------
Waudby-Smith, Ramdas: Estimating means of bounded random variables by betting. Journal of the Royal
Statistical Society B 86 (2024): capital processes, and averages of them ("dKelly", appendix B).
Ville: Étude critique de la notion de collectif (1939).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from turnsure.numerics.arrays import FloatArray, IntArray

_SIZES = (*(2.0**-k for k in range(7, 0, -1)), 0.75, 0.9375)
"""Shares of the largest bet that cannot lose everything, finest for small deviations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """What the gambler won.

    Attributes
    ----------
    n
        Units seen.
    e_value
        The capital in the end: evidence against the gate, 1 being none.
    largest
        The largest capital so far; α-level alarms are at 1/α.
    alarm
        Index of the unit at which the capital first reached 1/α; None for never.
    limit
        1/α.
    rising
        For the gap: whether accuracy above the probability won more than accuracy below it.
    """

    n: int
    e_value: float
    largest: float
    alarm: int | None
    limit: float
    rising: bool | None = None

    @property
    def p_value(self) -> float:
        """Valid at any time: min(1, 1 / largest capital)."""
        return min(1.0, 1.0 / self.largest)


def monitor_gap(deviation: FloatArray, *, alpha: float) -> Monitor:
    """Bet against "the mean of correct − probability is 0 at every step, given all before".

    Bets are ±λ with λ in :data:`_SIZES`, each wins λ × deviation of its capital.

    Parameters
    ----------
    deviation
        Of each unit in the order of the stream, in [−1, 1], shape (n,): correct − probability, or
        its mean over the rows of a dialogue.
    alpha
        In (0, 1).
    """
    sides = [[sign * size for size in _SIZES] for sign in (-1.0, 1.0)]
    below, above = (_log_capital(deviation, bets) for bets in sides)
    both = np.logaddexp(below, above) - math.log(2.0)
    last = int(np.argmax(both)) if len(both) else 0
    rising = bool(above[last] > below[last]) if len(both) else None
    return _monitor(both, alpha, rising)


def monitor_rate(loss: FloatArray, *, at_most: float, alpha: float) -> Monitor:
    """Bet against "the mean loss is at most ``at_most`` at every step, given all before".

    A bet λ in [0, 1/at_most) wins λ (loss − at_most) of its capital; for losses of 0 and 1 it is
    the likelihood ratio of a larger rate r, λ = (r − ε)/(ε(1 − ε)), with (r − ε)/(1 − ε) in
    :data:`_SIZES`.

    Parameters
    ----------
    loss
        Of each unit in the order of the stream, in [0, 1], shape (n,).
    at_most
        ε in (0, 1).
    alpha
        In (0, 1).
    """
    bets = [size / at_most for size in _SIZES]
    return _monitor(_log_capital(loss - at_most, bets), alpha, None)


def stream_units(group: IntArray, value: FloatArray) -> tuple[FloatArray, IntArray]:
    """Mean value of each dialogue, and the row at which it is complete, in the order of these rows.

    Rows of one dialogue depend on each other; their mean counts once, at the last of them.

    Parameters
    ----------
    group
        Dialogue of each row, shape (n,); numbers may be left out.
    value
        Shape (n,).
    """
    _, code = np.unique(group, return_inverse=True)
    n = int(code.max(initial=-1)) + 1
    last = np.zeros(n, dtype=np.intp)
    last[code] = np.arange(len(code))  # later rows overwrite earlier ones
    means = np.bincount(code, value, n) / np.maximum(np.bincount(code, minlength=n), 1)
    order = np.argsort(last)
    return means[order], last[order]


def _log_capital(excess: FloatArray, bets: Sequence[float]) -> FloatArray:
    """Log of the mean capital of constant bets after each unit, shape (n,)."""
    total = np.full(len(excess), -np.inf)
    for bet in bets:
        total = np.logaddexp(total, np.cumsum(np.log1p(bet * excess)))
    return total - math.log(len(bets))


def _monitor(log_capital: FloatArray, alpha: float, rising: bool | None) -> Monitor:
    if not len(log_capital):
        return Monitor(n=0, e_value=1.0, largest=1.0, alarm=None, limit=1.0 / alpha)
    reached = log_capital >= -math.log(alpha)
    return Monitor(
        n=len(log_capital),
        e_value=_exp(float(log_capital[-1])),
        largest=max(1.0, _exp(float(log_capital.max()))),
        alarm=int(np.argmax(reached)) if reached.any() else None,
        limit=1.0 / alpha,
        rising=rising,
    )


def _exp(log: float) -> float:
    """Capped where a double ends."""
    return math.exp(min(log, 700.0))
