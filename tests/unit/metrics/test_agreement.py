from __future__ import annotations

import numpy as np
import pytest

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.metrics.agreement import cohen_kappa, raw_agreement
from turnsure.metrics.leaning import leaning
from turnsure.metrics.mcnemar import mcnemar_exact


def drawn(random, n, share_same):
    left = random.choice(["pass", "fail"], n)
    other = random.choice(["pass", "fail"], n)
    return left.tolist(), np.where(random.random(n) < share_same, left, other).tolist()


def test_the_interval_of_kappa_covers_it():
    """With a fair label and a share s of copies, kappa is s."""
    random = np.random.default_rng(2)
    inside = 0
    for _ in range(150):
        found = cohen_kappa(*drawn(random, 80, 0.6), resamples=300).interval
        inside += found.low <= 0.6 <= found.high
    assert 0.89 <= inside / 150 <= 0.99


def test_a_resample_s_kappa_is_that_of_its_rows():
    """With two clusters the resamples are either one twice, or both."""
    left = ["a", "a", "b", "b", "a", "b", "b", "a"]
    right = ["a", "b", "b", "b", "a", "a", "a", "a"]
    cluster = [0, 0, 0, 0, 1, 1, 1, 1]
    whole = cohen_kappa(left, right, cluster=cluster)
    halves = [cohen_kappa(left[:4], right[:4]).value, cohen_kappa(left[4:], right[4:]).value]
    assert whole.n_dialogues == 2
    assert (whole.interval.low, whole.interval.high) == (min(halves), max(halves))


def test_the_order_of_rows_and_raters_does_not_matter():
    left, right = drawn(np.random.default_rng(1), 50, 0.5)
    one = cohen_kappa(left, right)
    assert cohen_kappa(right, left).value == one.value
    assert cohen_kappa(left[::-1], right[::-1]).value == one.value


def test_rows_without_a_label_are_left_out_and_counted():
    found = cohen_kappa(["a", "b", None, "a"], ["a", None, "b", "b"])
    assert (found.n_turns, found.n_failed) == (2, 2)
    assert raw_agreement(["a", None], ["a", "a"]).n_failed == 1


def test_a_single_cluster_has_no_interval():
    found = cohen_kappa(["a", "b", "a"], ["a", "b", "b"], cluster=["x", "x", "x"])
    assert found.interval is None
    assert raw_agreement(["a", "b"], ["a", "a"], cluster=["x", "x"]).interval is None


def test_what_has_no_agreement_is_refused():
    for metric in (cohen_kappa, raw_agreement):
        with pytest.raises(UndefinedMetricError, match="none of the 2 rows"):
            metric(["a", None], [None, "a"])
        with pytest.raises(InputError, match="right"):
            metric(["a", "b"], ["a"])
    with pytest.raises(UndefinedMetricError, match="say 'a' in all 2 rows"):
        cohen_kappa(["a", "a"], ["a", "a"])


def test_leaning_is_the_judge_s_lead_over_people():
    found = leaning("bias", [1, 1, 0.5, 0], [1, 0, 0, 0], cluster=range(4))
    assert found.value == pytest.approx(1.5 / 4)
    beside = leaning("bias", [1, 1, 0.5, 0], [1, 0, 0, 0], cluster=range(4), beside=[0, 0, 1, 1])
    assert beside.value == pytest.approx(0.5 - 0.25)
    for rows in ([], [True, True], [False, False]):
        with pytest.raises(UndefinedMetricError):
            leaning("bias", [0] * len(rows), [0] * len(rows), cluster=rows, beside=rows)


def test_mcnemar_keeps_its_level_and_has_power():
    """Under no change p ≤ 5 % at most 5 % of the time; 2,000 samples of 40 pairs."""
    random = np.random.default_rng(4)
    discordant = random.binomial(40, 0.4, 2000)
    left = random.binomial(discordant, 0.5)
    p = [
        mcnemar_exact(only_left=b, only_right=m - b).p_value
        for b, m in zip(left.tolist(), discordant.tolist(), strict=True)
    ]
    assert np.mean(np.array(p) <= 0.05) <= 0.055
    assert mcnemar_exact(only_left=0, only_right=400).p_value < 1e-100
    assert mcnemar_exact(only_left=2_000, only_right=2_000).p_value == 1.0


@pytest.mark.parametrize("wrong", [{"only_left": -1}, {"only_right": 1.0}, {"both": True}])
def test_counts_out_of_range_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        mcnemar_exact(**{"only_left": 0, "only_right": 0, **wrong})
