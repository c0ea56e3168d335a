from __future__ import annotations

import numpy as np
import pytest

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.metrics.aptitude import STATISTICS, drop, over_tasks

BINARY = {f"t{k}": [1.0] * k + [0.0] * (10 - k) for k in range(11)}


def test_the_extremes_of_ten_runs_decide_little_by_linear_interpolation():
    """Of ten runs the 90th percentile lies at place 8.1: one right run alone brings 0.1."""
    one_right = {"t": [1.0] + [0.0] * 9}
    assert over_tasks("aptitude", one_right).value == pytest.approx(0.1)
    assert over_tasks("aptitude", {"t": [1.0, 1.0] + [0.0] * 8}).value == 1.0
    assert over_tasks("unreliability", one_right).value == pytest.approx(0.1)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_intervals_hold_the_value_and_widen_with_the_spread(statistic):
    found = over_tasks(statistic, BINARY)
    assert found.interval.low <= found.value <= found.interval.high
    assert (found.n_turns, found.n_dialogues) == (110, 11)


def test_the_interval_of_a_drop_pairs_tasks():
    """Tasks differ much, and each loses exactly 0.2: the drop is certain, the means are not."""
    full = {f"t{k}": [0.2 + 0.08 * k] * 2 for k in range(10)}
    other = {name: [run - 0.2 for run in runs] for name, runs in full.items()}
    found = drop("mean", full, other)
    assert found.value == pytest.approx(0.2)
    assert found.interval is None  # tasks drawn apart for either version would show a spread
    mean = over_tasks("mean", full).interval
    assert mean.high - mean.low > 0.2


def test_a_relative_drop_is_a_ratio_of_means_over_the_same_tasks():
    full = {"a": [1.0], "b": [0.5], "only": [0.0]}
    other = {"b": [0.5], "a": [0.25]}
    found = drop("mean", full, other, relative=True)
    assert found.value == pytest.approx(0.5)
    assert found.details["n_one_side"] == 1
    assert (found.interval.low, found.interval.high) == pytest.approx((0.0, 0.75))


def test_tasks_that_are_alike_and_single_tasks_have_no_interval():
    assert over_tasks("mean", {"a": [0.1, 0.2], "b": [0.1, 0.2]}).interval is None
    assert over_tasks("mean", {"a": [0.1, 0.2]}).interval is None


def test_percentiles_are_those_of_numpy():
    random = np.random.default_rng(0)
    scores = {str(k): random.random(7).tolist() for k in range(5)}
    nineties = [np.quantile(runs, 0.9, method="linear") for runs in scores.values()]
    assert over_tasks("aptitude", scores).value == pytest.approx(float(np.mean(nineties)))


def test_what_cannot_be_computed_is_refused():
    with pytest.raises(UndefinedMetricError, match="no task"):
        over_tasks("mean", {})
    with pytest.raises(UndefinedMetricError, match="'a' has 1 runs, and unreliability takes 2"):
        over_tasks("unreliability", {"a": [0.5]})
    with pytest.raises(UndefinedMetricError, match="both versions"):
        drop("mean", {"a": [1.0]}, {"b": [1.0]})
    with pytest.raises(UndefinedMetricError, match="is 0"):
        drop("mean", {"a": [0.0]}, {"a": [1.0]}, relative=True)
    with pytest.raises(InputError, match="statistic"):
        over_tasks("median", {"a": [1.0]})
    for wrong in ([50.0], [-0.1], [None, 1.0]):
        with pytest.raises(InputError, match="scores of a"):
            over_tasks("mean", {"a": wrong})


def test_a_drop_that_every_resample_has_alike_has_no_interval():
    full = {"a": [1.0, 1.0], **{f"t{place}": [0.0, 0.0] for place in range(6)}}
    other = {**full, "a": [0.2, 0.2]}
    found = drop("mean", full, other, relative=True, resamples=200)
    assert found.value == pytest.approx(0.8)
    assert found.interval is None
