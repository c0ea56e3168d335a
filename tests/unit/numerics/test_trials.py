import numpy as np
import pytest
from scipy import stats

from turnsure.numerics.trials import MOST_EXACT, successes_p_value


@pytest.mark.parametrize("k", [0, 3, 7, 12, 20])
def test_equal_chances_are_a_binomial(k):
    p_value, exact = successes_p_value(np.full(20, 0.35), k)
    tails = stats.binom.cdf(k, 20, 0.35), stats.binom.sf(k - 1, 20, 0.35)
    assert exact
    assert p_value == pytest.approx(min(1.0, 2.0 * min(tails)), rel=1e-12)


def test_small_tails_keep_their_digits():
    p_value, _ = successes_p_value(np.full(50, 1e-3), 20)
    assert p_value == pytest.approx(2.0 * stats.binom.sf(19, 50, 1e-3), rel=1e-11)


def test_certain_trials_leave_the_others_as_they_are():
    chance = np.array([0.3, 0.6, 0.8])
    certain = np.concatenate((chance, [1.0, 1.0, 0.0]))
    assert successes_p_value(certain, 4) == successes_p_value(chance, 2)


@pytest.mark.parametrize("k", [1, 6])
def test_what_was_certain_and_did_not_happen_is_impossible(k):
    assert successes_p_value(np.array([1.0, 1.0, 0.0, 0.5, 0.5, 0.0]), k) == (0.0, True)


def test_many_trials_are_nearly_normal():
    chance = np.random.default_rng(0).random(MOST_EXACT)
    k = int(chance.sum()) - 35
    exact_p, is_exact = successes_p_value(chance, k)
    more, more_exact = successes_p_value(np.append(chance, 1e-12), k)
    assert is_exact
    assert not more_exact
    assert more == pytest.approx(exact_p, rel=0.1)
