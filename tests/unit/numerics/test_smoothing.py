"""Smoothing with the reflected Gaussian."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from turnsure.numerics.smoothing import Smoother


def slow_total(values, masses, sigma):
    """∫ |Σ mass K_σ(t, value)| dt by summing reflected Gaussians at 40,001 points."""
    t = np.linspace(0, 1, 40_001)
    smoothed = np.zeros_like(t)
    for value, mass in zip(values, masses, strict=True):
        for shift in range(-8, 9):
            for image in (2 * shift + value, 2 * shift - value):
                smoothed += mass * np.exp(-0.5 * ((t - image) / sigma) ** 2)
    return np.trapezoid(np.abs(smoothed), t) / (sigma * math.sqrt(2 * math.pi))


def slow_fixed_point(values, masses):
    least, most = abs(sum(masses)), sum(np.abs(masses))
    return brentq(lambda s: slow_total(values, masses, s) - s, max(least, 1e-6), most, xtol=1e-10)


CASES = {
    "even": (np.linspace(0.02, 0.98, 9), [0.1, -0.1, 0.05, 0.1, -0.2, 0.05, -0.1, 0.2, -0.05]),
    "at the ends": ([0.0, 1.0, 0.5], [0.3, 0.2, -0.35]),
    "close": ([0.499, 0.501], [0.5, -0.5]),
    "all but balanced": ([0.1, 0.11, 0.9], [0.2, -0.199, 0.01]),
    "small": ([0.2, 0.21, 0.7], [0.004, -0.004, 0.001]),
}


@pytest.mark.parametrize("case", CASES)
def test_agrees_with_direct_quadrature(case):
    values, masses = map(np.array, CASES[case])
    [sigma] = Smoother(values, error=1e-7, narrowest=1e-9).fixed_points(masses[np.newaxis])
    assert sigma == pytest.approx(slow_fixed_point(values, masses), abs=1e-7)
    [coarse] = Smoother(values, error=1e-5, narrowest=1e-3).fixed_points(masses[np.newaxis])
    assert coarse == pytest.approx(sigma, abs=1e-5)


def test_many_rows_at_once_are_each_on_their_own():
    random = np.random.default_rng(4)
    values = random.random(30)
    masses = random.normal(size=(300, 30)) * np.geomspace(1e-4, 0.03, 300)[:, np.newaxis]
    together = Smoother(values, error=1e-6, narrowest=1e-6).fixed_points(masses)
    for row in (0, 7, 150, 299):
        alone = Smoother(values, error=1e-6, narrowest=1e-6).fixed_points(masses[[row]])
        assert together[row] == pytest.approx(alone[0], abs=2e-6)


@pytest.mark.parametrize("mass", [0.0, 1e-9, 0.3, -0.3])
def test_masses_of_one_sign_add_up_whatever_the_width(mass):
    values, masses = np.array([0.1, 0.6]), np.array([[mass, 2 * mass]])
    [sigma] = Smoother(values, error=1e-7, narrowest=1e-9).fixed_points(masses)
    assert sigma == pytest.approx(3 * abs(mass), abs=1e-15)


def test_grids_grow_finer_until_the_narrowest():
    smoother = Smoother(np.zeros(1), error=1e-5, narrowest=1e-3)
    steps = [smoother.steps_for(width) for width in (1.0, 0.1, 0.01, 1e-3, 1e-6)]
    assert steps == sorted(steps)
    assert steps[-1] == steps[-2] == 8192
    assert Smoother(np.zeros(1), error=1e-7, narrowest=1e-9).steps_for(1e-9) == 1 << 20
