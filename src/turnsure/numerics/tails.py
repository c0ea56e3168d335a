"""Tails of the distributions that test statistics are compared with."""

from __future__ import annotations

import math

from turnsure.numerics.beta import beta_tails

_SMALL_FROM = 1.0
"""Below this Kolmogorov's distribution function converges fast, above it its tail does."""


def normal_two_sided(z: float) -> float:
    """P(|Z| > |z|) for a standard normal Z."""
    return math.erfc(abs(z) / math.sqrt(2.0))


def student_two_sided(t: float, degrees: int) -> float:
    """P(|T| > |t|) under Student's distribution with ``degrees`` ≥ 1 degrees of freedom.

    References
    ----------
    Abramowitz, Stegun: Handbook of Mathematical Functions (1964), 26.5.27.
    """
    square = t * t
    if math.isinf(square):
        return 0.0
    if square > degrees:
        return beta_tails(0.5 * degrees, 0.5, degrees / (degrees + square))[0]
    return beta_tails(0.5, 0.5 * degrees, square / (degrees + square))[1]


def chi_square_one(x: float) -> float:
    """P(X > x) under χ² with one degree of freedom; 1 for x ≤ 0."""
    return math.erfc(math.sqrt(max(x, 0.0) / 2.0))


def chi_square_two(x: float) -> float:
    """P(X > x) under χ² with two degrees of freedom; 1 for x ≤ 0."""
    return math.exp(-max(x, 0.0) / 2.0)


def hotelling_two(x: float, degrees: int) -> float:
    """P(T² > x) under Hotelling's T² in two dimensions with ``degrees`` ≥ 2 degrees of freedom.

    (ν − 1)/(2ν) T² has the F distribution with 2 and ν − 1 degrees of freedom, whose tail is
    elementary: P(T² > x) = (1 + x/ν)^(−(ν − 1)/2).  It tends to that of χ² with two degrees.

    References
    ----------
    Hotelling: The generalization of Student's ratio. Annals of Mathematical Statistics 2 (1931).
    """
    return math.exp(-0.5 * (degrees - 1) * math.log1p(max(x, 0.0) / degrees))


def kolmogorov_tail(x: float) -> float:
    """The limit of P(√n D > x) for Kolmogorov's statistic D, x ≥ 0.

    2 Σ (−1)^(k−1) exp(−2k²x²), and for small x the complement of the equal series
    √(2π)/x Σ exp(−(2k − 1)²π²/8x²).

    References
    ----------
    Smirnov: Table for estimating the goodness of fit of empirical distributions. Annals of
    Mathematical Statistics 19 (1948).
    """
    if x <= 0.0:
        return 1.0
    if x < _SMALL_FROM:
        base = -math.pi * math.pi / (8.0 * x * x)
        terms = math.fsum(math.exp((2 * k - 1) ** 2 * base) for k in range(1, 8))
        return 1.0 - math.sqrt(2.0 * math.pi) / x * terms
    tail = math.fsum((-1) ** (k - 1) * math.exp(-2.0 * k * k * x * x) for k in range(1, 8))
    return 2.0 * tail
