"""Paired comparisons keep their symmetries, and their intervals are those of resampled rows."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from turnsure import metrics
from turnsure.core.errors import UndefinedMetricError
from turnsure.core.turns import TurnColumns
from turnsure.numerics.few_clusters import expanded_interval
from turnsure.numerics.resampling import Clusters

RESAMPLES, SEED, LEVEL = 40, 3, 0.8
BOOT = {"resamples": RESAMPLES, "seed": SEED, "level": LEVEL}
METRICS = (
    "accuracy",
    "auroc",
    "brier",
    "ece",
    "info_ece",
    "kendall_tau",
    "mean_confidence",
    "smooth_ece",
)
SIDES = ("left", "right")

fractions = st.integers(0, 10).map(lambda tenths: tenths / 10)
maybe = st.one_of(st.none(), fractions, fractions, fractions)


@st.composite
def pairs(draw, values=maybe, n_columns=2):
    """Some columns and the dialogue of every row."""
    n = draw(st.integers(1, 14))
    columns = [draw(st.lists(values, min_size=n, max_size=n)) for _ in range(n_columns)]
    dialogue = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    complete = [row for row in zip(*columns, strict=True) if None not in row]
    assume(complete)
    return (*columns, dialogue)


@st.composite
def conditions(draw, missing=True):
    """Two conditions of the same dialogues, each without some rows, in some order."""
    lengths = draw(st.lists(st.integers(1, 4), min_size=3, max_size=6))
    dialogue = np.repeat(np.arange(len(lengths)), lengths)
    n_turns = np.repeat(lengths, lengths)
    turn = np.concatenate([np.arange(1, length + 1) for length in lengths])
    sides = []
    for _ in SIDES:
        rows = np.array(draw(st.permutations(range(len(dialogue)))))
        if missing:
            rows = rows[: draw(st.integers(max(1, len(rows) - 3), len(rows)))]
        n = len(rows)
        values = maybe if missing else fractions
        outcomes = st.sampled_from([0, 1, 0, 1, 0, 1, None] if missing else [0, 1])
        sides.append(
            TurnColumns(
                dialogue=dialogue[rows],
                turn=turn[rows],
                n_turns=n_turns[rows],
                confidence=draw(st.lists(values, min_size=n, max_size=n)),
                correct=draw(st.lists(outcomes, min_size=n, max_size=n)),
            )
        )
    return tuple(sides)


def difference(metric, left, right):
    """The difference, or None where it is not defined."""
    try:
        return metrics.paired_metric_difference(metric, left, right, bins=3, **BOOT)
    except UndefinedMetricError:
        return None


def rows_of(columns, rows):
    return TurnColumns(
        **{
            field.name: [getattr(columns, field.name)[row] for row in rows]
            for field in fields(TurnColumns)
        }
    )


def flipped(interval):
    return None if interval is None else pytest.approx((-interval.high, -interval.low), abs=1e-12)


def bounds(interval):
    return None if interval is None else (interval.low, interval.high)


@given(pairs())
@settings(max_examples=60, deadline=None)
def test_a_change_backwards_is_the_opposite(table):
    before, after, dialogue = table
    forth = metrics.paired_change(before, after, dialogue, **BOOT)
    back = metrics.paired_change(after, before, dialogue, **BOOT)
    assert back.value == -forth.value
    assert bounds(back.interval) == flipped(forth.interval)
    assert forth.value == forth.details["mean_after"] - forth.details["mean_before"]


@given(pairs(), st.randoms())
@settings(max_examples=40, deadline=None)
def test_the_order_of_pairs_does_not_matter(table, random):
    rows = [*zip(*table, strict=True)]
    shuffled = random.sample(rows, len(rows))
    assert metrics.paired_change(*zip(*shuffled, strict=True), **BOOT) == (
        metrics.paired_change(*table, **BOOT)
    )


@given(pairs())
@settings(max_examples=40, deadline=None)
def test_the_interval_of_a_change_is_that_of_resampled_dialogues(table):
    before, after, dialogue = table
    result = metrics.paired_change(before, after, dialogue, **BOOT)
    means = {}
    for start, end, code in zip(before, after, dialogue, strict=True):
        if None not in (start, end):
            means.setdefault(code, []).append(end - start)
    values = np.array([np.mean(means[code]) for code in sorted(means)])
    assert result.value == pytest.approx(values.mean(), abs=1e-12)
    n = len(values)
    clusters = Clusters(codes=np.arange(n), n=n, **BOOT)
    resampled = [
        np.repeat(values, weights).mean()
        for block in clusters.weights()
        for weights in block.astype(int)
    ]
    if n == 1:
        assert result.interval is None
        return
    tail = stats.norm.cdf(-np.sqrt(n / (n - 1)) * stats.t.isf((1 - LEVEL) / 2, n - 1))
    place = max(tail * (RESAMPLES + 1) - 1, 0)
    places = np.arange(RESAMPLES)
    expected = np.interp([place, RESAMPLES - 1 - place], places, np.sort(resampled))
    assert bounds(result.interval) == pytest.approx(tuple(expected), abs=1e-9)


@given(pairs(n_columns=3))
@settings(max_examples=40, deadline=None)
def test_separation_is_the_difference_of_two_changes(table):
    before, information, placebo, dialogue = table
    result = metrics.paired_separation(before, information, placebo, dialogue, **BOOT)
    complete = [row for row in zip(*table, strict=True) if None not in row]
    start, to, instead, names = zip(*complete, strict=True)
    change = metrics.paired_change(start, to, names, **BOOT)
    of_placebo = metrics.paired_change(start, instead, names, **BOOT)
    assert result.details["change_on_information"] == change.value
    assert result.details["change_on_placebo"] == of_placebo.value
    assert result.value == change.value - of_placebo.value
    assert result.n_failed == len(dialogue) - len(complete)
    direct = metrics.paired_change(instead, to, names, **BOOT)
    assert result.value == pytest.approx(direct.value, abs=1e-15)
    assert bounds(result.interval) == pytest.approx(bounds(direct.interval))


changes = st.one_of(st.none(), st.integers(-10, 10).map(lambda tenths: tenths / 10))


@given(pairs(values=changes, n_columns=1), st.randoms(), st.sampled_from([7, 10_000]))
@settings(max_examples=100, deadline=None)
def test_a_p_value_knows_neither_order_nor_direction(table, random, draws):
    differences, dialogue = table
    test = metrics.sign_flip_test(differences, dialogue, draws=draws)
    rows = [*zip(differences, dialogue, strict=True)]
    shuffled = metrics.sign_flip_test(
        *zip(*random.sample(rows, len(rows)), strict=True), draws=draws
    )
    assert shuffled == test
    negative = [None if value is None else -value for value in differences]
    opposite = metrics.sign_flip_test(negative, dialogue, draws=draws)
    assert opposite.statistic == pytest.approx(-test.statistic, abs=1e-15)
    assert replace(opposite, statistic=test.statistic) == test
    assert 0 < test.p_value <= 1


@given(pairs(values=st.integers(-8, 8).map(lambda eighths: eighths / 8), n_columns=1))
@settings(max_examples=50, deadline=None)
def test_a_p_value_is_that_of_scipy(table):
    differences, dialogue = table
    assume(len(set(dialogue)) > 1)  # scipy wants two observations
    test = metrics.sign_flip_test(differences, dialogue)
    means = [
        np.mean([d for d, code in zip(differences, dialogue, strict=True) if code == one])
        for one in sorted(set(dialogue))
    ]
    expected = stats.permutation_test(
        (means,), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert test.exact
    assert test.statistic == pytest.approx(expected.statistic, abs=1e-15)
    assert test.p_value == pytest.approx(expected.pvalue, abs=1e-12)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12), st.randoms())
def test_holm(p_values, random):
    adjusted = metrics.holm(p_values)
    there = [(p, q) for p, q in zip(p_values, adjusted, strict=True) if p is not None]
    assert [p is None for p in p_values] == [q is None for q in adjusted]
    assert all(p <= q <= 1 for p, q in there)
    ordered = sorted(there)
    assert [q for _, q in ordered] == sorted(q for _, q in there)
    # By its definition: stop at the first that is not rejected.
    for alpha in (0.01, 0.05, 0.3):
        n_rejected = 0
        for left, (p, _) in zip(range(len(ordered), 0, -1), ordered, strict=True):
            if p * left > alpha:
                break
            n_rejected += 1
        assert sum(q <= alpha for _, q in there) == n_rejected
    order = random.sample(range(len(p_values)), len(p_values))
    assert metrics.holm([p_values[k] for k in order]) == tuple(adjusted[k] for k in order)


@pytest.mark.parametrize("metric", METRICS)
@given(sides=conditions())
@settings(max_examples=25, deadline=None)
def test_a_difference_backwards_is_the_opposite(metric, sides):
    left, right = sides
    forth = difference(metric, left, right)
    back = difference(metric, right, left)
    if forth is None:
        assert back is None
        return
    assert back.value == -forth.value
    assert bounds(back.interval) == flipped(forth.interval)
    assert (back.n_turns, back.n_failed) == (forth.n_turns, forth.n_failed)
    assert forth.value == forth.details["right"] - forth.details["left"]


@pytest.mark.parametrize("metric", METRICS)
@given(sides=conditions(), random=st.randoms())
@settings(max_examples=15, deadline=None)
def test_the_order_of_turns_does_not_matter(metric, sides, random):
    left, right = sides
    n = len(right.dialogue)
    shuffled = rows_of(right, random.sample(range(n), n))
    assert difference(metric, left, shuffled) == difference(metric, left, right)


@pytest.mark.parametrize("metric", METRICS)
@given(sides=conditions())
@settings(max_examples=15, deadline=None)
def test_a_condition_does_not_differ_from_itself(metric, sides):
    result = difference(metric, sides[0], sides[0])
    assert result is None or (result.value == 0 and bounds(result.interval) in (None, (0, 0)))


def of_side(metric, table, dialogue):
    """The metric of one side's rows."""
    confidence, correct = table["confidence"], table["correct"]
    if metric == "kendall_tau":
        return metrics.kendall_tau(confidence, dialogue, table["turn"], resamples=1).value
    if metric == "info_ece":
        return metrics.info_ece(confidence, correct, table["turn"], table["n_turns"], 3).value
    if metric == "ece":
        return metrics.ece(confidence, correct, 3).value
    columns = {"accuracy": (correct,), "mean_confidence": (confidence,)}
    return getattr(metrics, metric)(*columns.get(metric, (confidence, correct))).value


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "smooth_ece"])
@given(sides=conditions(missing=False))
@settings(max_examples=12, deadline=None)
def test_an_interval_draws_the_same_dialogues_on_both_sides(metric, sides):
    check_interval(metric, sides, within=1e-9)


