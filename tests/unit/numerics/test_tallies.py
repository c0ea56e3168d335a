"""Rows counted by value."""

from __future__ import annotations

import numpy as np

from turnsure.numerics.tallies import tally


def test_values():
    counts = tally(np.array([0.5, 0.2, 0.5, 0.5]), np.array([True, False, False, True]))
    assert counts.value.tolist() == [0.2, 0.5]
    assert counts.n.tolist() == [1.0, 3.0]
    assert counts.right.tolist() == [0.0, 2.0]
    assert (counts.n_rows, counts.n_right) == (4, 2)
    assert counts.second is None


def test_pairs():
    counts = tally(
        np.array([0.5, 0.2, 0.5, 0.5]),
        np.array([True, False, False, True]),
        np.array([1.0, 1.0, 2.0, 1.0]),
    )
    assert [*zip(counts.value.tolist(), counts.second.tolist(), strict=True)] == [
        (0.2, 1.0),
        (0.5, 1.0),
        (0.5, 2.0),
    ]
    assert counts.n.tolist() == [1.0, 2.0, 1.0]
    assert counts.right.tolist() == [0.0, 2.0, 0.0]


def test_a_single_row():
    counts = tally(np.array([0.5]), np.array([True]))
    assert (counts.value.tolist(), counts.n.tolist(), counts.right.tolist()) == ([0.5], [1], [1])
