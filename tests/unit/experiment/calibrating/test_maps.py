"""Maps compared on dialogues that they have not seen."""

from __future__ import annotations

import csv
from collections import defaultdict

import numpy as np
import pytest

from tests.support.labelled import counted, overconfident
from turnsure import metrics, registry
from turnsure.calibration import fitting
from turnsure.calibration.folds import fold_of_rows, out_of_fold
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.core.results import Undefined
from turnsure.experiment.calibrating import maps
from turnsure.experiment.calibrating.maps import compare_maps

FEW = {"resamples": 60, "folds": 3}


@pytest.fixture(scope="module")
def rows():
    return overconfident(600, digits=2, slope=0.4)


@pytest.fixture(scope="module")
def comparison(rows):
    return compare_maps(rows, names=("platt", "isotonic", "histogram"), **FEW)


def test_every_map_is_judged_by_its_cross_fitted_probabilities(rows, comparison):
    assert [one.name for one in comparison.maps] == ["platt", "isotonic", "histogram"]
    for one in comparison.maps:
        probability = out_of_fold(one.name, rows, folds=3)
        for name in ("log_loss", "brier", "ece", "smooth_ece", "auroc"):
            direct = getattr(metrics, name)(probability, rows.correct)
            raw = getattr(metrics, name)(rows.score, rows.correct)
            assert one.metrics[name].value == direct.value
            change = one.differences[name].change
            assert change.value == direct.value - raw.value
            assert change.interval.low <= change.value <= change.interval.high
            assert (change.n_turns, change.n_dialogues) == (600, 150)


def test_intervals_are_those_of_the_metrics(rows, comparison):
    for name in ("log_loss", "brier", "ece", "smooth_ece", "auroc"):
        direct = getattr(metrics, name)(rows.score, rows.correct, dialogue=rows.group, resamples=60)
        found = comparison.raw[name].interval
        assert (found.low, found.high) == pytest.approx(
            (direct.interval.low, direct.interval.high), abs=1e-12
        )


def test_the_test_is_the_sign_flip_test_corrected_over_the_maps(rows, comparison):
    def losses(probability):
        return -np.log(np.where(rows.correct, probability, 1 - probability))

    p_values = [
        metrics.sign_flip_test(
            losses(out_of_fold(one.name, rows, folds=3)) - losses(rows.score), rows.group
        ).p_value
        for one in comparison.maps[:1]
    ]
    changes = [one.differences["log_loss"] for one in comparison.maps]
    assert changes[0].p_value == p_values[0]
    assert [one.p_holm for one in changes] == [*metrics.holm([one.p_value for one in changes])]
    assert all(one.differences["brier"].p_value is None for one in comparison.maps)


def test_the_map_for_a_fold_is_chosen_without_it(rows, comparison):
    fold = fold_of_rows(rows, folds=3, seed=0)
    names = ("identity", "platt", "isotonic", "histogram")
    probability = np.empty(len(rows))
    for place in range(3):
        others = [one for one in range(3) if one != place]
        losses = []
        for name in names:
            total = 0.0
            for judged in others:
                fitted_on = (fold != place) & (fold != judged)
                inside = rows.rows(fold == judged)
                given = fitting.fit(name, rows.rows(fitted_on)).on(inside)
                total += metrics.log_loss(given, inside.correct).value * len(inside)
            losses.append(total)
        chosen = names[int(np.argmin(losses))]
        assert comparison.chosen_names[place] == chosen
        here = fold == place
        probability[here] = fitting.fit(chosen, rows.rows(~here)).on(rows.rows(here))
    value = metrics.log_loss(probability, rows.correct).value
    assert comparison.chosen.metrics["log_loss"].value == pytest.approx(value, rel=1e-14)


def test_an_overconfident_score_is_helped(comparison):
    assert comparison.best in ("platt", "isotonic", "histogram")
    assert comparison.verdict.startswith(f"{comparison.best} helps: choosing a map lowers")
    assert comparison.chosen.differences["log_loss"].falls
    assert (comparison.n_rows, comparison.n_rows_given, comparison.folds) == (600, 600, 3)


