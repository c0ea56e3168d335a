"""Bins of confidence and information level."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure.numerics.binning import (
    MAX_BINS,
    MAX_LEVEL_TURNS,
    bin_sums,
    confidence_bins,
    equal_mass_bins,
    equal_width_bins,
    equal_width_edges,
    level_bins,
)


@pytest.mark.parametrize("n_bins", [1, 2, 3, 7, 10, 15, 49, 100, 1000, 99_991, MAX_BINS])
def test_equal_widths_agree_with_a_search_among_the_edges(n_bins):
    edges = equal_width_edges(n_bins)
    around = np.concatenate(
        [edges, np.nextafter(edges, 0.0), np.nextafter(edges, 1.0), np.linspace(0, 1, 10_007)]
    )
    expected = np.searchsorted(edges, around, side="right") - 1
    assert (equal_width_bins(around, n_bins) == expected.clip(max=n_bins - 1)).all()


def test_edges_are_the_nearest_doubles():
    assert equal_width_edges(10).tolist() == [k / 10 for k in range(11)]


def test_equal_masses_do_not_depend_on_the_order():
    values = np.array([0.5, 0.1, 0.5, 0.9, 0.5, 0.1])
    assert equal_mass_bins(values, 3).tolist() == [2, 0, 2, 2, 2, 0]
    assert equal_mass_bins(values[::-1], 3).tolist() == [0, 2, 2, 2, 0, 2]


def test_more_bins_than_rows():
    assert equal_mass_bins(np.array([0.2, 0.1]), 10).tolist() == [9, 4]


@pytest.mark.parametrize("length", [1, 2, 3, 7, 10, 30, MAX_LEVEL_TURNS])
def test_levels_are_closed_on_the_right(length):
    turn = np.unique(np.array([1, length // 2 or 1, length]))
    expected = [(int(i) * 10 - 1) // length for i in turn]
    assert level_bins(turn, np.full_like(turn, length), 10).tolist() == expected
    assert expected[-1] == 9


def test_the_largest_numbers_do_not_overflow():
    longest = np.array([MAX_LEVEL_TURNS])
    assert level_bins(longest, longest, MAX_BINS).tolist() == [MAX_BINS - 1]


def test_different_levels_of_the_longest_dialogues_are_different_doubles():
    one, other = MAX_LEVEL_TURNS, MAX_LEVEL_TURNS - 1
    assert (one - 1) / one != (other - 1) / other


@pytest.mark.parametrize("mass", [True, False])
def test_sums_over_bins(mass):
    random = np.random.default_rng(5)
    confidence = random.random(100_003)
    correct = random.random(100_003) < 0.4
    bins = confidence_bins(confidence, 7, mass=mass)
    sums = bin_sums(bins, confidence, correct, 7)
    for place in range(7):
        here = bins == place
        n, summed, n_right = sums[:, place]
        assert (n, n_right) == (here.sum(), correct[here].sum())
        assert summed == pytest.approx(confidence[here].sum(), rel=1e-13)
