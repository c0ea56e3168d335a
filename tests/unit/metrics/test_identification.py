"""Confidence against an ideal, and what it does between two turns; values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure import metrics
from turnsure.core.errors import InputError, UndefinedMetricError

CONFIDENCE = [0.5, 0.2, 1.0, None, 0.4]
IDEAL = [0.25, 0.5, 1.0, 0.5, None]
DIALOGUE = ["a", "a", "b", "b", "c"]


def test_gaps_by_hand():
    distance = metrics.ideal_distance(CONFIDENCE, IDEAL, dialogue=DIALOGUE, resamples=200)
    bias = metrics.ideal_bias(CONFIDENCE, IDEAL, dialogue=DIALOGUE, resamples=200)
    assert distance.value == pytest.approx((0.25 + 0.3 + 0.0) / 3)
    assert bias.value == pytest.approx((0.25 - 0.3 + 0.0) / 3)
    for found in (distance, bias):
        assert (found.n_turns, found.n_dialogues, found.n_failed) == (3, 2, 2)
        assert found.details["mean_confidence"] == pytest.approx(1.7 / 3)
        assert found.details["mean_ideal"] == pytest.approx(1.75 / 3)
        # Every resample has a twice, both, or b twice.
        assert found.interval.n_resamples == 200
    assert (distance.interval.low, distance.interval.high) == pytest.approx((0.0, 0.275))
    assert (bias.interval.low, bias.interval.high) == pytest.approx((-0.025, 0.0))
    assert (distance.direction, bias.direction) == ("lower", "none")


def test_without_dialogues_there_is_no_interval():
    found = metrics.ideal_distance(CONFIDENCE, IDEAL)
    assert (found.interval, found.n_dialogues) == (None, None)
    one = metrics.ideal_bias([0.1, 0.2], [0.2, 0.2], dialogue=["a", "a"])
    assert (one.interval, one.n_dialogues) == (None, 1)


def test_distance_by_level_by_hand():
    curve = metrics.ideal_distance_by_level(
        CONFIDENCE, IDEAL, [1, 2, 1, 1, 1], [2, 2, 2, 1, 1], dialogue=DIALOGUE, resamples=20
    )
    assert [(point.x, point.n) for point in curve.points] == [(0.5, 2), (1.0, 1)]
    assert [point.y for point in curve.points] == pytest.approx([0.125, 0.3])
    assert (curve.n_turns, curve.n_failed) == (3, 2)


def test_a_masked_column_is_one_with_holes():
    masked = np.ma.MaskedArray([0.5, 0.2, 1.0, 0.9, 0.4], mask=[0, 0, 0, 1, 0])
    assert metrics.ideal_distance(masked, IDEAL) == metrics.ideal_distance(CONFIDENCE, IDEAL)


def test_falls_by_hand():
    found = metrics.share_falling(
        [0.5, 0.2, 0.6, 0.4, None, 0.3],
        [0.4, 0.3, 0.5, 0.4, 0.1, 0.1],
        ["a", "a", "b", "b", "b", "c"],
        resamples=50,
    )
    assert found.value == 3 / 5
    assert (found.n_turns, found.n_dialogues, found.n_failed) == (5, 3, 1)
    assert found.details == {
        "n_fell": 3,
        "n_rose": 1,
        "n_stayed": 1,
        # 0.1 down and 0.1 up make no change, whatever is left of them by rounding.
        "n_dialogues_fell": 2,
    }
    assert 1 / 2 <= found.interval.low < found.interval.high <= 1.0


@pytest.mark.parametrize("compute", [metrics.ideal_distance, metrics.ideal_bias])
def test_nothing_to_compare(compute):
    with pytest.raises(UndefinedMetricError, match="none of the 2 rows has a value in both"):
        compute([0.5, None], [None, 0.5])
    with pytest.raises(UndefinedMetricError):
        compute([None], [0.5])


def test_no_complete_pair_has_not_fallen():
    with pytest.raises(UndefinedMetricError, match="'before' and 'after'"):
        metrics.share_falling([0.5, None], [None, 0.5], ["a", "b"])


@pytest.mark.parametrize(
    ("confidence", "ideal", "field"),
    [([0.5], [0.5, 0.5], "ideal"), ([1.5], [0.5], "confidence"), ([0.5], [-0.1], "ideal")],
)
def test_columns_that_do_not_fit_are_named(confidence, ideal, field):
    for compute in (metrics.ideal_distance, metrics.ideal_bias):
        with pytest.raises(InputError) as caught:
            compute(confidence, ideal)
        assert caught.value.field == field
    with pytest.raises(InputError) as caught:
        metrics.share_falling([0.5], [0.2], ["a", "b"])
    assert caught.value.field == "dialogue"