def test_a_calibrated_score_is_not_helped():
    found = compare_maps(overconfident(600, slope=1.0), **FEW)
    assert found.best is None
    assert found.verdict.startswith("No map")


def test_the_order_of_the_rows_changes_nothing(rows, comparison):
    order = np.random.default_rng(5).permutation(len(rows))
    again = compare_maps(rows.rows(order), names=("platt", "isotonic", "histogram"), **FEW)
    assert again.chosen_names == comparison.chosen_names
    for one, other in zip(again.maps, comparison.maps, strict=True):
        assert one.metrics["log_loss"].value == pytest.approx(
            other.metrics["log_loss"].value, rel=1e-13
        )


def test_a_map_without_a_fit_is_left_out_with_the_reason():
    score, correct = counted((0.8, 60, 30))
    found = compare_maps(LabelledScores.of(score, correct), names=("platt", "isotonic"), **FEW)
    platt, isotonic = found.maps
    assert "vary too little" in platt.reason
    assert (platt.metrics, platt.differences) == ({}, {})
    assert isotonic.reason is None
    assert set(found.chosen_names) == {"isotonic"}
    assert isotonic.differences["log_loss"].p_holm == isotonic.differences["log_loss"].p_value


def test_one_class_leaves_venn_abers_and_no_auroc():
    found = compare_maps(LabelledScores.of([0.4] * 30, [1] * 30), **FEW)
    assert [one.name for one in found.maps if one.reason is None] == ["venn_abers"]
    assert isinstance(found.raw["auroc"], Undefined)
    assert isinstance(found.chosen.differences["auroc"].change, Undefined)
    assert found.best == "venn_abers"


@pytest.mark.parametrize("feature", ["level", "turn", "per_level"])
def test_maps_that_use_the_turn(rows, feature):
    found = compare_maps(rows, feature=feature, resamples=20, folds=3, least=50)
    names = [name for name in registry.names("maps") if name != "identity"]
    if feature != "per_level":
        names = ["platt", "platt_smoothed", "temperature", "beta"]
    assert [one.name for one in found.maps] == names
    probability = out_of_fold("platt", rows, folds=3, feature=feature, least=50)
    assert found.maps[0].metrics["brier"].value == metrics.brier(probability, rows.correct).value


def test_very_many_rows_are_sampled_by_dialogue(rows, monkeypatch):
    monkeypatch.setattr(maps, "MOST_ROWS", 200)
    found = compare_maps(rows, names=("platt",), **FEW)
    assert (found.n_rows_given, found.n_rows, found.n_dialogues) == (600, 200, 50)


def test_settings_out_of_range(rows):
    with pytest.raises(InputError, match="'folds'"):
        compare_maps(rows, folds=2)
    with pytest.raises(InputError, match="did you mean 'platt'"):
        compare_maps(rows, names=("plat",))
    with pytest.raises(InputError, match="'feature'"):
        compare_maps(rows, names=("isotonic",), feature="level")
    with pytest.raises(UndefinedMetricError, match="2 dialogues"):
        compare_maps(overconfident(8), folds=5)


@pytest.mark.shared
def test_maps_lower_the_held_out_log_loss_of_most_models(shared_data):
    of_model = defaultdict(list)
    with (shared_data / "llm_confidence_correct" / "llm-confidence-correct.csv").open() as file:
        for row in csv.DictReader(file):
            if row["stated_confidence"] not in ("", "NA"):
                of_model[row["llm"]].append(row)
    assert len(of_model) >= 11
    helped = dict.fromkeys(("platt", "beta", "venn_abers"), 0)
    for rows in of_model.values():
        scored = [row for row in rows if 0 <= float(row["stated_confidence"]) <= 1]
        labelled = LabelledScores.of(
            [float(row["stated_confidence"]) for row in scored],
            [row["correct"] == "TRUE" for row in scored],
            dialogue=[row["qset"] + row["question_id"] for row in scored],
        )
        raw = metrics.log_loss(labelled.score, labelled.correct).value
        for name in helped:
            mapped = out_of_fold(name, labelled, folds=2)
            helped[name] += metrics.log_loss(mapped, labelled.correct).value < raw
    assert min(helped.values()) >= 10
