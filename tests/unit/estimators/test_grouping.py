from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsure.estimators.grouping import connected, cosine


def test_a_chain_of_links_is_one_group():
    links = {(0, 3), (1, 3), (2, 4)}
    assert connected(6, lambda i, j: (i, j) in links) == [[0, 1, 3], [2, 4], [5]]


def test_nothing_has_no_groups():
    assert connected(0, lambda i, j: True) == []


@given(st.integers(1, 8), st.randoms(use_true_random=False))
def test_groups_are_the_classes_of_reachability(n, rng):
    links = {pair for pair in itertools.combinations(range(n), 2) if rng.random() < 0.3}
    reach = {(i, j): i == j or (min(i, j), max(i, j)) in links for i in range(n) for j in range(n)}
    for k, i, j in itertools.product(range(n), repeat=3):
        reach[i, j] = reach[i, j] or (reach[i, k] and reach[k, j])
    expected = sorted({tuple(j for j in range(n) if reach[i, j]) for i in range(n)})
    assert [tuple(one) for one in connected(n, lambda i, j: (i, j) in links)] == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ((1, 0), (0, 2), 0.0),
        ((1, 1), (3, 0), math.sqrt(0.5)),
        ((1, 2), (-2, -4), -1.0),
        ((0.1, 0.2, 0.3), (0.1, 0.2, 0.3), 1.0),
    ],
)
def test_cosines(left, right, expected):
    assert cosine(left, right) == pytest.approx(expected, abs=1e-15)
    assert -1 <= cosine(left, right) <= 1


@pytest.mark.parametrize(
    ("left", "right"),
    [((), ()), ((1, 0), (1,)), ((0, 0), (1, 0)), ((1e308, 1e308), (1e308, 1e308))],
)
def test_without_a_direction_there_is_no_angle(left, right):
    assert cosine(left, right) is None
