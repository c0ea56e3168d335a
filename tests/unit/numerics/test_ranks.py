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


def test_many_runs_of_few_lengths():
    random = np.random.default_rng(1)
    sizes = random.integers(1, 8, 9_000)
    values = random.integers(0, 4, sizes.sum()).astype(float)
    of_length = np.zeros(len(sizes), dtype=np.intp)
    starts = np.cumsum(sizes) - sizes
    for earlier, later in combinations(range(7), 2):
        has = sizes > later
        rise = values[starts[has] + later] - values[starts[has] + earlier]
        of_length[has] += np.sign(rise).astype(np.intp)
    assert (concordant_minus_discordant(values, sizes) == of_length).all()


@pytest.mark.parametrize("size", [127, 128, 129, 130])
def test_counts_of_a_place_fit(size):
    values = np.concatenate([np.arange(size), -np.arange(size)]).astype(float)
    n_pairs = size * (size - 1) // 2
    assert concordant_minus_discordant(values, np.array([size, size])).tolist() == [
        n_pairs,
        -n_pairs,
    ]
