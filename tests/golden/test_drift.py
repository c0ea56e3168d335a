"""Drift: by hand in exact fractions, and published values."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from turnsure.calibration.drift.gap import gap_test
from turnsure.calibration.drift.monitor import monitor_gap, monitor_rate
from turnsure.calibration.drift.recalibration import recalibration
from turnsure.numerics.tails import kolmogorov_tail
from turnsure.numerics.trials import successes_p_value
from turnsure.numerics.two_samples import smirnov_test

SIZES = [Fraction(1, 2**k) for k in range(7, 0, -1)] + [Fraction(3, 4), Fraction(15, 16)]


def test_the_capital_of_the_gap_in_fractions():
    chance = [Fraction(1, 2), Fraction(3, 4), Fraction(7, 8), Fraction(1, 4)]
    right = [0, 0, 1, 0]
    capital = Fraction(0)
    for size in SIZES:
        for bet in (size, -size):
            won = Fraction(1)
            for p, y in zip(chance, right, strict=True):
                won *= 1 + bet * (y - p)
            capital += won
    capital /= 2 * len(SIZES)
    deviation = np.array(right) - np.array([float(p) for p in chance])
    assert monitor_gap(deviation, alpha=0.05).e_value == pytest.approx(float(capital), rel=1e-13)


def test_the_capital_of_the_rate_in_fractions():
    target, loss = Fraction(1, 20), [1, 0, 1, 1, 0]
    capital = Fraction(0)
    for size in SIZES:
        won = Fraction(1)
        for one in loss:
            won *= 1 + size / target * (one - target)
        capital += won
    capital /= len(SIZES)
    found = monitor_rate(np.array(loss, dtype=float), at_most=0.05, alpha=0.05)
    assert found.e_value == pytest.approx(float(capital), rel=1e-12)


def test_the_rates_bets_are_likelihood_ratios():
    # With one bet of size s the rate r = target + (1 - target) s is bet on.
    target, loss = Fraction(1, 10), [1, 0, 0, 1]
    for size in SIZES:
        rate = target + (1 - target) * size
        ratio = won = Fraction(1)
        for one in loss:
            ratio *= rate / target if one else (1 - rate) / (1 - target)
            won *= 1 + size / target * (one - target)
        assert ratio == won


def test_the_number_of_right_answers_in_fractions():
    chance = [Fraction(9, 10), Fraction(3, 4), Fraction(1, 2), Fraction(4, 5), Fraction(19, 20)]
    mass = [Fraction(1)]
    for p in chance:
        mass = [
            (mass[k] * (1 - p) if k < len(mass) else 0) + (mass[k - 1] * p if k else 0)
            for k in range(len(mass) + 1)
        ]
    column = np.array([float(p) for p in chance])
    for k in range(6):
        wanted = min(Fraction(1), 2 * min(sum(mass[: k + 1]), sum(mass[k:])))
        assert successes_p_value(column, k)[0] == pytest.approx(float(wanted), rel=1e-14)
    right = np.array([True, False, False, True, False])
    wanted = min(Fraction(1), 2 * sum(mass[:3]))
    assert gap_test(column, right, np.arange(5)).p_value == pytest.approx(float(wanted), rel=1e-14)


@pytest.mark.parametrize(("n", "d"), [(3, 3), (5, 4), (8, 5), (10, 7)])
def test_two_equal_samples_by_reflection(n, d):
    """Gnedenko and Korolyuk (1951): P(D ≥ d/n) = 2 Σ (−1)^(k−1) C(2n, n − kd) / C(2n, n)."""
    total = sum((-1) ** (k - 1) * comb(2 * n, n - k * d) for k in range(1, n // d + 1))
    wanted = Fraction(2 * total, comb(2 * n, n))
    # d values of the first sample below all of the second, then turn by turn, the rest last.
    order = [1] * d + [0, 1] * (n - d) + [0] * d
    first = np.array(order)
    found = smirnov_test(np.arange(2.0 * n), first, 1 - first)
    assert found.statistic == pytest.approx(d / n)
    assert found.p_value == pytest.approx(float(wanted), rel=1e-13)


@pytest.mark.parametrize(("x", "tail"), [(1.2238, 0.1), (1.3581, 0.05), (1.6276, 0.01)])
def test_kolmogorovs_limit_has_the_critical_values_of_text_books(x, tail):
    assert kolmogorov_tail(x) == pytest.approx(tail, rel=4e-4)


def test_a_recalibration_line_through_two_points():
    """Two probabilities: the fitted line goes through both observed rates, and the likelihood
    ratio is that of two binomials against the announced rates."""
    low, high = Fraction(1, 5), Fraction(4, 5)
    n, k_low, k_high = 20, 6, 13
    probability = np.repeat([float(low), float(high)], n)
    correct = np.concatenate((np.arange(n) < k_low, np.arange(n) < k_high))
    found = recalibration(probability, correct, np.arange(2 * n))
    logits = [np.log(k / (n - k)) for k in (k_low, k_high)]
    step = np.log(4.0)
    slope = (logits[1] - logits[0]) / (2.0 * step)
    assert found.slope.value == pytest.approx(slope, rel=1e-12)
    assert found.intercept.value == pytest.approx((logits[0] + logits[1]) / 2.0, rel=1e-12)
    ratio = 0.0
    for k, p in ((k_low, 0.2), (k_high, 0.8)):
        ratio += 2.0 * (k * np.log(k / (n * p)) + (n - k) * np.log((n - k) / (n * (1.0 - p))))
    assert found.statistic == pytest.approx(ratio, rel=1e-12)
    assert found.p_value == pytest.approx(np.exp(-ratio / 2.0), rel=1e-12)
    errors = [1.0 / (n * (k / n) * (1.0 - k / n)) for k in (k_low, k_high)]
    assert found.slope.standard_error == pytest.approx(
        np.sqrt(sum(errors)) / (2.0 * step), rel=1e-10
    )
