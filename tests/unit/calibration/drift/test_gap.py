import numpy as np
import pytest
from scipy import stats

from turnsure.calibration.drift.gap import gap_test


def test_independent_rows_are_exact():
    found = gap_test(np.full(20, 0.9), np.arange(20) >= 6, np.arange(20))
    assert found.method == "exact"
    assert found.gap == pytest.approx(14 / 20 - 0.9)
    assert found.expected == pytest.approx(18.0)
    assert found.p_value == pytest.approx(2 * stats.binom.cdf(14, 20, 0.9), rel=1e-12)
    assert found.design_effect == 1.0


def test_rows_of_a_dialogue_count_together():
    probability = np.full(40, 0.5)
    correct = np.repeat(np.arange(10) < 8, 4)
    group = np.repeat(np.arange(10), 4)
    found = gap_test(probability, correct, group)
    sums = np.where(np.arange(10) < 8, 4 * 0.2, -4 * 0.8)
    variance = 10 / 9 * np.square(sums).sum()
    t = (32 - 20) / np.sqrt(variance)
    assert found.method == "clusters"
    assert found.p_value == pytest.approx(2 * stats.t.sf(t, 9), rel=1e-12)
    assert found.design_effect == pytest.approx(variance / 10.0)


def test_few_alike_outcomes_do_not_make_the_variance_vanish():
    group = np.repeat(np.arange(4), 2)
    found = gap_test(np.full(8, 0.9), np.ones(8, dtype=bool), group)
    assert found.p_value > 0.3


def test_a_single_dialogue_has_no_test():
    found = gap_test(np.full(5, 0.9), np.ones(5, dtype=bool), np.zeros(5, dtype=int))
    assert found.p_value is None


def test_what_was_certain_and_happened_says_nothing():
    group = np.repeat([0, 1, 2], 2)
    assert gap_test(np.ones(6), np.ones(6, dtype=bool), group).p_value == 1.0


def test_its_level_with_dialogues():
    random = np.random.default_rng(0)
    n, size, rejected = 40, 4, 0
    group = np.repeat(np.arange(n), size)
    for _ in range(400):
        probability = np.repeat(random.beta(4, 2, size=n), size)
        shared, own = np.repeat(random.random(n), size), random.random(n * size)
        draw = np.where(random.random(n * size) < 0.7, shared, own)
        rejected += gap_test(probability, draw < probability, group).p_value < 0.05
    assert 6 < rejected < 37  # beyond the 1e-4 quantiles of Binomial(400, .05)
