"""A public table of 72,185 confidences of 11 models: the numbers, and what maps bring."""

from __future__ import annotations

import pytest

from tests.support.plain_metrics import brier, rows_of
from turnsure.core.calibrated import MapComparison
from turnsure.experiment.calibrating.calibrate import calibrate
from turnsure.experiment.calibrating.predictions import read_predictions
from turnsure.experiment.calibrating.settings import CalibrationSettings
from turnsure.experiment.score_columns import ScoreOptions

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def predictions(shared_data):
    file = shared_data / "llm_confidence_correct" / "llm-confidence-correct.csv"
    return read_predictions(file, ScoreOptions(confidence=("stated_confidence",)))


def test_every_model_is_judged_by_all_its_rows(predictions):
    found = calibrate(predictions, CalibrationSettings(resamples=20, maps=()))
    assert sum(one.n_scored for one in found.groups) == 72_185
    assert len(found.groups) == 11
    assert {one.slices[0].name for one in found.groups} == {"qset"}
    assert all(len(one.slices[0].rows) == 5 for one in found.groups)
    assert sum(one.granularity.is_coarse for one in found.groups) >= 8
    group, judged = predictions.groups[0], found.groups[0]
    assert judged.model == "Meta-Llama-3.1-70B-Instruct"
    rows = rows_of(group.rows.score.tolist(), group.rows.correct.tolist())
    assert judged.brier.value == pytest.approx(float(brier(rows)), rel=1e-12)
    assert judged.baselines[0].brier == pytest.approx(
        float(judged.accuracy.value * (1 - judged.accuracy.value)), rel=1e-12
    )


def test_a_map_lowers_held_out_log_loss_of_most_models(predictions):
    settings = CalibrationSettings(resamples=20, maps=("platt",))
    found = calibrate(predictions, settings)
    maps = [one.maps for one in found.groups]
    assert all(isinstance(one, MapComparison) for one in maps)
    assert sum(one.best is not None for one in maps) >= 8
