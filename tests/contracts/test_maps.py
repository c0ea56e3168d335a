"""What every registered calibration map must keep to."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.support.labelled import counted, overconfident
from turnsure import registry
from turnsure.calibration import fitting
from turnsure.core.errors import InputError, LeakageError, UndefinedMetricError

NAMES = registry.names("maps")
RISING = [name for name in NAMES if not name.startswith("histogram")]
WITH_LEVEL = [name for name in NAMES if fitting.family(name).takes_level]
ONE_CLASS = ("identity", "venn_abers")
"""Maps that a single class is enough for: nothing is fitted, or p stays off 0 and 1."""

GRID = np.linspace(0.0, 1.0, 401)
FEATURES = [(name, "none") for name in NAMES]
FEATURES += [(name, "per_level") for name in NAMES]
FEATURES += [(name, feature) for name in WITH_LEVEL for feature in ("level", "turn")]


@pytest.fixture(scope="module")
def rows():
    return overconfident(800, digits=3)


def turns_for(n, lengths=4):
    place = np.arange(n)
    return place % lengths + 1, np.full(n, lengths)


def test_the_family_has_its_registered_name():
    assert [fitting.family(name).name for name in NAMES] == [*NAMES]


@pytest.mark.parametrize(("name", "feature"), FEATURES)
def test_probabilities_are_fractions_and_one_row_is_like_many(name, feature, rows):
    fit = fitting.fit(name, rows, feature=feature)
    assert fit.name == fit.map.name == name
    turn, n_turns = turns_for(len(GRID))
    many = fit.apply(GRID, turn, n_turns)
    assert many.shape == GRID.shape
    assert many.min() >= 0.0
    assert many.max() <= 1.0
    for place in range(0, len(GRID), 7):
        [one] = fit.apply(float(GRID[place]), int(turn[place]), int(n_turns[place]))
        assert one == many[place]


@pytest.mark.parametrize(("name", "feature"), FEATURES)
def test_the_order_of_the_rows_changes_no_bit(name, feature, rows):
    order = np.random.default_rng(1).permutation(len(rows))
    one = fitting.fit(name, rows, feature=feature).to_json()
    assert one == fitting.fit(name, rows.rows(order), feature=feature).to_json()


@pytest.mark.parametrize(("name", "feature"), FEATURES)
def test_json_and_back_changes_no_bit(name, feature, rows):
    fit = fitting.fit(name, rows, feature=feature)
    back = fitting.restore(json.loads(json.dumps(fit.to_json(), allow_nan=False)))
    turn, n_turns = turns_for(len(GRID))
    assert back.apply(GRID, turn, n_turns).tolist() == fit.apply(GRID, turn, n_turns).tolist()
    assert back.to_json() == fit.to_json()
    assert (back.n_rows, back.n_dialogues) == (800, 200)


@pytest.mark.parametrize("name", RISING)
def test_a_map_of_a_good_score_rises(name, rows):
    probability = fitting.fit(name, rows).apply(GRID)
    assert np.diff(probability).min() >= -1e-15
    assert probability[-1] > probability[0]


@pytest.mark.parametrize("name", ["beta", "isotonic", "venn_abers"])
def test_a_bounded_map_of_a_misleading_score_does_not_fall(name):
    misleading = overconfident(800, slope=-0.5)
    assert np.diff(fitting.fit(name, misleading).apply(GRID)).min() >= -1e-15


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("right", [0, 5])
def test_one_class(name, right):
    family = fitting.family(name)
    score, correct = counted((0.3, 5, right), (0.7, 5, right))
    if name in ONE_CLASS:
        assert family.fit(score, correct).apply(GRID).shape == GRID.shape
        return
    with pytest.raises(UndefinedMetricError, match=f"all 10 are {'right' if right else 'wrong'}"):
        family.fit(score, correct)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITH_LEVEL])
def test_a_map_without_room_for_a_second_feature_says_which_have_it(name, rows):
    with pytest.raises(InputError, match="platt, temperature, beta"):
        fitting.fit(name, rows, feature="level")


@pytest.mark.parametrize("name", WITH_LEVEL)
def test_the_second_feature_is_used_and_asked_for(name):
    late = overconfident(800)
    correct = np.where(late.turn > 2, True, late.correct)
    rows = type(late)(
        score=late.score,
        correct=correct,
        group=late.group,
        groups=late.groups,
        turn=late.turn,
        n_turns=late.n_turns,
    )
    for feature in ("level", "turn"):
        fit = fitting.fit(name, rows, feature=feature)
        early, last = fit.apply(0.7, 1, 4), fit.apply(0.7, 4, 4)
        assert last > early + 0.1
        with pytest.raises(InputError, match="turn"):
            fit.apply(0.7)


@pytest.mark.parametrize("name", NAMES)
def test_a_map_does_not_judge_the_dialogues_it_was_fitted_on(name, rows):
    half = rows.group % 2 == 0
    fit = fitting.fit(name, rows.rows(half))
    assert len(fit.on(rows.rows(~half))) == np.count_nonzero(~half)
    with pytest.raises(LeakageError, match="was fitted on 100 of the 200 dialogues"):
        fit.on(rows)


@pytest.mark.parametrize("name", NAMES)
def test_a_parameter_that_is_missing_or_wrong_is_named(name, rows):
    body = fitting.fit(name, rows).to_json()
    for field in body["parameters"]:
        without = {key: value for key, value in body["parameters"].items() if key != field}
        with pytest.raises(InputError, match=field):
            fitting.restore({**body, "parameters": without})
        for wrong in ("1", float("nan"), [], [2.0], True):
            with pytest.raises(InputError, match=field):
                fitting.restore({**body, "parameters": {**body["parameters"], field: wrong}})
