"""Every metric refuses what it cannot use, and skips and counts what is missing."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from turnsure import metrics
from turnsure.core.errors import InputError, UndefinedMetricError

COLUMNS = {
    "confidence": [0.1, 0.6, 0.6, 0.9],
    "correct": [0, 1, 0, 1],
    "turn": [1, 2, 1, 2],
    "n_turns": [2, 2, 2, 2],
    "dialogue": ["a", "a", "b", "b"],
}
TAKES = {
    "info_ece": ("confidence", "correct", "turn", "n_turns"),
    "ece": ("confidence", "correct"),
    "smooth_ece": ("confidence", "correct"),
    "brier": ("confidence", "correct"),
    "brier_decomposition": ("confidence", "correct"),
    "log_loss": ("confidence", "correct"),
    "auroc": ("confidence", "correct"),
    "average_precision": ("confidence", "correct"),
    "aurc": ("confidence", "correct"),
    "risk_coverage": ("confidence", "correct"),
    "reliability_table": ("confidence", "correct"),
    "score_distribution": ("confidence", "correct"),
    "kendall_tau": ("confidence", "dialogue", "turn"),
    "kendall_tau_by_dialogue": ("confidence", "dialogue", "turn"),
    "mean_confidence": ("confidence",),
    "accuracy": ("correct",),
}
RESAMPLING = [
    name
    for name in TAKES
    if name not in {"brier_decomposition", "score_distribution", "kendall_tau_by_dialogue"}
]
WITH_CONFIDENCE = [name for name, takes in TAKES.items() if "confidence" in takes]
WITH_OUTCOME = [name for name, takes in TAKES.items() if "correct" in takes]


def call(name, *, settings=None, **changed):
    columns = {**COLUMNS, **changed}
    given = [columns[column] for column in TAKES[name]]
    return getattr(metrics, name)(*given, **(settings or {}))


@pytest.mark.parametrize("name", WITH_CONFIDENCE)
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.5, "1.5"),
        (-1e-9, "-1e-09"),
        (math.inf, "inf"),
        (95, "95.0"),
        ("0.5", "'0.5'"),
        ([0.5], None),
        (0.5 + 0j, None),
        (10**400, "1000"),
    ],
)
def test_a_wrong_confidence_is_named_with_its_row(name, value, shown):
    with pytest.raises(InputError) as caught:
        call(name, confidence=[0.1, 0.6, value, 0.9])
    text = str(caught.value)
    assert caught.value.field == "confidence"
    assert "a number in [0, 1]" in text
    if shown is not None:
        assert f"row 2 is {shown}" in text


@pytest.mark.parametrize("name", WITH_OUTCOME)
@pytest.mark.parametrize("value", [2, -1, 0.5, "1", math.inf])
def test_a_wrong_outcome_is_named_with_its_row(name, value):
    with pytest.raises(InputError, match=r"field 'correct': row 1 is .*expected 0 or 1"):
        call(name, correct=[0, value, 0, 1])


@pytest.mark.parametrize("name", TAKES)
def test_columns_have_one_length(name):
    for column in TAKES[name][1:]:
        with pytest.raises(InputError, match=r"3 rows .* 4|4 rows .* 3"):
            call(name, **{column: COLUMNS[column][:3]})


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.parametrize("column", [0.5, "0.5", None, [[0.5], [0.5]], {0.5, 0.6}])
def test_a_column_is_a_sequence(name, column):
    with pytest.raises(InputError):
        call(name, **{TAKES[name][0]: column})


@pytest.mark.parametrize("name", TAKES)
def test_with_nothing_scored_a_metric_is_undefined(name):
    first = TAKES[name][0]
    with pytest.raises(UndefinedMetricError, match="none of the 0 rows"):
        call(name, **{column: [] for column in TAKES[name]})
    for missing in (None, math.nan):
        with pytest.raises(UndefinedMetricError, match="none of the 4 rows"):
            call(name, **{first: [missing] * 4})


FORMS_OF_MISSING = {
    "none": lambda values: [*values[:2], None, values[3]],
    "nan": lambda values: np.array([*values[:2], math.nan, values[3]]),
    "masked": lambda values: np.ma.MaskedArray([*values[:2], 7, values[3]], mask=[0, 0, 1, 0]),
    "object": lambda values: np.array([*values[:2], None, values[3]], dtype=object),
}


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.parametrize("form", FORMS_OF_MISSING)
def test_missing_rows_are_left_out_and_counted(name, form):
    first = TAKES[name][0]
    result = call(name, **{first: FORMS_OF_MISSING[form](COLUMNS[first])})
    without = {column: [*values[:2], values[3]] for column, values in COLUMNS.items()}
    expected = call(name, **without)
    if name == "kendall_tau_by_dialogue":
        assert result == expected == {"a": 1.0, "b": None}
    elif name == "score_distribution":
        assert result == expected
    else:
        assert result == replace(expected, n_failed=1)


def test_masked_whole_numbers():
    correct = np.ma.MaskedArray([0, 1, 9, 1], mask=[False, False, True, False])
    result = call("accuracy", correct=correct)
    assert (result.value, result.n_turns, result.n_failed) == (2 / 3, 3, 1)


def test_a_row_fails_once_even_if_both_are_missing():
    result = metrics.brier([None, 0.5, 0.5, 0.5], [None, 1, None, math.nan])
    assert (result.n_turns, result.n_failed, result.value) == (1, 3, 0.25)


@pytest.mark.parametrize(
    "confidence",
    [
        (0.25, 0.5),
        np.array([0.25, 0.5], dtype=np.float32),
        np.array([0.25, 0.5], dtype=np.float16),
        [Fraction(1, 4), Fraction(1, 2)],
        [Decimal("0.25"), np.float64(0.5)],
        np.array([0.25, 0.5, 9.0])[:2],
        np.array([[0.25, 0.5]]).T[:, 0],
        memoryview(np.array([0.25, 0.5])),
    ],
)
@pytest.mark.parametrize(
    "correct",
    [[True, False], [1, 0], [1.0, 0.0], np.array([True, False]), np.array([1, 0], dtype=np.uint8)],
)
def test_columns_come_in_many_forms(confidence, correct):
    assert metrics.brier(confidence, correct).value == (0.75**2 + 0.5**2) / 2


@pytest.mark.parametrize(
    ("changed", "field", "problem"),
    [
        ({"turn": [0, 2, 1, 2]}, "turn", "row 0 is 0"),
        ({"turn": [1, 3, 1, 2]}, "turn", "row 1 is 3 .*at most the row's n_turns"),
        ({"turn": [1, 1.5, 1, 2]}, "turn", "row 1 is 1.5"),
        ({"turn": [1, None, 1, 2]}, "turn", "row 1 is nan"),
        ({"turn": ["1", "2", "1", "2"]}, "turn", "row 0 is '1'"),
        ({"n_turns": [2, 2, 2, 0]}, "n_turns", "row 3 is 0"),
        ({"n_turns": [2, 2, 2, 2**40]}, "n_turns", "row 3 is 1099511627776"),
    ],
)
def test_turns_are_whole_numbers_in_range(changed, field, problem):
    with pytest.raises(InputError, match=f"field '{field}': {problem}"):
        call("info_ece", **changed)


def test_turns_are_checked_where_the_confidence_is_missing_too():
    with pytest.raises(InputError, match="row 0 is 9"):
        call("info_ece", confidence=[None, 0.5, 0.5, 0.5], turn=[9, 1, 1, 1])


def test_whole_floats_will_do_as_turns():
    assert call("info_ece", turn=[1.0, 2.0, 1.0, 2.0]).value == call("info_ece").value


def test_a_turn_comes_once_a_dialogue():
    with pytest.raises(InputError, match="rows 0 and 3 are the same turn"):
        call("kendall_tau", dialogue=["a", "b", "b", "a"], turn=[2, 1, 2, 2])


def test_a_doubled_turn_is_refused_even_without_a_confidence():
    with pytest.raises(InputError, match="rows 1 and 2 are the same turn"):
        call("kendall_tau", confidence=[0.1, None, 0.2, 0.3], dialogue=["a"] * 4, turn=[1, 2, 2, 3])


@pytest.mark.parametrize("bad", [None, math.nan, ("a",), b"a"])
@pytest.mark.parametrize("name", ["kendall_tau", "kendall_tau_by_dialogue"])
def test_a_dialogue_is_text_or_a_number(name, bad):
    with pytest.raises(InputError, match="field 'dialogue': row 1 is"):
        call(name, dialogue=["a", bad, "b", "b"])


@pytest.mark.parametrize(
    "dialogue",
    ["aabb", 5, np.ma.MaskedArray([1, 1, 2, 2], mask=[0, 1, 0, 0]), np.zeros((2, 2), dtype=int)],
)
def test_dialogues_are_a_column(dialogue):
    with pytest.raises(InputError, match="dialogue"):
        call("brier", settings={"dialogue": dialogue})


@pytest.mark.parametrize(
    "dialogue",
    [
        [7, 7, 3, 3],
        np.array([7, 7, 3, 3]),
        np.array([7.0, 7.0, 3.0, 3.0]),
        [np.int64(7), 7, np.uint8(3), 3.0],
        np.array(["7", "7", "3", "3"]),
        ["7", "7", "3", "3"],
    ],
)
def test_the_form_of_the_ids_does_not_move_an_interval(dialogue):
    settings = {"dialogue": dialogue, "resamples": 50}
    expected = call("brier", settings={"dialogue": [7, 7, 3, 3], "resamples": 50})
    assert call("brier", settings=settings) == expected


def test_numbers_and_text_are_different_dialogues():
    taus = metrics.kendall_tau_by_dialogue([0.1, 0.2, 0.3], [1, "1", 1], [1, 1, 2])
    assert taus == {1: 1.0, "1": None}


def test_the_order_of_the_rows_does_not_move_an_interval():
    rows = np.random.default_rng(0).permutation(4)
    plain = call("auroc", settings={"dialogue": COLUMNS["dialogue"]})
    shuffled = metrics.auroc(
        *(np.array(COLUMNS[column])[rows] for column in ("confidence", "correct")),
        dialogue=np.array(COLUMNS["dialogue"])[rows],
    )
    assert plain == shuffled


@pytest.mark.parametrize("name", RESAMPLING)
@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"resamples": 0}, "resamples"),
        ({"resamples": 10.0}, "resamples"),
        ({"seed": -1}, "seed"),
        ({"seed": None}, "seed"),
        ({"level": 1.0}, "level"),
        ({"level": 0}, "level"),
        ({"level": "0.95"}, "level"),
        ({"level": math.nan}, "level"),
    ],
)
def test_settings_of_the_bootstrap(name, settings, field):
    with pytest.raises(InputError, match=f"field '{field}'"):
        call(name, settings=settings)


@pytest.mark.parametrize("name", RESAMPLING)
def test_lengths_of_dialogue_columns(name):
    if name == "kendall_tau":
        return
    with pytest.raises(InputError, match="field 'dialogue': it has 3 rows"):
        call(name, settings={"dialogue": ["a", "a", "b"]})


@pytest.mark.parametrize("name", ["info_ece", "ece", "brier_decomposition", "reliability_table"])
@pytest.mark.parametrize("bins", [0, -3, 2.0, "10", None, True, 10**7])
def test_bins_are_a_whole_number(name, bins):
    with pytest.raises(InputError, match="field 'bins'"):
        call(name, settings={"bins": bins})
    with pytest.raises(InputError, match="field 'bars'"):
        call("score_distribution", settings={"bars": bins})


@pytest.mark.parametrize(
    ("name", "settings", "problem"),
    [
        ("info_ece", {"binning": "equal"}, "binning.*one of 'width', 'mass'"),
        ("ece", {"binning": None}, "binning"),
        ("reliability_table", {"binning": "Width"}, "binning"),
        ("ece", {"norm": "l3"}, "norm.*one of 'l1', 'l2', 'max'"),
        ("ece", {"debias": True}, "debias.*norm 'l2'"),
        ("ece", {"debias": True, "norm": "max"}, "debias"),
        ("brier_decomposition", {"by": "bin"}, "by.*one of 'value', 'bins', 'isotonic'"),
        ("log_loss", {"clip": 0.5}, "clip"),
        ("log_loss", {"clip": -1e-9}, "clip"),
        ("log_loss", {"clip": "0.1"}, "clip"),
        ("log_loss", {"clip": math.nan}, "clip"),
    ],
)
def test_words_and_limits(name, settings, problem):
    with pytest.raises(InputError, match=problem):
        call(name, settings=settings)


def test_by_level_names_its_columns():
    with pytest.raises(InputError, match=r"field 'values': row 1 is 2\.0"):
        metrics.by_level([0.1, 2.0], [1, 1], [1, 1])
    with pytest.raises(InputError, match="field 'turn': it has 1 rows and 'values' has 2"):
        metrics.by_level([0.1, 1.0], [1], [1, 1])
    with pytest.raises(UndefinedMetricError, match="'values'"):
        metrics.by_level([None], [1], [1])
