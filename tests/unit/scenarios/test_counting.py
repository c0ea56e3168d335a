from __future__ import annotations

import numpy as np
import pytest

from tests.support.talks import verdicts
from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.core.suite_counts import RunCounts
from turnsure.metrics.scenario_means import scenario_interval
from turnsure.scenarios.comparing import compare_runs
from turnsure.scenarios.counting import MOST_K, count_runs


def test_every_run_is_counted_once_by_what_became_of_it():
    counts = count_runs(verdicts({"a": "ppfive", "b": "ffffff"}))
    assert counts.scenarios[0].runs == RunCounts(
        n_pass=2, n_fail=1, n_inconclusive=1, n_invalid=1, n_error=1
    )
    assert counts.runs.n_runs == 12
    assert (counts.runs.n_decided, counts.runs.n_undecided) == (9, 3)
    assert [one.scenario for one in counts.scenarios] == ["a", "b"]


def test_k_is_at_most_the_runs_of_every_scenario():
    runs = verdicts({"often": "p" * 5, "seldom": "pp"})
    assert [one.k for one in count_runs(runs).repeats] == [1, 2]
    for k in (3, 5, 6):
        with pytest.raises(InputError, match=r"'seldom' was run 2 times"):
            count_runs(runs, ks=[1, k])
    for k in (0, -1, 1.5):
        with pytest.raises(InputError, match="field 'k'"):
            count_runs(runs, ks=[k])


def test_without_ks_they_rise_up_to_a_limit():
    assert [one.k for one in count_runs(verdicts({"a": "p" * 30})).repeats] == [
        *range(1, MOST_K + 1)
    ]
    assert [one.k for one in count_runs(verdicts({"a": "p" * 30}), ks=[30, 2, 2]).repeats] == [
        2,
        30,
    ]


def test_scenarios_weigh_the_same_in_means_and_runs_in_the_rate():
    counts = count_runs(verdicts({"a": "p" * 8, "b": "ff"}))
    assert counts.mean_rate.as_failures.value == 0.5
    assert counts.rate.as_failures.value == 0.8
    assert counts.repeats[0].all_of_k.as_failures.value == 0.5


def test_equal_scenarios_are_no_evidence_of_certainty():
    """The bootstrap over scenarios would give an interval without width."""
    counts = count_runs(verdicts({"a": "ppp", "b": "ppp", "c": "ppp"}))
    assert counts.mean_rate.as_failures.interval is None
    assert counts.repeats[2].all_of_k.as_failures.interval is None
    assert counts.rate.as_failures.interval.low == pytest.approx(0.701, abs=0.001)
    assert counts.caution.startswith("0 failures in 9 ")


def test_undecided_runs_are_named_beside_a_perfect_score():
    assert "(and 3 that were not)" in count_runs(verdicts({"a": "ppppive"})).caution
    assert count_runs(verdicts({"a": "ppf"})).caution is None
    assert count_runs(verdicts({"a": "eee"})).caution is None


def test_the_interval_over_scenarios_covers_their_mean():
    """Pass rates of 12 scenarios drawn from a wide distribution, 200 times over."""
    random = np.random.default_rng(5)
    inside = 0
    for sample in random.beta(2, 1, (200, 12)):
        found = scenario_interval(sample.tolist(), resamples=400)
        inside += found.low <= 2 / 3 <= found.high
    assert 0.90 <= inside / 200 <= 0.99


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(UndefinedMetricError, match="no run"):
        count_runs([])
    with pytest.raises(InputError, match="replicate 0 of scenario 'a' has two verdicts"):
        count_runs([*verdicts({"a": "p"}), *verdicts({"a": "f"})])
    with pytest.raises(InputError, match="n_pass"):
        RunCounts(n_pass=-1)


def test_a_comparison_pairs_runs_by_scenario_and_replicate():
    found = compare_runs(
        verdicts({"a": "ppff", "b": "ppie", "only": "p"}),
        verdicts({"a": "pfpf", "b": "pffp", "new": "f"}),
    )
    pairs = found.pairs
    assert (pairs.n_both, pairs.n_only_left, pairs.n_only_right, pairs.n_neither) == (2, 2, 1, 1)
    assert pairs.p_value == 1.0
    assert found.n_undecided_pairs == 2
    assert (found.only_left, found.only_right) == (("only",), ("new",))
    assert found.mean_rate.value == 0.0
    assert found.mean_rate_decided.value == pytest.approx((0 + (0.5 - 1)) / 2)
    assert found.mean_rate_decided.n_failed == 2


def test_a_regression_is_seen_by_both_tests():
    """20 scenarios of 5 runs: each falls from 5 passes to 3 or 2."""
    before = verdicts({f"s{k}": "ppppp" for k in range(20)})
    after = verdicts({f"s{k}": "ppfff" if k % 2 else "pppff" for k in range(20)})
    found = compare_runs(before, after)
    assert found.mean_rate.value == pytest.approx(-0.5)
    assert found.mean_rate.interval.high < 0
    assert found.pairs.p_value < 1e-10
    back = compare_runs(after, before)
    assert back.mean_rate.value == pytest.approx(0.5)
    assert back.pairs.p_value == found.pairs.p_value


def test_replicates_without_a_partner_are_counted():
    found = compare_runs(verdicts({"a": "ppppp"}), verdicts({"a": "ppf"}))
    assert (found.pairs.n_pairs, found.n_unpaired) == (3, 2)
    assert found.mean_rate.value == pytest.approx(2 / 3 - 1)
    assert found.mean_rate.interval is None


def test_nothing_in_common_is_no_comparison():
    found = compare_runs(verdicts({"a": "p"}), verdicts({"b": "p"}))
    assert found.pairs is None
    assert found.mean_rate.reason == "no scenario has such runs on both sides"


def test_runs_that_died_are_no_pairs_but_failures_in_the_mean():
    found = compare_runs(verdicts({"a": "ppp"}), verdicts({"a": "eee"}))
    assert found.pairs is None
    assert found.n_undecided_pairs == 3
    assert found.mean_rate.value == -1.0
    assert not hasattr(found.mean_rate_decided, "value")
