"""The intervals of pass@k and pass^k of one scenario."""

from __future__ import annotations

import math

import pytest

from tests.support.talks import verdicts
from turnsure.metrics.rates import wilson
from turnsure.scenarios.counting import count_runs

N, K = 20, 3


def counted(n_pass):
    runs = verdicts({"a": "p" * n_pass + "f" * (N - n_pass)})
    return count_runs(runs, ks=(K,), resamples=20).scenarios[0].repeats[0]


def test_the_bounds_are_powers_of_those_of_the_pass_rate():
    rate, found = wilson(12, N), counted(12)
    all_of, any_of = found.all_of_k.as_failures, found.any_of_k.as_failures
    assert (all_of.interval.low, all_of.interval.high) == (rate.low**K, rate.high**K)
    assert any_of.interval.low == 1 - (1 - rate.low) ** K
    assert any_of.interval.high == 1 - (1 - rate.high) ** K
    assert all_of.definition["interval"] == "Wilson's, of the pass rate"


@pytest.mark.parametrize("p", [0.2, 0.6, 0.9])
def test_they_cover_the_true_chance_as_often_as_they_say(p):
    """Exact: over all numbers of passes, weighted by the binomial distribution."""
    covered = 0.0
    for n_pass in range(N + 1):
        found = counted(n_pass).all_of_k.as_failures
        assert found.interval.low <= found.value <= found.interval.high
        if found.interval.low <= p**K <= found.interval.high:
            covered += math.comb(N, n_pass) * p**n_pass * (1 - p) ** (N - n_pass)
    assert covered > 0.92


def test_a_perfect_score_is_no_certainty():
    found = counted(N).all_of_k.as_failures
    assert (found.value, found.interval.high) == (1.0, 1.0)
    assert found.interval.low < 0.7
