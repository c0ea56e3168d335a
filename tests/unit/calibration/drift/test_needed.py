import numpy as np
import pytest
from scipy import stats

from turnsure.calibration.drift.gap import gap_test
from turnsure.calibration.drift.needed import answers_for_error, detectable_gap, labels_for_gap
from turnsure.core.errors import InputError, UndefinedMetricError


def test_the_formula_for_one_rate():
    z, b = stats.norm.isf(0.025), stats.norm.isf(0.2)
    plain = ((z * np.sqrt(0.9 * 0.1) + b * np.sqrt(0.8 * 0.2)) / 0.1) ** 2
    wanted = plain / 4 * (1 + np.sqrt(1 + 2 / (plain * 0.1))) ** 2
    assert labels_for_gap(np.full(7, 0.9), 0.1, alpha=0.05) == np.ceil(wanted)
    doubled = labels_for_gap(np.full(7, 0.9), 0.1, alpha=0.05, design_effect=2.0)
    assert doubled == np.ceil(2 * wanted)


@pytest.mark.parametrize("drop", [0.1, 0.3])
def test_so_many_labels_notice_the_drop_as_often_as_said(drop):
    random = np.random.default_rng(0)
    everything = random.beta(5, 2, size=5000)
    n = labels_for_gap(everything, drop, alpha=0.05)
    noticed = 0
    for _ in range(400):
        probability = random.choice(everything, n)
        right = random.random(n) < np.maximum(probability - drop, 0.0)
        noticed += gap_test(probability, right, np.arange(n)).p_value <= 0.05
    assert 0.73 < noticed / 400 < 0.87  # beyond the 1e-3 quantiles of Binomial(400, .8)


def test_what_labels_notice_turns_the_question_around():
    probability = np.random.default_rng(1).beta(5, 2, size=300)
    n = labels_for_gap(probability, 0.06, alpha=0.05)
    assert detectable_gap(probability, n, alpha=0.05) == 0.06
    assert detectable_gap(probability, n - 1, alpha=0.05) == 0.061


def test_certain_outcomes_need_one_label():
    assert labels_for_gap(np.ones(3), 0.999999999, alpha=0.05) == 1


def test_one_label_notices_no_drop():
    assert detectable_gap(np.full(3, 0.5), 1, alpha=0.05) is None


def test_probabilities_of_0_cannot_drop():
    with pytest.raises(UndefinedMetricError, match="no accuracy can drop"):
        labels_for_gap(np.zeros(4), 0.1, alpha=0.05)


@pytest.mark.parametrize(
    ("target", "drop", "alpha"),
    [(0.05, 0.05, 0.05), (0.1, 0.1, 0.05), (0.01, 0.1, 0.05), (0.3, 0.4, 0.01), (0.05, 0.9, 0.05)],
)
def test_answers_by_trying_every_number(target, drop, alpha):
    n = np.arange(1, 500)
    critical = stats.binom.isf(alpha, n, target).astype(int) + 1
    critical -= stats.binom.sf(critical - 2, n, target) <= alpha
    power = stats.binom.sf(critical - 1, n, target + drop)
    wanted = int(n[power < 0.8].max(initial=0)) + 1
    assert answers_for_error(target, drop, alpha=alpha) == wanted


@pytest.mark.parametrize(("target", "drop"), [(0.05, 1e-5), (0.5, 1e-12), (1e-9, 1e-12)])
def test_a_drop_that_no_data_show_has_no_number(target, drop):
    assert answers_for_error(target, drop, alpha=0.05) is None


def test_an_error_above_1_is_refused():
    with pytest.raises(InputError, match="an error below 1"):
        answers_for_error(0.4, 0.6, alpha=0.05)
