from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

from turnsure.calibration.drift.recalibration import recalibration
from turnsure.core.errors import UndefinedMetricError


def rows(n, *, slope=1.0, intercept=0.0, seed=0):
    random = np.random.default_rng(seed)
    z = random.normal(0.5, 1.2, size=n)
    chance = 1.0 / (1.0 + np.exp(-(intercept + slope * z)))
    return 1.0 / (1.0 + np.exp(-z)), random.random(n) < chance


def least(probability, correct, features):
    """The fit of scipy: weights, loss, inverse curvature."""
    design = np.stack(features, axis=1)

    def loss(weights):
        z = design @ weights + (np.log(probability / (1 - probability)) if fixed else 0.0)
        return float((np.logaddexp(0.0, z) - correct * z).sum())

    fixed = design.shape[1] == 1
    found = optimize.minimize(loss, np.zeros(design.shape[1]), method="BFGS", tol=1e-12)
    z = design @ found.x + (np.log(probability / (1 - probability)) if fixed else 0.0)
    chance = 1.0 / (1.0 + np.exp(-z))
    curvature = (design * (chance * (1 - chance))[:, None]).T @ design
    return found.x, found.fun, np.linalg.inv(curvature), chance


def test_estimates_and_likelihood_ratios_are_those_of_a_general_optimiser():
    probability, correct = rows(300, slope=0.7, intercept=-0.3)
    z = np.log(probability / (1 - probability))
    one = np.ones(300)
    found = recalibration(probability, correct, np.arange(300))
    weights, free, variance, _ = least(probability, correct, [one, z])
    shift, partly, shift_variance, _ = least(probability, correct, [one])
    null = float((np.logaddexp(0.0, z) - correct * z).sum())
    assert found.intercept.value == pytest.approx(weights[0], abs=1e-6)
    assert found.slope.value == pytest.approx(weights[1], abs=1e-6)
    assert found.large.value == pytest.approx(shift[0], abs=1e-6)
    assert found.slope.standard_error == pytest.approx(np.sqrt(variance[1, 1]), rel=1e-5)
    assert found.intercept.standard_error == pytest.approx(np.sqrt(variance[0, 0]), rel=1e-5)
    assert found.large.standard_error == pytest.approx(np.sqrt(shift_variance[0, 0]), rel=1e-5)
    assert found.statistic == pytest.approx(2 * (null - free), abs=1e-8)
    assert found.p_value == pytest.approx(stats.chi2.sf(2 * (null - free), 2), rel=1e-8)
    assert found.large.statistic == pytest.approx(2 * (null - partly), abs=1e-8)
    assert found.large.p_value == pytest.approx(stats.chi2.sf(2 * (null - partly), 1), rel=1e-8)
    assert found.slope.p_value == pytest.approx(stats.chi2.sf(2 * (partly - free), 1), rel=1e-8)
    # Miller, Hui and Tierney: the joint statistic is the sum of the two.
    assert found.slope.statistic + found.large.statistic == pytest.approx(
        found.statistic, rel=1e-12
    )


def test_the_robust_variance_is_the_sandwich():
    probability, correct = rows(120, slope=0.8)
    group = np.repeat(np.arange(40), 3)
    z = np.log(probability / (1 - probability))
    found = recalibration(probability, correct, group)
    _, _, bread, chance = least(probability, correct, [np.ones(120), z])
    scores = np.stack([np.ones(120), z], axis=1) * (correct - chance)[:, None]
    sums = scores.reshape(40, 3, 2).sum(axis=1)
    variance = 40 / 39 * bread @ (sums.T @ sums) @ bread
    away = np.array([found.intercept.value, found.slope.value - 1.0])
    wald = away @ np.linalg.inv(variance) @ away
    assert found.robust
    assert found.slope.standard_error == pytest.approx(np.sqrt(variance[1, 1]), rel=1e-5)
    assert found.statistic == pytest.approx(wald, rel=1e-4)
    assert found.p_value == pytest.approx(stats.f.sf(38 / 78 * wald, 2, 38), rel=1e-4)
    t = (found.slope.value - 1.0) / found.slope.standard_error
    assert found.slope.p_value == pytest.approx(2 * stats.t.sf(abs(t), 39), rel=1e-9)


