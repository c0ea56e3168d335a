"""How often each cluster is drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest

from turnsure.numerics import draws
from turnsure.numerics.draws import drawn_counts

N = 1 << 12  # the fewest whose counts are drawn


def test_counts_of_many_add_up_and_are_repeatable():
    counts = np.concatenate(list(drawn_counts(3, 50, N)))
    assert counts.shape == (50, N)
    assert (counts.sum(axis=1) == N).all()
    assert (counts == np.concatenate(list(drawn_counts(3, 50, N)))).all()
    assert (counts != np.concatenate(list(drawn_counts(4, 50, N)))).any()


def test_counts_of_many_are_binomial():
    """Shares of 0, 1, 2 …; 6 standard errors of 1.2 million counts."""
    counts = np.concatenate(list(drawn_counts(1, 300, N))).astype(np.intp)
    shares = np.bincount(counts.ravel()) / counts.size
    for k, share in enumerate(shares[:8].tolist()):
        expected = math.comb(N, k) * (1 / N) ** k * (1 - 1 / N) ** (N - k)
        assert share == pytest.approx(expected, abs=6 * math.sqrt(expected / counts.size))


def test_no_cluster_is_preferred():
    """Means over resamples have variance (1 − 1/n) / r; chi-square within 6 standard errors."""
    counts = np.concatenate(list(drawn_counts(2, 300, N)))
    chi_square = np.square(counts.mean(axis=0) - 1.0).sum() * 300
    assert chi_square == pytest.approx(N - 1, abs=6 * math.sqrt(2 * N))


def test_the_spread_of_a_mean_is_that_of_drawn_clusters():
    """Standard errors of a mean: 2 % is 6 standard errors of a ratio of 90,000 resamples' each."""
    values = np.random.default_rng(0).random(N) ** 3
    spread = np.concatenate([block @ values for block in drawn_counts(5, 3000, N)]).std()
    assert spread == pytest.approx(values.std() * math.sqrt(N), rel=6 / math.sqrt(2 * 3000))


def test_a_sum_that_is_too_large_is_drawn_again(monkeypatch):
    monkeypatch.setattr(draws, "_SPARE", 0.0)  # every other sum is too large
    counts = np.concatenate(list(drawn_counts(3, 60, N)))
    assert (counts.sum(axis=1) == N).all()
    assert counts.var() == pytest.approx(1.0, abs=6 * math.sqrt(3 / counts.size))
