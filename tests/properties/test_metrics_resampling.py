"""Intervals from sums and weights are those of resampling the rows themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from turnsure import metrics
from turnsure.core.errors import UndefinedMetricError
from turnsure.numerics.resampling import Clusters

RESAMPLES, SEED, LEVEL = 40, 3, 0.8
SETTINGS = {"resamples": RESAMPLES, "seed": SEED, "level": LEVEL}


@st.composite
def tables(draw):
    """Columns of dialogue, turn, dialogue length, confidence and outcome."""
    lengths = draw(st.lists(st.integers(1, 5), min_size=2, max_size=7))
    dialogue = np.repeat(np.arange(len(lengths)), lengths)
    n = len(dialogue)
    column = st.lists(st.integers(0, 8).map(lambda k: k / 8), min_size=n, max_size=n)
    return {
        "dialogue": dialogue,
        "turn": np.concatenate([np.arange(1, length + 1) for length in lengths]),
        "n_turns": np.repeat(lengths, lengths),
        "confidence": np.array(draw(column)),
        "correct": np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))),
    }


def resampled_rows(dialogue):
    """Row numbers of each resample, a row as often as its dialogue was drawn."""
    clusters = Clusters(
        codes=dialogue, n=int(dialogue.max()) + 1, resamples=RESAMPLES, seed=SEED, level=LEVEL
    )
    for block in clusters.weights():
        for weights in block.astype(int):
            yield np.repeat(np.arange(len(dialogue)), weights[dialogue])


def bounds_by_rows(table, compute):
    """Percentiles of the metric of the resampled rows, and how many were defined."""
    values = []
    for rows in resampled_rows(table["dialogue"]):
        try:
            values.append(float(compute({name: column[rows] for name, column in table.items()})))
        except UndefinedMetricError:
            continue
    assume(values)
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return low, high, len(values)


def plain(name, **settings):
    """The metric of a table, from confidences and outcomes alone."""
    return lambda table, **more: getattr(metrics, name)(
        table["confidence"], table["correct"], **settings, **more
    )


METRICS = {
    "ece": plain("ece", bins=4),
    "ece_l2": plain("ece", bins=4, norm="l2"),
    "ece_debiased": plain("ece", bins=4, norm="l2", debias=True),
    "ece_max": plain("ece", bins=4, norm="max"),
    "brier": plain("brier"),
    "log_loss": plain("log_loss", clip=0.01),
    "auroc": plain("auroc"),
    "average_precision": plain("average_precision"),
    "aurc": plain("aurc"),
    "mean_confidence": lambda table, **more: metrics.mean_confidence(table["confidence"], **more),
    "accuracy": lambda table, **more: metrics.accuracy(table["correct"], **more),
    "info_ece": lambda table, **more: metrics.info_ece(
        *(table[name] for name in ("confidence", "correct", "turn", "n_turns")), bins=3, **more
    ),
}


@pytest.mark.parametrize("name", METRICS)
@given(table=tables())
@settings(max_examples=25, deadline=None)
def test_an_interval_is_that_of_resampled_rows(name, table):
    compute = METRICS[name]
    try:
        interval = compute(table, dialogue=table["dialogue"], **SETTINGS).interval
    except UndefinedMetricError:
        assume(False)
    low, high, n = bounds_by_rows(table, compute)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-12)
    assert interval.n_resamples == n
    assert interval.level == LEVEL
    assert interval.method == "cluster_bootstrap"


@given(table=tables())
@settings(max_examples=10, deadline=None)
def test_the_interval_of_smooth_ece(table):
    interval = metrics.smooth_ece(
        table["confidence"], table["correct"], dialogue=table["dialogue"], **SETTINGS
    ).interval
    low, high, _ = bounds_by_rows(table, plain("smooth_ece"))
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=2e-5)


@given(table=tables())
@settings(max_examples=25, deadline=None)
def test_the_interval_of_kendall_tau(table):
    names = ("confidence", "dialogue", "turn")
    try:
        result = metrics.kendall_tau(*(table[name] for name in names), **SETTINGS)
    except UndefinedMetricError:
        assume(False)
    taus = [
        tau
        for tau in metrics.kendall_tau_by_dialogue(*(table[name] for name in names)).values()
        if tau is not None
    ]
    if len(taus) == 1:
        assert result.interval is None
        return
    means = [np.mean(np.array(taus)[rows]) for rows in resampled_rows(np.arange(len(taus)))]
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    assert (result.interval.low, result.interval.high) == pytest.approx((low, high), abs=1e-12)


@given(table=tables())
@settings(max_examples=25, deadline=None)
def test_bands_along_the_information_level(table):
    names = ("confidence", "turn", "n_turns")
    curve = metrics.by_level(
        *(table[name] for name in names), 3, dialogue=table["dialogue"], **SETTINGS
    )
    for point in curve.points:

        def mean_here(rows, x=point.x):
            points = metrics.by_level(*(rows[name] for name in names), 3).points
            found = [other.y for other in points if other.x == x]
            if not found:
                raise UndefinedMetricError("no row in this bin")
            return found[0]

        low, high, _ = bounds_by_rows(table, mean_here)
        assert (point.low, point.high) == pytest.approx((low, high), abs=1e-12)


@given(table=tables())
@settings(max_examples=25, deadline=None)
def test_bands_of_risk(table):
    curve = metrics.risk_coverage(
        table["confidence"], table["correct"], dialogue=table["dialogue"], **SETTINGS
    )
    for point in curve.points:

        def risk_here(rows, threshold=point.threshold):
            accepted = rows["confidence"] >= threshold
            if not accepted.any():
                raise UndefinedMetricError("no row accepted")
            return 1 - rows["correct"][accepted].mean()

        low, high, _ = bounds_by_rows(table, risk_here)
        assert (point.low, point.high) == pytest.approx((low, high), abs=1e-12)


@given(table=tables())
@settings(max_examples=25, deadline=None)
def test_bands_of_the_reliability_table_and_fixed_mass_bins(table):
    """With bins of equal mass the bins of the full data hold in every resample."""
    reliability = metrics.reliability_table(
        table["confidence"], table["correct"], 3, "mass", dialogue=table["dialogue"], **SETTINGS
    )
    for place, row in enumerate(reliability.bins):
        if not row.n:
            continue

        def accuracy_here(rows, row=row):
            here = (rows["confidence"] >= row.lower) & (rows["confidence"] <= row.upper)
            if not here.any():
                raise UndefinedMetricError("no row in this bin")
            return rows["correct"][here].mean()

        low, high, n = bounds_by_rows(table, accuracy_here)
        interval = reliability.bins[place].accuracy_interval
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-12)
        assert interval.n_resamples == n