def test_repeating_every_row_changes_no_robust_error_much():
    probability, correct = rows(200)
    once = recalibration(probability, correct, np.arange(200))
    group = np.repeat(np.arange(200), 4)
    often = recalibration(np.repeat(probability, 4), np.repeat(correct, 4), group)
    naive = recalibration(np.repeat(probability, 4), np.repeat(correct, 4), np.arange(800))
    assert often.slope.value == pytest.approx(once.slope.value, rel=1e-9)
    assert often.slope.standard_error == pytest.approx(once.slope.standard_error, rel=0.2)
    assert naive.slope.standard_error == pytest.approx(once.slope.standard_error / 2, rel=1e-6)


def test_tests_have_their_level_and_notice_what_is_wrong():
    held, overconfident = [], []
    for seed in range(200):
        held.append(recalibration(*rows(200, seed=seed), np.arange(200)))
        overconfident.append(recalibration(*rows(200, slope=0.5, seed=seed), np.arange(200)))
    for p_values in (
        [one.p_value for one in held],
        [one.slope.p_value for one in held],
        [one.large.p_value for one in held],
    ):
        # Beyond the 1e-4 quantiles of Binomial(200, .05).
        assert 1 < np.count_nonzero(np.array(p_values) < 0.05) < 23
    assert np.mean([one.slope.p_value < 0.05 for one in overconfident]) > 0.8


def test_robust_tests_have_their_level_where_rows_of_a_dialogue_agree():
    random = np.random.default_rng(3)
    n, size, rejected, naive = 50, 4, 0, 0
    group = np.repeat(np.arange(n), size)
    for _ in range(150):
        z = np.repeat(random.normal(0.3, 1.0, size=n), size)
        shared = np.repeat(random.random(n), size)
        draw = np.where(random.random(n * size) < 0.7, shared, random.random(n * size))
        probability = 1.0 / (1.0 + np.exp(-z))
        correct = draw < probability
        rejected += recalibration(probability, correct, group).p_value < 0.05
        naive += recalibration(probability, correct, np.arange(n * size)).p_value < 0.05
    assert 0 < rejected < 20
    assert naive > 2 * rejected


def test_certainty_that_comes_true_says_nothing_about_the_line():
    random = np.random.default_rng(4)
    open_ones = random.beta(3, 2, 60)
    right = random.random(60) < open_ones
    group = np.arange(60) // 2
    alone = recalibration(open_ones, right, group)
    found = recalibration(
        np.concatenate((open_ones, np.ones(500), np.zeros(7))),
        np.concatenate((right, np.ones(500, dtype=bool), np.zeros(7, dtype=bool))),
        np.concatenate((group, np.arange(507) % 100)),
    )
    assert replace(found, n_certain=0) == alone
    assert (found.n, found.n_dialogues, found.n_certain) == (60, 30, 507)


def test_a_gate_that_holds_and_is_often_certain_is_accused_no_more_often_than_said():
    random = np.random.default_rng(5)
    rejected = 0
    for _ in range(300):
        probability = np.where(random.random(1000) < 0.4, 1.0, random.beta(3, 2, 1000))
        right = random.random(1000) < probability
        rejected += recalibration(probability, right, np.arange(1000)).p_value <= 0.05
    assert rejected / 300 <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


def test_nothing_but_certainty_has_no_line():
    certain = np.array([1.0, 0.0, 1.0])
    with pytest.raises(UndefinedMetricError, match="all 3 probabilities are 0 or 1 and came true"):
        recalibration(certain, certain == 1.0, np.arange(3))


def test_certainty_that_does_not_come_true_is_clipped_as_maps_clip_it():
    probability, correct = rows(100)
    found = recalibration(np.append(probability, [0.0, 1.0]), np.append(correct, [False, False]),
                          np.arange(102))  # fmt: skip
    assert 0.0 < found.clip <= 0.01
    assert (found.n, found.n_certain) == (102, 0)
    assert np.isfinite(found.slope.value)


@pytest.mark.parametrize(
    ("probability", "correct", "reason"),
    [
        ([0.2, 0.8, 0.9], [True, True, True], "all 3 answers are right"),
        ([0.2, 0.8, 0.9], [False, False, False], "all 3 answers are wrong"),
        ([0.2, 0.3, 0.9], [False, False, True], "a threshold parts"),
        ([0.4, 0.4, 0.4], [False, True, True], "one probability only"),
    ],
)
def test_no_line_says_why(probability, correct, reason):
    with pytest.raises(UndefinedMetricError, match=reason):
        recalibration(np.array(probability), np.array(correct), np.arange(3))


def test_two_dialogues_are_too_few_for_a_robust_test():
    probability, correct = rows(20)
    with pytest.raises(UndefinedMetricError, match="2 dialogues are too few"):
        recalibration(probability, correct, np.repeat([0, 1], 10))
