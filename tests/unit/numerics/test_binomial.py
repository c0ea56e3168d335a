"""Binomial tails and bounds, against fractions and scipy."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from turnsure.numerics.binomial import (
    binomial_tail,
    least_trials,
    upper_bound,
)

unhurried = settings(deadline=None)
rates = st.floats(0.001, 0.999)


def exact_tail(k, n, p):
    p = Fraction(p)
    return sum(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k + 1))


@pytest.mark.parametrize("p", [0.05, 0.5, 0.9])
@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 59), (3, 10), (9, 10), (10, 10), (5, 200)])
def test_tails_are_exact_sums(k, n, p):
    assert binomial_tail(k, n, p) == pytest.approx(float(exact_tail(k, n, p)), rel=1e-12)


@pytest.mark.parametrize("n", [1, 10, 59, 1000])
@pytest.mark.parametrize("delta", [0.05, 0.1, 0.5])
def test_the_bound_without_errors_has_a_closed_form(n, delta):
    assert upper_bound(0, n, delta) == pytest.approx(1 - delta ** (1 / n), rel=1e-13)


def test_with_nothing_but_errors_or_with_nothing_the_bound_is_one():
    assert upper_bound(4, 4, 0.05) == 1.0
    assert upper_bound(0, 0, 0.05) == 1.0


@unhurried
@given(st.integers(1, 400), st.data(), st.sampled_from([0.01, 0.05, 0.2, 0.7]))
def test_the_bound_is_where_the_tail_equals_delta(n, data, delta):
    k = data.draw(st.integers(0, n - 1))
    assert binomial_tail(k, n, upper_bound(k, n, delta)) == pytest.approx(delta, rel=1e-10)


@unhurried
@given(rates, st.floats(0.001, 0.9), st.integers(1, 400))
def test_least_trials_are_the_least(p, delta, most):
    found = least_trials(p, delta, most)
    k = np.arange(len(found))
    assert (stats.binom.cdf(k, found, p) <= delta * (1 + 1e-9)).all()
    one_less = found > np.maximum(k, 1)
    assert (stats.binom.cdf(k, found - 1, p)[one_less] > delta * (1 - 1e-9)).all()
    assert binomial_tail(len(found), most, p) > delta * (1 - 1e-9)


def test_least_trials_of_the_customary_level():
    """Zero, one, two … defects in so many items show less than 5 % at 95 %: ln 0.05 / ln 0.95."""
    assert least_trials(0.05, 0.05, 250).tolist() == [59, 93, 124, 153, 181, 208, 234]


def test_least_trials_over_many_steps_keep_to_the_exact_tail():
    found = least_trials(0.05, 0.05, 60_000)
    for k in (len(found) - 1, len(found) // 2):
        n = int(found[k])
        assert binomial_tail(k, n, 0.05) <= 0.05 < binomial_tail(k, n - 1, 0.05)


def test_equality_with_the_level_counts_as_rejected():
    """Without an error in two trials at ½ the tail is ¼."""
    assert least_trials(0.5, 0.25, 8).tolist() == [2, 5, 7]


def test_no_number_of_trials_up_to_most_may_do():
    assert least_trials(0.05, 0.05, 58).tolist() == []
