"""Calibration maps on any small table."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from turnsure import registry
from turnsure.calibration import fitting
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.errors import UndefinedMetricError

SCORES = st.sampled_from([0.0, 1e-9, 0.01, 0.3, 0.5, 0.7, 0.95, 1 - 1e-12, 1.0]) | st.floats(0, 1)
ROWS = st.lists(st.tuples(SCORES, st.booleans()), min_size=1, max_size=30)
NAMES = st.sampled_from(registry.names("maps"))
GRID = np.concatenate([[0.0, 1e-300, 1e-9], np.linspace(0.001, 0.999, 60), [1 - 1e-12, 1.0]])
NOT_RISING = ("histogram", "histogram_mass")


@given(name=NAMES, rows=ROWS, random=st.randoms(use_true_random=False))
def test_a_fit_is_a_map_into_fractions_or_an_error(name, rows, random):
    try:
        fit = fitting.fit(name, LabelledScores.of(*zip(*rows, strict=True)))
    except UndefinedMetricError:
        return
    probability = fit.apply(GRID)
    assert np.isfinite(probability).all()
    assert probability.min() >= 0.0
    assert probability.max() <= 1.0
    falls = fit.map.parameters.get("slope", 1.0) < 0.0 or name in NOT_RISING
    assert falls or np.diff(probability).min() >= -1e-15

    back = fitting.restore(json.loads(json.dumps(fit.to_json())))
    assert back.apply(GRID).tolist() == probability.tolist()
    random.shuffle(rows)
    again = fitting.fit(name, LabelledScores.of(*zip(*rows, strict=True)))
    assert again.to_json() == fit.to_json()


@given(rows=ROWS)
def test_the_isotonic_fit_keeps_the_number_of_right_answers(rows):
    score, correct = (np.array(column) for column in zip(*rows, strict=True))
    if correct.all() or not correct.any():
        return
    fit = fitting.family("isotonic").fit(score.astype(float), correct)
    np.testing.assert_allclose(fit.apply(score.astype(float)).sum(), correct.sum(), rtol=1e-12)


@given(rows=ROWS)
def test_the_venn_abers_interval_holds_its_merger(rows):
    score, correct = (np.array(column) for column in zip(*rows, strict=True))
    fit = fitting.family("venn_abers").fit(score.astype(float), correct)
    low, high = fit.interval(GRID)
    merged = fit.apply(GRID)
    assert (low <= high).all()
    assert (low <= merged + 1e-15).all()
    assert (merged <= high + 1e-15).all()
    assert np.diff(low).min() >= 0.0
    assert np.diff(high).min() >= 0.0
