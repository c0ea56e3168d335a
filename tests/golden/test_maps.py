"""Calibration maps against values by hand, exact arithmetic and general root finders."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import optimize, special

from tests.support.labelled import counted, overconfident
from turnsure.calibration.fitting import family

EXACT = {"rel": 1e-13, "abs": 1e-15}


def fitted(name, *groups):
    return family(name).fit(*counted(*groups))


def at(fit, *scores):
    return fit.apply(np.array(scores)).tolist()


def logit(value):
    return math.log(value / (1 - value))


def test_platt_through_two_frequencies():
    # Two parameters and two scores: the likelihood is greatest where p is the share of right ones.
    fit = fitted("platt", (0.25, 8, 3), (0.75, 10, 9))
    slope = (math.log(9) - math.log(3 / 5)) / (2 * math.log(3))
    assert fit.slope == pytest.approx(slope, **EXACT)
    assert fit.intercept == pytest.approx(math.log(3 / 5) + slope * math.log(3), **EXACT)
    assert at(fit, 0.25, 0.75) == pytest.approx([3 / 8, 9 / 10], **EXACT)


def test_platt_may_fall():
    fit = fitted("platt", (0.2, 4, 3), (0.8, 4, 1))
    assert fit.slope == pytest.approx(-math.log(3) / math.log(4), **EXACT)
    assert fit.intercept == pytest.approx(0.0, abs=1e-15)


def test_smoothed_platt_reaches_its_targets_where_the_classes_are_apart():
    fit = fitted("platt_smoothed", (0.3, 6, 0), (0.6, 3, 3))
    assert at(fit, 0.3, 0.6) == pytest.approx([1 / 8, 4 / 5], **EXACT)


def test_temperature_of_a_single_score():
    # σ(logit(0.9) / T) = 3/4 with logit(0.9) = ln 9 and logit(3/4) = ln 3.
    fit = fitted("temperature", (0.9, 8, 6))
    assert fit.temperature == pytest.approx(2.0, **EXACT)
    assert at(fit, 0.9, 0.5, 0.1) == pytest.approx([0.75, 0.5, 0.25], **EXACT)


def test_temperature_of_two_scores_that_mirror_each_other():
    # 1 − s wrong is s right: 5 + 3 of 6 + 4 rows at 0.8, so σ(ln 4 / T) = 4/5 and T = 1.
    fit = fitted("temperature", (0.8, 6, 5), (0.2, 4, 1))
    assert fit.temperature == pytest.approx(1.0, **EXACT)


def test_beta_with_equal_a_and_b_is_platt():
    # Scores that mirror each other about ½ leave a = b.
    groups = [(0.2, 10, 3), (0.4, 10, 4), (0.6, 10, 6), (0.8, 10, 7)]
    fit, platt = fitted("beta", *groups), fitted("platt", *groups)
    assert (fit.a, fit.b) == pytest.approx((platt.slope, platt.slope), rel=1e-12)
    assert fit.c == pytest.approx(0.0, abs=1e-13)


def test_beta_through_three_frequencies():
    groups = [(0.2, 10, 2), (0.5, 10, 5), (0.9, 10, 8)]
    fit = fitted("beta", *groups)
    assert at(fit, 0.2, 0.5, 0.9) == pytest.approx([0.2, 0.5, 0.8], rel=1e-12)
    system = np.array([[math.log(s), -math.log(1 - s), 1.0] for s, _, _ in groups])
    by_hand = np.linalg.solve(system, [logit(right / rows) for _, rows, right in groups])
    assert [fit.a, fit.b, fit.c] == pytest.approx(by_hand.tolist(), rel=1e-11)


@pytest.mark.parametrize(
    ("groups", "kept"),
    [
        # Rising, then level: through all three frequencies b would be below 0.
        ([(0.2, 20, 4), (0.5, 20, 14), (0.95, 20, 15)], "a"),
        # Level, then rising: a would be below 0.
        ([(0.05, 20, 5), (0.5, 20, 6), (0.8, 20, 16)], "b"),
    ],
)
def test_beta_drops_a_parameter_that_would_be_negative(groups, kept):
    fit = fitted("beta", *groups)
    system = np.array([[math.log(s), -math.log(1 - s), 1.0] for s, _, _ in groups])
    free = np.linalg.solve(system, [logit(right / rows) for _, rows, right in groups])
    assert free[1 if kept == "a" else 0] < 0
    assert (fit.b if kept == "a" else fit.a) == 0.0
    score, correct = counted(*groups)
    feature = np.log(score) if kept == "a" else -np.log1p(-score)
    weights = by_root(np.column_stack([feature, np.ones(len(score))]), correct)
    assert [getattr(fit, kept), fit.c] == pytest.approx(weights.tolist(), rel=1e-9)


def test_beta_of_a_score_that_misleads_is_the_base_rate():
    fit = fitted("beta", (0.2, 10, 8), (0.5, 10, 5), (0.9, 10, 2))
    assert (fit.a, fit.b) == (0.0, 0.0)
    assert at(fit, 0.1, 0.9) == pytest.approx([0.5, 0.5], **EXACT)


def by_root(features, correct):
    """Where the derivatives of the log-likelihood vanish, by a general root finder."""

    def gradient(weights):
        return features.T @ (special.expit(features @ weights) - correct)

    def curvature(weights):
        chance = special.expit(features @ weights)
        return (features * (chance * (1 - chance))[:, None]).T @ features

    found = optimize.root(gradient, np.zeros(features.shape[1]), jac=curvature, tol=1e-14)
    return found.x


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("with_level", [False, True])
@pytest.mark.parametrize("name", ["platt", "temperature", "beta"])
def test_maximum_likelihood_against_a_root_finder(name, with_level, seed):
    rows = overconfident(600, seed=seed)
    level = rows.level if with_level else None
    of_score, of_rest = np.log(rows.score), -np.log1p(-rows.score)
    ones = np.ones(len(rows))
    columns = {
        "platt": [of_score + of_rest, ones],
        "temperature": [of_score + of_rest],
        "beta": [of_score, of_rest, ones],
    }[name]
    if level is not None:
        columns = [*columns, level]
    fit = family(name).fit(rows.score, rows.correct, level)
    parameters = dict(fit.parameters)
    del parameters["clip"]
    given = [value for value in parameters.values() if value is not None]
    if 0.0 in given:  # beta on an edge
        kept = given.index(0.0)
        columns = [column for place, column in enumerate(columns) if place != kept]
        del given[kept]
    found = by_root(np.column_stack(columns), rows.correct)
    assert given == pytest.approx(found.tolist(), rel=1e-8)


def test_isotonic_by_hand():
    # 1 | 0 1 0 pools to 1/2 over the first four rows; 0.5 has 2 of 3, 0.9 has 1 of 1.
    fit = fitted("isotonic", (0.1, 1, 1), (0.2, 2, 1), (0.3, 1, 0), (0.5, 3, 2), (0.9, 1, 1))
    assert fit.scores.tolist() == [0.1, 0.3, 0.5, 0.9]
    assert fit.probability.tolist() == [0.5, 0.5, 2 / 3, 1.0]
    assert at(fit, 0.0, 0.1, 0.2, 0.3, 0.5, 0.9, 1.0) == [0.5, 0.5, 0.5, 0.5, 2 / 3, 1.0, 1.0]
    assert at(fit, 0.4, 0.7) == pytest.approx([7 / 12, 5 / 6], **EXACT)


def test_histogram_by_hand():
    fit = fitted("histogram", (0.0, 2, 0), (0.05, 2, 1), (0.3, 4, 3), (0.95, 4, 2), (1.0, 1, 1))
    # Bins 0, 3 and 9 have rows.  Bin 1 is nearest to 0, bin 2 to 3; bin 6 is as far from 3 as from
    # 9 and takes the lower one.
    assert at(fit, 0.0, 0.1, 0.2, 0.3, 0.6, 0.7, 1.0) == [0.25, 0.25, 0.75, 0.75, 0.75, 0.6, 0.6]
    assert fit.n_empty == 7


def test_histogram_edges_are_those_of_ece():
    fit = fitted("histogram", (0.3, 1, 1), (np.nextafter(0.3, 0.0), 1, 0))
    assert at(fit, 0.3, np.nextafter(0.3, 0.0)) == [1.0, 0.0]


def test_histogram_of_equal_mass_keeps_a_score_together():
    score, correct = counted((0.5, 6, 3), (0.6, 2, 2), (0.7, 2, 1))
    fit = family("histogram_mass").fit(score, correct)
    # #{scores ≤ it} is 6, 8 and 10 of 10, so bins 5, 7 and 9 of 10.
    assert fit.lower_edges.tolist() == [0.0, 0.6, 0.7]
    assert at(fit, 0.1, 0.55, 0.6, 0.69, 0.9) == [0.5, 0.5, 1.0, 1.0, 0.5]


def exact_isotonic_at(place, groups):
    """The least-squares rising fit at a group, as the max–min of means, in fractions."""
    return max(
        min(
            Fraction(sum(r for _, r in groups[i : j + 1]), sum(n for n, _ in groups[i : j + 1]))
            for j in range(place, len(groups))
        )
        for i in range(place + 1)
    )


def venn_abers_by_refitting(score, correct, value):
    """p₀ and p₁ from the definition: the row is added and the fit is made anew."""
    found = []
    for outcome in (0, 1):
        rows = [*zip(score, correct, strict=True), (value, outcome)]
        values = sorted({one for one, _ in rows})
        groups = [
            (sum(one == v for one, _ in rows), sum(int(y) for one, y in rows if one == v))
            for v in values
        ]
        found.append(exact_isotonic_at(values.index(value), groups))
    return found


@pytest.mark.parametrize("outcomes", [*product([0, 1], repeat=5)])
def test_venn_abers_by_refitting(outcomes):
    score = [0.2, 0.4, 0.4, 0.6, 0.8]
    fit = family("venn_abers").fit(np.array(score), np.array(outcomes, dtype=bool))
    for value in (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0):
        p0, p1 = venn_abers_by_refitting(score, outcomes, value)
        lower, upper = fit.interval(np.array([value]))
        assert (lower[0], upper[0]) == (float(p0), float(p1))
        assert at(fit, value)[0] == pytest.approx(float(p1 / (1 - p0 + p1)), rel=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_venn_abers_by_refitting_on_longer_tables(seed):
    rng = np.random.default_rng(seed)
    score = rng.integers(1, 12, 40) / 16
    correct = rng.random(40) < score
    fit = family("venn_abers").fit(score, correct)
    for value in np.arange(0, 25) / 32:
        p0, p1 = venn_abers_by_refitting(score.tolist(), correct.tolist(), float(value))
        lower, upper = fit.interval(np.array([value]))
        assert (lower[0], upper[0]) == (float(p0), float(p1))


@pytest.mark.parametrize("n", [1, 3, 10])
def test_venn_abers_of_right_answers_alone_is_laplace_rule(n):
    # p₀ = n/(n + 1) and p₁ = 1, so p = (n + 1)/(n + 2).
    fit = fitted("venn_abers", (0.5, n, n))
    assert at(fit, 0.5, 0.9) == pytest.approx([(n + 1) / (n + 2)] * 2, **EXACT)
    assert at(fit, 0.4) == pytest.approx([1 / 2], **EXACT)
