"""Fitting, applying and reading back maps, with and without turns."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.labelled import counted, overconfident
from turnsure.calibration import fitting
from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.maps.histogram import HistogramFamily
from turnsure.core.errors import InputError, LeakageError, UndefinedMetricError


def test_a_fit_says_what_it_was_fitted_on():
    rows = overconfident(40)
    fit = fitting.fit("platt", rows)
    assert (fit.n_rows, fit.n_dialogues) == (40, 10)
    assert fit.fitted_on == frozenset(rows.groups)
    assert fit.to_json().keys() == {"name", "feature", "n_rows", "n_dialogues", "parameters"}


def test_each_level_has_its_own_map_where_it_has_enough_rows():
    rows = overconfident(403, turns=4)  # 101, 101, 101 and 100 rows
    fit = fitting.fit("histogram", rows, feature="per_level", levels=4, least=101)
    assert fit.n_pooled_levels == 1
    for turn, direct in ((4, fitting.fit("histogram", rows)), (1, None)):
        here = rows.rows(rows.turn == turn)
        expected = (direct or fitting.fit("histogram", here)).apply(here.score)
        assert fit.apply(here.score, here.turn, here.n_turns).tolist() == expected.tolist()


def test_a_level_without_a_fit_uses_the_map_of_all_rows():
    score, correct = counted((0.3, 50, 20), (0.8, 50, 50))
    turn = np.where(score < 0.5, 1, 2)
    rows = LabelledScores.of(score, correct, turn=turn, n_turns=np.full(100, 2))
    fit = fitting.fit("isotonic", rows, feature="per_level", levels=2, least=10)
    assert [own is None for own in fit.by_level] == [False, True]


def test_levels_are_the_bins_of_information():
    rows = overconfident(600, turns=3)
    fit = fitting.fit("platt", rows, feature="per_level", levels=3, least=1)
    for turn, own in enumerate(fit.by_level, start=1):
        direct = fitting.fit("platt", rows.rows(rows.turn == turn))
        assert own.parameters == direct.map.parameters


def test_a_feature_needs_turns():
    rows = LabelledScores.of([0.2, 0.9], [0, 1])
    for feature in ("level", "turn", "per_level"):
        with pytest.raises(InputError, match="'turn'"):
            fitting.fit("platt", rows, feature=feature)


@pytest.mark.parametrize(
    ("turn", "n_turns"), [(None, 4), (2, None), (0, 4), (5, 4), (1.5, 4), ([1, 2], [2, 2])]
)
def test_turns_that_are_none(turn, n_turns):
    fit = fitting.fit("platt", overconfident(400), feature="level")
    with pytest.raises(InputError, match="turn"):
        fit.apply(0.5, turn, n_turns)


def test_the_turn_alone_is_enough_for_the_turn_feature():
    fit = fitting.fit("platt", overconfident(400), feature="turn")
    assert fit.apply(0.5, 3) == fit.apply(0.5, 3, 4)


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan"), [0.5, float("nan")], [0.5, 1.5]])
def test_scores_out_of_range_are_refused(score):
    fit = fitting.fit("identity", overconfident(10))
    with pytest.raises(InputError, match="'score'"):
        fit.apply(score)


def test_no_scores_give_no_probabilities():
    assert fitting.fit("platt", overconfident(100)).apply(np.zeros(0)).tolist() == []


def test_a_map_that_was_read_back_judges_only_where_it_knows_its_dialogues():
    rows, others = overconfident(200), overconfident(8, seed=1)
    body = fitting.fit("platt", rows).to_json()
    with pytest.raises(LeakageError, match="not known on which 50 dialogues"):
        fitting.restore(body).on(others)
    known = fitting.restore(body, fitted_on=frozenset(rows.groups))
    with pytest.raises(LeakageError, match="fitted on 2 of the 2"):
        known.on(others)
    assert len(known.on(LabelledScores.of([0.5], [1], dialogue=["new"]))) == 1


def test_a_family_with_other_settings():
    family = HistogramFamily(name="histogram", binning="width", bins=2)
    fit = fitting.fit(family, LabelledScores.of([0.1, 0.2, 0.9, 0.8], [0, 1, 1, 1]))
    assert fit.apply(np.array([0.49, 0.5])).tolist() == [0.5, 1.0]
    assert fitting.restore(fit.to_json()).apply(0.49).tolist() == [0.5]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"name": "plat"}, "'name'"),
        ({"feature": "hour"}, "'feature'"),
        ({"feature": "level"}, "parameters.level_weight"),
        ({"feature": "per_level"}, "'by_level': it is missing"),
        ({"feature": "per_level", "by_level": []}, "'by_level'"),
        ({"feature": "per_level", "by_level": [None, 3]}, r"by_level\[1\]"),
        ({"feature": "per_level", "by_level": [{}]}, r"by_level\[0\].slope"),
        ({"parameters": None}, "'parameters'"),
        ({"n_rows": 0}, "'n_rows'"),
        ({"n_dialogues": "9"}, "'n_dialogues'"),
        ({"name": "isotonic", "feature": "turn"}, "'feature': isotonic takes none"),
    ],
)
def test_what_cannot_be_read_back_is_named(change, expected):
    body = fitting.fit("platt", overconfident(100)).to_json()
    with pytest.raises(InputError, match=expected):
        fitting.restore({**body, **change})


def test_a_field_that_is_missing_is_named():
    body = fitting.fit("platt", overconfident(100)).to_json()
    for field in body:
        with pytest.raises(InputError, match=field):
            fitting.restore({key: value for key, value in body.items() if key != field})


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("isotonic", {"scores": [0.2, 0.2], "probability": [0.1, 0.2]}),
        ("isotonic", {"scores": [0.2, 0.3], "probability": [0.3, 0.2]}),
        ("isotonic", {"scores": [0.2, 0.3], "probability": [0.3]}),
        ("histogram", {"lower_edges": [0.1, 0.5], "probability": [0.3, 0.4], "n_empty": 0}),
        ("venn_abers", {"p1_up_to": [0.5], "p1": [0.0], "p0_from": [0.5], "p0": [0.0]}),
        ("platt", {"slope": 1, "intercept": 0, "level_weight": None, "clip": 0}),
        ("temperature", {"inverse_temperature": -1, "level_weight": None, "clip": 1e-6}),
        ("beta", {"a": 1, "b": -1, "c": 0, "level_weight": None, "clip": 1e-6}),
    ],
)
def test_edited_parameters_are_refused(name, parameters):
    body = {"name": name, "feature": "none", "n_rows": 9, "n_dialogues": 9}
    with pytest.raises(InputError, match="parameters"):
        fitting.restore({**body, "parameters": parameters})


@pytest.mark.parametrize("name", ["platt", "beta", "temperature"])
def test_separated_outcomes_have_no_most_likely_map(name):
    score, correct = counted((0.1, 5, 0), (0.3, 5, 0), (0.7, 5, 5), (0.9, 5, 5))
    with pytest.raises(UndefinedMetricError, match="separated"):
        fitting.family(name).fit(score, correct)


@pytest.mark.parametrize(
    ("name", "groups", "reason"),
    [
        ("platt", [(0.8, 9, 4)], "vary too little"),
        ("platt_smoothed", [(0.8, 9, 4)], "vary too little"),
        ("temperature", [(0.5, 9, 4)], "vary too little"),
        ("temperature", [(0.8, 9, 4)], "above one half"),
        ("temperature", [(0.2, 9, 3), (0.8, 9, 3)], "above one half"),
        ("beta", [(0.3, 9, 4), (0.8, 9, 6)], "2 distinct scores"),
    ],
)
def test_scores_that_settle_too_little(name, groups, reason):
    with pytest.raises(UndefinedMetricError, match=reason):
        fitting.family(name).fit(*counted(*groups))


def test_certain_scores_stand_with_the_most_extreme_of_the_others():
    fit = fitting.family("platt").fit(*counted((0.0, 9, 2), (0.3, 9, 3), (0.95, 9, 6), (1.0, 9, 8)))
    assert fit.clip == 0.01
    nearer = fitting.family("platt").fit(*counted((0.0, 9, 2), (0.999, 9, 6), (1.0, 9, 8)))
    assert nearer.clip == 1 - 0.999


def test_a_score_that_is_not_certain_is_never_clipped():
    tiny = 2.0**-40
    score, correct = counted((tiny, 9, 2), (0.5, 9, 3), (1 - tiny, 9, 8))
    assert fitting.family("platt").fit(score, correct).clip == tiny
    assert fitting.family("platt").fit(*counted((0.3, 9, 2), (0.8, 9, 8))).clip == 1e-6
