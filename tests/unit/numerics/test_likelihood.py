"""Plain maximum likelihood, and the data for which there is none."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure.numerics.likelihood import NoMaximum, maximise_likelihood, sigmoid


def fit(columns, right, n=None):
    features = np.array([np.ones(len(right)), *columns], dtype=float)
    counts = np.ones(len(right)) if n is None else np.array(n, dtype=float)
    return maximise_likelihood(features, counts, np.array(right, dtype=float))


def test_counted_rows_are_as_good_as_single_ones():
    single = fit([[1, 1, 1, 2, 2, 3, 3, 3]], [0, 0, 1, 1, 0, 1, 1, 0])
    counted = fit([[1, 2, 3]], [1, 1, 2], n=[3, 2, 3])
    np.testing.assert_allclose(single, counted, rtol=1e-12)


@pytest.mark.parametrize(
    ("columns", "right"),
    [
        ([[1, 2, 3, 4]], [0, 0, 1, 1]),
        ([[1, 2, 3, 4]], [1, 1, 0, 0]),
        ([[1, 2, 2, 3]], [0, 0, 1, 1]),  # both outcomes at 2: separated but for a tie
        ([[0, 1, 0, 1], [0, 0, 1, 1]], [0, 1, 1, 1]),
        ([[0, 1, 2, 3, 1.5], [0, 1, 2, 3, 0]], [1, 0, 1, 0, 1]),  # one row off the line of the rest
    ],
    ids=["rising", "falling", "tied", "plane", "one row away"],
)
def test_separated_outcomes(columns, right):
    assert fit(columns, right) == NoMaximum(reason="separated")


def test_a_single_pair_the_other_way_among_many_is_not_separated():
    n = 200_000
    column = np.arange(n) / n
    right = column > 0.5
    middle = n // 2
    right[[middle - 1, middle + 1]] = right[[middle + 1, middle - 1]]
    weights = fit([column], right)
    chance = sigmoid(weights[0] + weights[1] * column)
    assert abs((chance - right).sum()) < 1e-6
    assert abs(((chance - right) * column).sum()) < 1e-6
    assert weights[1] > 1e4


@pytest.mark.parametrize("columns", [[[2, 2, 2]], [[0, 0, 0]], [[1, 2, 3], [2, 4, 6]]])
def test_features_that_cannot_be_told_apart(columns):
    assert fit(columns, [1, 0, 1]) == NoMaximum(reason="collinear")


def test_a_steep_start_does_not_overshoot():
    # From 0 Newton's first step on these is far too long.
    column = np.array([-1e3, -1.0, 1.0, 1e3, 1.0, -1.0])
    right = [0, 0, 1, 1, 0, 1]
    weights = fit([column], right)
    chance = sigmoid(weights[0] + weights[1] * column)
    assert abs((chance - right).sum()) < 1e-9
    assert abs(((chance - right) * column).sum()) < 1e-9


def test_targets_need_not_be_whole():
    weights = fit([[0.0, 1.0]], [0.25, 0.75])
    np.testing.assert_allclose(weights, [-np.log(3), 2 * np.log(3)], rtol=1e-14)


def test_sigmoid_does_not_overflow():
    assert sigmoid(np.array([-800.0, 0.0, 800.0])).tolist() == [0.0, 0.5, 1.0]
