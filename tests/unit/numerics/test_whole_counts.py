"""Bounds for the passes among all of a known number of trials, looked at after every one."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from turnsure.numerics.intervals import clopper_pearson_bounds
from turnsure.numerics.whole_counts import whole_count_bounds


def plainly(passes, runs, total, level):
    """The definition, in whole numbers, for every count."""
    limit = (1 - Fraction(str(level))) * math.comb(total, runs)
    kept = [
        count
        for count in range(total + 1)
        if math.comb(count, passes) * math.comb(total - count, runs - passes) * (runs + 1) > limit
    ]
    return kept[0], kept[-1]


@pytest.mark.parametrize("total", [1, 2, 7, 20])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_it_is_the_definition(total, level):
    for runs in range(total + 1):
        for passes in range(runs + 1):
            assert whole_count_bounds(passes, runs, total, level) == plainly(
                passes, runs, total, level
            )


def test_by_hand():
    # C(20, 5) × 0.05 / 6 = 129.2 lies between C(9, 5) = 126 and C(10, 5) = 252.
    assert whole_count_bounds(5, 5, 20, 0.95) == (10, 20)
    assert whole_count_bounds(0, 5, 20, 0.95) == (0, 10)


def test_it_is_all_or_nothing_at_the_ends():
    assert whole_count_bounds(0, 0, 20, 0.95) == (0, 20)
    assert [whole_count_bounds(k, 20, 20, 0.95) for k in range(21)] == [(k, k) for k in range(21)]


def test_many_trials():
    assert whole_count_bounds(150, 400, 1_000, 0.95) == plainly(150, 400, 1_000, 0.95)


def ever_missed(count, total, bounds):
    """Exact probability that the bounds miss the count after at least one number of runs."""
    never = {0: 1.0}
    for runs in range(1, total + 1):
        after: dict[int, float] = {}
        for passes, chance in never.items():
            up = (count - passes) / (total - runs + 1)
            for now, step in ((passes + 1, up), (passes, 1.0 - up)):
                low, high = bounds(now, runs)
                if step > 0 and low <= count <= high:
                    after[now] = after.get(now, 0.0) + chance * step
        never = after
    return 1.0 - sum(never.values())


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_it_holds_the_count_after_every_run_at_once(level):
    missed = [
        ever_missed(count, 20, lambda passes, runs: whole_count_bounds(passes, runs, 20, level))
        for count in range(21)
    ]
    assert max(missed) <= 1.0 - level
    assert max(missed) > 0.1 * (1.0 - level)  # it is no empty promise


def test_an_interval_made_for_one_look_does_not():
    """Which is why an interval such as Clopper and Pearson's may not decide when to stop."""

    @cache
    def one_look(passes, runs):
        low, high = clopper_pearson_bounds(passes, runs, 0.8)
        return 60 * low, 60 * high

    assert ever_missed(30, 60, one_look) > 0.25
    assert ever_missed(30, 60, lambda k, n: whole_count_bounds(k, n, 60, 0.8)) <= 0.2


def test_it_holds_in_simulated_samples_whatever_their_chance():
    """Independent samples; what is to be held is the share of all m of them."""
    level, total = 0.9, 20
    low, high = (np.full((total + 1, total + 1), np.nan) for _ in range(2))
    for runs in range(total + 1):
        for passes in range(runs + 1):
            low[runs, passes], high[runs, passes] = whole_count_bounds(passes, runs, total, level)
    rng = np.random.default_rng(3)
    for chance in (0.1, 0.5, 0.9):
        passes = (rng.random((20_000, total)) < chance).cumsum(axis=1)
        whole, runs = passes[:, -1:], np.arange(1, total + 1)
        held = (low[runs, passes] <= whole) & (whole <= high[runs, passes])
        assert held.all(axis=1).mean() >= level
