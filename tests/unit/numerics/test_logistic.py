"""The regression behind the ensemble, against a general minimiser."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

from turnsure.numerics.logistic import fit_logistic, probability


def data(n, m, seed, *, noise=1.0):
    rng = np.random.default_rng(seed)
    features = rng.normal(scale=2.0, size=(n, m))
    score = features @ rng.normal(size=m) + 0.5 + noise * rng.logistic(size=n)
    return features, (score > 0).astype(float)


def by_minimiser(features, correct, penalty):
    """The same objective, written anew and given to a quasi-Newton method."""

    def objective(weights):
        z = weights[0] + features @ weights[1:]
        losses = special.log1p(np.exp(-np.abs(z))) + np.maximum(z, 0) - correct * z
        return losses.sum() + penalty / 2 * (weights[1:] ** 2).sum()

    def gradient(weights):
        z = weights[0] + features @ weights[1:]
        rest = special.expit(z) - correct
        return np.concatenate([[rest.sum()], features.T @ rest + penalty * weights[1:]])

    start = np.zeros(features.shape[1] + 1)
    options = {"gtol": 1e-9, "maxiter": 10_000}
    return optimize.minimize(objective, start, jac=gradient, method="BFGS", options=options).x


@pytest.mark.filterwarnings("default::scipy.optimize.OptimizeWarning")
@pytest.mark.parametrize("penalty", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(("n", "m", "seed"), [(12, 1, 0), (60, 3, 1), (400, 6, 2)])
def test_it_finds_the_minimum_that_a_general_minimiser_finds(n, m, seed, penalty):
    features, correct = data(n, m, seed)
    assert 0 < correct.sum() < n
    weights = fit_logistic(features, correct, penalty=penalty)
    np.testing.assert_allclose(weights, by_minimiser(features, correct, penalty), atol=2e-6)


def test_separable_data_have_a_finite_fit_under_the_penalty():
    features = np.array([[-4.6], [-4.6], [4.6], [4.6]])
    correct = np.array([0.0, 0.0, 1.0, 1.0])
    weights = fit_logistic(features, correct, penalty=1e-6)
    np.testing.assert_allclose(weights, by_minimiser(features, correct, 1e-6), atol=1e-4)
    assert weights[1] > 1


def test_features_without_any_spread_leave_the_base_rate():
    weights = fit_logistic(np.zeros((8, 2)), np.array([1.0] * 6 + [0.0] * 2), penalty=1.0)
    np.testing.assert_allclose(weights, [np.log(3), 0, 0], atol=1e-8)


def test_equal_columns_share_their_weight():
    features, correct = data(80, 1, 3)
    weights = fit_logistic(np.hstack([features, features]), correct, penalty=1.0)
    assert weights[1] == pytest.approx(weights[2], abs=1e-9)


def test_one_class_has_no_minimum_and_is_no_fit():
    assert fit_logistic(np.zeros((3, 1)), np.ones(3), penalty=1.0) is None


def test_probabilities_do_not_overflow():
    given = probability(np.array([[-800.0], [0.0], [800.0]]), np.array([0.0, 1.0]))
    assert given.tolist() == [0.0, 0.5, 1.0]
