"""The rising fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from turnsure.numerics.isotonic import pool_adjacent_violators


def fitted(pools, n):
    sizes = np.diff(pools.starts, append=n)
    return np.repeat(pools.sums / pools.weights, sizes)


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_scipy(seed):
    random = np.random.default_rng(seed)
    weights = random.integers(1, 5, 60).astype(float)
    means = random.random(60) + np.linspace(0, seed / 5, 60)
    pools = pool_adjacent_violators(means * weights, weights)
    expected = isotonic_regression(means, weights=weights).x
    assert fitted(pools, 60) == pytest.approx(expected, abs=1e-12)


def test_equal_neighbours_share_a_pool():
    pools = pool_adjacent_violators(np.array([1.0, 2.0, 4.0]), np.array([3.0, 6.0, 8.0]))
    assert pools.starts.tolist() == [0, 2]
    assert (pools.sums / pools.weights).tolist() == [1 / 3, 0.5]


def test_rising_means_stay_apart():
    pools = pool_adjacent_violators(np.array([0.0, 1.0, 3.0]), np.array([3.0, 3.0, 3.0]))
    assert pools.starts.tolist() == [0, 1, 2]


def test_falling_means_become_one_pool():
    pools = pool_adjacent_violators(np.array([3.0, 2.0, 1.0]), np.ones(3))
    assert (pools.starts.tolist(), pools.sums.tolist(), pools.weights.tolist()) == ([0], [6], [3])
