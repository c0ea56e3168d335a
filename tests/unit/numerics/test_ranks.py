"""Tie groups and ordered pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from turnsure.numerics.ranks import concordant_minus_discordant, tie_groups


def test_tie_groups():
    groups = tie_groups(np.array([0.5, 0.1, 0.5, 0.9]))
    assert groups.order.tolist() == [1, 0, 2, 3]
    assert groups.starts.tolist() == [0, 1, 3]
    assert groups.sizes.tolist() == [1, 2, 1]
    assert groups.last.tolist() == [0, 2, 3]


def test_the_highest_first():
    groups = tie_groups(np.array([0.5, 0.1, 0.5, 0.9]), descending=True)
    assert groups.order.tolist() == [3, 0, 2, 1]
    assert groups.starts.tolist() == [0, 1, 3]


def test_a_single_value():
    groups = tie_groups(np.array([0.3]))
    assert (groups.order.tolist(), groups.sizes.tolist()) == ([0], [1])


def test_pairs_of_runs_of_different_lengths():
    random = np.random.default_rng(0)
    sizes = np.array([1, 5, 2, 40, 5, 3])
    values = random.integers(0, 6, sizes.sum()).astype(float)
    runs = [run.tolist() for run in np.split(values, np.cumsum(sizes)[:-1])]
    expected = [
        sum((later > earlier) - (later < earlier) for earlier, later in combinations(run, 2))
        for run in runs
    ]
    assert concordant_minus_discordant(values, sizes).tolist() == expected


def test_no_runs():
    assert concordant_minus_discordant(np.zeros(0), np.zeros(0, dtype=np.intp)).size == 0


@pytest.mark.parametrize(("values", "sign"), [(np.arange(5000.0), 1), (-np.arange(5000.0), -1)])
def test_a_long_run(values, sign):
    assert concordant_minus_discordant(values, np.array([5000])).tolist() == [
        sign * 5000 * 4999 // 2
    ]


def test_neighbouring_doubles_are_not_tied():
    values = np.array([0.0, np.nextafter(0.0, 1.0), 1.0, np.nextafter(1.0, 0.0)])
    assert concordant_minus_discordant(values, np.array([4])).tolist() == [4]
