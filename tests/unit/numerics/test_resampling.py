"""The cluster bootstrap."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from turnsure.numerics import resampling
from turnsure.numerics.resampling import (
    Clusters,
    interval_of_cluster_mean,
    interval_of_mean,
    interval_of_rows,
    intervals_of_means,
    percentile_bounds,
    percentile_interval,
    resampled_sums,
)


def clusters(codes, resamples=200, seed=1, level=0.9):
    codes = np.array(codes)
    n = int(codes.max()) + 1
    return Clusters(codes=codes, n=n, resamples=resamples, seed=seed, level=level)


def all_weights(some, width=0):
    return np.concatenate(list(some.weights(width)))


def test_every_resample_draws_as_many_dialogues_as_there_are():
    weights = all_weights(clusters(range(7), resamples=500))
    assert weights.shape == (500, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert (weights >= 0).all()


def test_weights_are_multinomial():
    """Mean 1, variance 1 − 1/n and covariance −1/n; 6 standard errors of 40,000 resamples."""
    weights = all_weights(clusters(range(5), resamples=40_000))
    assert weights.mean(axis=0) == pytest.approx(np.ones(5), abs=6 * 0.9 / 200)
    assert np.cov(weights.T) == pytest.approx(np.eye(5) - 0.2, abs=6 * 1.5 / 200)


def test_the_draws_depend_on_the_seed_and_on_nothing_else():
    some = clusters(range(50))
    assert (all_weights(some) == all_weights(some, width=10**9)).all()
    assert (all_weights(some) == all_weights(clusters(range(50)))).all()
    assert (all_weights(some) != all_weights(clusters(range(50), seed=2))).any()


def test_sums_of_a_table_and_of_rows_are_the_same(monkeypatch):
    random = np.random.default_rng(0)
    some = clusters(np.concatenate([np.arange(20), random.integers(0, 20, 200)]))
    bins, column = random.integers(0, 9, 220) * 3, random.random(220)
    by_table = np.concatenate(list(resampled_sums(some, bins, [column])))
    monkeypatch.setattr(resampling, "_LARGEST_TABLE", 0)
    by_rows = np.concatenate(list(resampled_sums(some, bins, [column])))
    assert by_table.shape == (200, 2, 9)
    assert (by_table[:, 0] == by_rows[:, 0]).all()
    assert by_table == pytest.approx(by_rows, abs=1e-12)


def test_means_by_bin_do_not_depend_on_how_many_bins_are_held(monkeypatch):
    random = np.random.default_rng(0)
    some = clusters(np.concatenate([np.arange(12), random.integers(0, 12, 100)]))
    bins, column = random.integers(0, 30, 112), random.random(112)
    at_once = intervals_of_means(some, bins, column)
    monkeypatch.setattr(resampling, "_LARGEST_HELD", 4 * 200)
    few_at_once = intervals_of_means(some, bins, column)
    assert len(at_once) == len(few_at_once) == len(np.unique(bins))
    for one, other in zip(at_once, few_at_once, strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)
        assert one.n_resamples == other.n_resamples


def test_percentiles_are_those_of_numpy():
    random = np.random.default_rng(2)
    values, defined = random.random((301, 4)), random.random((301, 4)) < 0.5
    defined[:, 3] = False
    defined[:, 2] = np.arange(301) == 17
    low, high, n = percentile_bounds(values, defined, 0.9)
    for column in range(3):
        expected = np.quantile(values[defined[:, column], column], [0.05, 0.95])
        assert (low[column], high[column]) == pytest.approx(tuple(expected), abs=1e-15)
    assert n.tolist() == defined.sum(axis=0).tolist()
    assert n[3] == 0


def test_an_interval_counts_the_resamples_behind_it():
    interval = percentile_interval(np.arange(101.0), 0.9)
    assert (interval.low, interval.high) == pytest.approx((5.0, 95.0))
    assert (interval.n_resamples, interval.level) == (101, 0.9)
    assert percentile_interval(np.zeros(0), 0.9) is None


@pytest.mark.parametrize("some", [None, clusters([0, 0, 0])])
def test_one_dialogue_says_nothing_about_the_spread(some):
    values = np.array([0.1, 0.2, 0.3])
    assert interval_of_mean(some, values) is None
    assert interval_of_rows(some, np.arange(3), lambda weights: weights.sum(axis=1)) is None
    assert intervals_of_means(some, np.array([0, 5, 5]), values) == [None, None]


def test_the_interval_of_a_mean_covers_as_often_as_it_says():
    """Forty normal dialogues: 95 % nominal; the percentile method is a little narrow."""
    random = np.random.default_rng(8)
    hits = 0
    for trial in range(300):
        some = replace(clusters(range(40), resamples=300, level=0.95), seed=trial)
        interval = interval_of_mean(some, random.normal(size=40))
        hits += interval.low <= 0.0 <= interval.high
    assert 0.89 < hits / 300 < 0.98


def test_means_of_few_distinct_values_spread_alike():
    """Bounds by drawn counts of values and by drawn clusters; 6 standard errors of a quantile."""
    values = np.random.default_rng(3).integers(0, 5, 9_000) / 4
    some = clusters(range(9_000), resamples=2000)
    by_values = interval_of_cluster_mean(some, values)
    by_clusters = interval_of_mean(some, values)
    error = values.std() / np.sqrt(9_000)
    for one, other in ((by_values.low, by_clusters.low), (by_values.high, by_clusters.high)):
        assert one != other
        assert one == pytest.approx(other, abs=6 * np.sqrt(2) * 2.1 / np.sqrt(2000) * error)
    assert by_values.n_resamples == by_clusters.n_resamples == 2000


def test_the_mean_of_few_clusters_is_resampled_as_ever():
    values = np.random.default_rng(3).integers(0, 5, 40) / 4
    some = clusters(range(40))
    assert interval_of_cluster_mean(some, values) == interval_of_mean(some, values)
    assert interval_of_cluster_mean(clusters([0]), values[:1]) is None
