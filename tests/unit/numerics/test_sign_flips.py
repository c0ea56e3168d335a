"""Sums over sign patterns."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from turnsure.numerics.sign_flips import flip_signs


def by_hand(values):
    """Patterns that reach, in whole numbers."""
    sums = [
        abs(sum(s * v for s, v in zip(signs, values, strict=True)))
        for signs in product((1, -1), repeat=len(values))
    ]
    return sum(total >= abs(sum(values)) for total in sums), len(sums)


@pytest.mark.parametrize("values", [(5,), (1, 2, 3), (1, -1, 4, 4), (3, 3, 3, -3, 1, 7, -2)])
def test_all_patterns(values):
    flips = flip_signs(np.array(values, dtype=float), draws=1000, seed=0)
    assert (flips.n_reaching, flips.n_patterns) == by_hand(values)
    assert flips.exact


def test_tenths_are_tied_as_whole_numbers_are():
    values = [1, 2, -3, 4, 7, -1]
    tenths = flip_signs(np.array(values) / 10, draws=100, seed=0)
    assert (tenths.n_reaching, tenths.n_patterns) == by_hand(values)


def test_zeros_are_no_part_of_the_patterns():
    flips = flip_signs(np.array([0.0, 0.5, 0.0, -0.25]), draws=4, seed=0)
    assert (flips.n_reaching, flips.n_patterns, flips.exact) == (4, 4, True)
    nothing = flip_signs(np.zeros(40), draws=1, seed=0)
    assert (nothing.n_reaching, nothing.n_patterns, nothing.exact) == (1, 1, True)


@pytest.mark.parametrize(("draws", "exact"), [(31, False), (32, True), (33, True)])
def test_patterns_are_enumerated_if_they_are_no_more_than_the_draws(draws, exact):
    flips = flip_signs(np.arange(1.0, 6.0), draws=draws, seed=0)
    assert (flips.exact, flips.n_patterns) == (exact, 32 if exact else draws)


@pytest.mark.parametrize("n", [11, 16, 19])
def test_random_patterns_are_fair(n):
    """Against all patterns, within 5 standard errors; n is and is not a multiple of 8."""
    values = np.random.default_rng(n).normal(0.15, 1, n)
    every = flip_signs(values, draws=1 << n, seed=0)
    draws = (1 << n) - 1
    some = flip_signs(values, draws=draws, seed=1)
    assert every.exact
    assert not some.exact
    p = every.n_reaching / every.n_patterns
    assert 0.05 < p < 0.95
    assert some.n_reaching / draws == pytest.approx(p, abs=5 * (p * (1 - p) / draws) ** 0.5)


def test_every_pattern_of_many_signs_reaches_only_as_often_as_it_should():
    """30 equal values: only two of 2³⁰ patterns reach, so none of 200,000 draws should."""
    assert flip_signs(np.ones(30), draws=200_000, seed=3).n_reaching == 0
    balanced = np.concatenate([np.ones(15), -np.ones(15)])
    assert flip_signs(balanced, draws=200_000, seed=3).n_reaching == 200_000


def test_the_seed_decides():
    values = np.random.default_rng(0).normal(0.2, 1, 40)

    def reaching(seed):
        return flip_signs(values, draws=5000, seed=seed).n_reaching

    assert reaching(1) == reaching(1)
    assert len({reaching(seed) for seed in range(5)}) > 1
