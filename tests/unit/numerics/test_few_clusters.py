"""Means of clusters, and intervals for few of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from turnsure.numerics.few_clusters import (
    cluster_means,
    expanded_interval,
    expanded_tail,
    student_quantile,
)


@settings(deadline=None)
@given(st.floats(1e-12, 0.999), st.one_of(st.integers(1, 60), st.integers(1, 10**6)))
def test_quantiles_agree_with_scipy(outside, degrees):
    assert student_quantile(outside, degrees) == pytest.approx(
        stats.t.isf(outside / 2, degrees), rel=1e-9
    )


def test_one_degree_of_freedom_has_a_closed_form():
    for outside in (1e-9, 0.05, 0.5, 0.9):
        assert student_quantile(outside, 1) == pytest.approx(
            1 / math.tan(math.pi * outside / 2), rel=1e-12
        )


@pytest.mark.parametrize("n", [3, 10, 30, 80])
def test_a_tail_makes_a_normal_bootstrap_as_wide_as_student(n):
    """Resampled means of n values spread by √((n − 1)/n) standard errors."""
    half_width = -stats.norm.ppf(expanded_tail(0.9, n)) * math.sqrt((n - 1) / n)
    assert half_width == pytest.approx(stats.t.ppf(0.95, n - 1), rel=1e-9)


def test_with_very_many_clusters_nothing_is_expanded():
    assert expanded_tail(0.95, 10**7) == pytest.approx(0.025, rel=1e-5)


def test_the_bounds_are_order_statistics():
    """With R = 999 and q = 0.005 the bounds are the fifth values from either end."""
    z = -stats.norm.ppf(0.005) * math.sqrt(999 / 1000)
    level = 1 - 2 * stats.t.sf(z, 999)
    interval = expanded_interval(np.random.default_rng(0).permutation(999) + 1.0, 1000, level)
    assert (interval.low, interval.high) == pytest.approx((5, 995), abs=1e-3)
    assert (interval.level, interval.method) == (level, "cluster_bootstrap")
    assert interval.n_resamples == 999


def test_where_no_order_statistic_is_far_enough_out_it_is_the_extremes():
    values = np.array([3.0, 1.0, 2.0, 7.0])
    interval = expanded_interval(values, 50, 0.95)
    assert (interval.low, interval.high) == (1.0, 7.0)
    single = expanded_interval(values[:1], 50, 0.95)
    assert (single.low, single.high) == (3.0, 3.0)


def test_a_low_level_does_not_cross_the_bounds():
    interval = expanded_interval(np.array([1.0, 2.0, 3.0]), 1000, 1e-9)
    assert (interval.low, interval.high) == pytest.approx((2.0, 2.0))


def test_no_interval_of_a_single_cluster_or_without_values():
    assert expanded_interval(np.array([1.0, 2.0]), 1, 0.95) is None
    assert expanded_interval(np.zeros(0), 5, 0.95) is None


def test_means_do_not_depend_on_the_order_of_rows():
    random = np.random.default_rng(5)
    codes = np.concatenate([np.arange(9), random.integers(0, 9, 200)])
    values = random.normal(size=209) * 10.0 ** random.integers(-8, 8, 209)
    means = cluster_means(codes, values)
    assert means == pytest.approx([values[codes == code].mean() for code in range(9)], rel=1e-9)
    rows = random.permutation(209)
    assert (cluster_means(codes[rows], values[rows]) == means).all()


def test_opposite_values_have_the_opposite_mean_to_the_last_bit():
    codes = np.zeros(3, dtype=np.intp)
    values = np.array([0.1, 0.3, -0.4])  # added up one way, they leave 5.6e-17
    assert cluster_means(codes, values) == cluster_means(codes, -values) == 0.0