@given(sides=conditions(missing=False))
@settings(max_examples=3, deadline=None)
def test_the_interval_of_smooth_ece_draws_the_same_dialogues_on_both_sides(sides):
    check_interval("smooth_ece", sides, within=4e-5)


def check_interval(metric, sides, within):
    result = difference(metric, *sides)
    assume(result is not None)
    tables = []
    for side in sides:
        order = np.lexsort((side.turn, side.dialogue))
        tables.append(
            {field.name: np.array(getattr(side, field.name))[order] for field in fields(side)}
        )
    dialogue, lengths = tables[0]["dialogue"], tables[0]["n_turns"]
    if metric == "kendall_tau":
        # Only dialogues that have a τ are drawn.
        tables = [{name: c[lengths > 1] for name, c in table.items()} for table in tables]
        _, dialogue = np.unique(tables[0]["dialogue"], return_inverse=True)
    n = int(dialogue.max()) + 1
    if n == 1:
        assert result.interval is None
        return
    values = []
    for block in Clusters(codes=dialogue, n=n, **BOOT).weights():
        for weights in block.astype(int):
            drawn = np.repeat(np.arange(n), weights)
            rows = [np.flatnonzero(dialogue == one) for one in drawn]
            names = np.repeat(np.arange(n), [len(some) for some in rows])
            resample = np.concatenate(rows)
            both = []
            for table in tables:
                part = {name: column[resample] for name, column in table.items()}
                try:
                    both.append(of_side(metric, part, names))
                except UndefinedMetricError:
                    break
            if len(both) == 2:
                values.append(both[1] - both[0])
    expected = expanded_interval(np.array(values), n, LEVEL)
    assert bounds(result.interval) == pytest.approx(bounds(expected), abs=within)
    assert result.interval.n_resamples == len(values)
