"""Laws of the comparison with an ideal, whatever the values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsure import metrics

FRACTION = st.floats(0.0, 1.0)
ROWS = st.lists(
    st.tuples(FRACTION, FRACTION, st.integers(1, 4), st.integers(0, 3)), min_size=1, max_size=12
)


@given(ROWS)
def test_distance_bias_and_curve_agree(rows):
    confidence, ideal, turn, dialogue = map(list, zip(*rows, strict=True))
    settings = {"dialogue": dialogue, "resamples": 5}
    distance = metrics.ideal_distance(confidence, ideal, **settings)
    bias = metrics.ideal_bias(confidence, ideal, **settings)
    assert 0.0 <= abs(bias.value) <= distance.value + 1e-12 <= 1.0 + 1e-12
    means = distance.details
    assert bias.value == pytest.approx(means["mean_confidence"] - means["mean_ideal"], abs=1e-12)
    curve = metrics.ideal_distance_by_level(confidence, ideal, turn, [4] * len(rows), **settings)
    assert sum(point.n for point in curve.points) == len(rows)
    total = sum(point.n * point.y for point in curve.points)
    assert total / len(rows) == pytest.approx(distance.value, abs=1e-12)


@given(ROWS)
def test_the_two_sides_are_alike(rows):
    confidence, ideal, _, _ = map(list, zip(*rows, strict=True))
    there, back = metrics.ideal_bias(confidence, ideal), metrics.ideal_bias(ideal, confidence)
    assert there.value == pytest.approx(-back.value, abs=1e-12)
    same = metrics.ideal_distance(ideal, confidence).value
    assert metrics.ideal_distance(confidence, ideal).value == pytest.approx(same, abs=1e-12)
    assert metrics.ideal_distance(confidence, confidence).value == 0.0


@given(ROWS)
def test_what_falls_one_way_rises_the_other(rows):
    before, after, _, dialogue = map(list, zip(*rows, strict=True))
    down = metrics.share_falling(before, after, dialogue, resamples=5).details
    up = metrics.share_falling(after, before, dialogue, resamples=5).details
    assert (down["n_fell"], down["n_rose"]) == (up["n_rose"], up["n_fell"])
    assert down["n_fell"] + down["n_rose"] + down["n_stayed"] == len(rows)
    assert down["n_dialogues_fell"] <= len(np.unique(dialogue))
