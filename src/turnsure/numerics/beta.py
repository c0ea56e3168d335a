"""The beta distribution: tails and quantiles, for exact binomial intervals."""

from __future__ import annotations

import math

_TINY = 1e-300
_EPSILON = 2.0**-53
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_STIRLING_FROM = 16.0


def beta_tails(a: float, b: float, x: float) -> tuple[float, float]:
    """Probabilities below and above ``x`` under Beta(a, b), for a, b > 0 and 0 <= x <= 1.

    The smaller of the two is computed, so that neither loses digits; the other is its complement.

    References
    ----------
    The continued fraction is 8.17.22 of the NIST Digital Library of Mathematical Functions,
    https://dlmf.nist.gov/8.17.
    """
    if x <= 0.0:
        return 0.0, 1.0
    if x >= 1.0:
        return 1.0, 0.0
    front = x * (1.0 - x) * _density(a, b, x)
    # The fraction converges fast on this side of the mean only.
    if x * (a + b + 2.0) <= a + 1.0:
        below = min(front * _continued_fraction(a, b, x) / a, 1.0)
        return below, 1.0 - below
    above = min(front * _continued_fraction(b, a, 1.0 - x) / b, 1.0)
    return 1.0 - above, above


def beta_quantile(a: float, b: float, tail: float, *, upper: bool = False) -> float:
    """The x with probability ``tail`` (in (0, 1)) below it, or above it if ``upper``; a, b >= 1.

    Newton's method on the logarithm of the tail, which is concave, so that steps are never wild;
    bisection whenever a step would leave the bracket.
    """
    low, high = 0.0, 1.0
    x = a / (a + b)
    target = math.log(tail)
    while True:
        below, above = beta_tails(a, b, x)
        reached = above if upper else below
        error = math.log(max(reached, _TINY)) - target
        if error == 0.0:
            return x
        if (error > 0.0) == upper:
            low = x
        else:
            high = x
        density = _density(a, b, x)
        slope = (-density if upper else density) / max(reached, _TINY)
        step = error / slope if slope else math.inf
        if abs(step) <= 2.0 * _EPSILON * x:
            return x
        x -= step
        if not low < x < high:
            x = 0.5 * (low + high)
            if not low < x < high:
                return x


def _density(a: float, b: float, x: float) -> float:
    """Density of Beta(a, b) at 0 < x < 1.

    Written around the mean, so that no large logarithms cancel: with Γ(z) = √(2π/z) (z/e)^z e^δ(z),
    x^a (1-x)^b / B(a, b) is √(ab / 2π(a+b)) times exp of the small terms below.
    """
    total = a + b
    away = x - a / total
    left, right = away * total / a, -away * total / b
    # Near the mean log1p keeps the digits of a small difference; far from it those of x itself.
    log_left = math.log1p(left) if abs(left) < 0.5 else math.log(x * total / a)
    log_right = math.log1p(right) if abs(right) < 0.5 else math.log((1.0 - x) * total / b)
    exponent = a * (log_left - left) + b * (log_right - right)
    exponent += _stirling_error(total) - _stirling_error(a) - _stirling_error(b)
    return math.sqrt(a * b / (2.0 * math.pi * total)) * math.exp(exponent) / (x * (1.0 - x))


def _stirling_error(z: float) -> float:
    """δ(z) = ln Γ(z) − ((z − ½) ln z − z + ½ ln 2π)."""
    if z < _STIRLING_FROM:
        return math.lgamma(z) - ((z - 0.5) * math.log(z) - z + 0.5 * math.log(2.0 * math.pi))
    inverse_square = 1.0 / (z * z)
    total = 0.0
    for coefficient in reversed(_STIRLING):
        total = total * inverse_square + coefficient
    return total / z


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Modified Lentz evaluation; the number of terms grows like √max(a, b)."""
    c = 1.0
    d = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    m = 0
    while True:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        d = 1.0 / _away_from_zero(1.0 + even * d)
        c = _away_from_zero(1.0 + even / c)
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        d = 1.0 / _away_from_zero(1.0 + odd * d)
        c = _away_from_zero(1.0 + odd / c)
        change = d * c
        value *= change
        if abs(change - 1.0) <= 4.0 * _EPSILON:
            return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
