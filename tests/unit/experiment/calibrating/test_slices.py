"""Slices that deviate are found, others are left alone, and small ones say nothing."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure import metrics
from turnsure.calibration.labelled import LabelledScores
from turnsure.experiment.calibrating.columns import CodedColumn
from turnsure.experiment.calibrating.predictions import PredictionGroup
from turnsure.experiment.calibrating.settings import CalibrationSettings
from turnsure.experiment.calibrating.slices import MOST_TURNS, gap_test, slice_tables

SETTINGS = CalibrationSettings(resamples=50)


def group_of(rows, **columns):
    slices = {}
    for name, values in columns.items():
        names, codes = np.unique(values, return_inverse=True)
        slices[name] = CodedColumn(codes=codes.astype(np.int32), names=tuple(names.tolist()))
    return PredictionGroup(
        model=None, method="score", n_rows=len(rows), n_no_score=0, n_no_label=0, rows=rows,
        slices=slices,
    )  # fmt: skip


def test_the_difference_and_its_p_value_by_hand():
    # Residuals of .5 each way: inside 3 right of 4, outside 1 of 4; gaps +.25 and −.25.
    rows = LabelledScores.of([0.5] * 8, [1, 1, 1, 0, 1, 0, 0, 0])
    inside = np.arange(8) < 4
    difference, p_value = gap_test(rows, inside)
    assert difference == 0.5
    # Cluster-robust: 8/7 · (4 · (.75 · .25)/16 · 2) = 8/7 · .09375; the model: 8 · .25/16 = .125.
    t = 0.5 / np.sqrt(max(8 / 7 * 0.09375, 0.125))
    assert t == pytest.approx(np.sqrt(2.0))
    # Two-sided Student with 3 degrees of freedom at √2, from its distribution function
    # ½ + (x/√3/(1 + x²/3) + atan(x/√3))/π.
    x = np.sqrt(2.0)
    below = 0.5 + (x / np.sqrt(3) / (1 + x * x / 3) + np.arctan(x / np.sqrt(3))) / np.pi
    assert p_value == pytest.approx(2 * (1 - below), rel=1e-12)


def test_a_part_in_which_all_are_right_by_chance_is_not_flagged():
    """30 rows at .97 are all right four times in ten; their residuals do not vary at all."""
    rows = LabelledScores.of([0.97] * 1_030, [1] * 30 + [1] * 970 + [0] * 30)
    _, p_value = gap_test(rows, np.arange(1_030) < 30)
    assert p_value > 0.2


def test_rows_of_a_dialogue_count_once():
    random = np.random.default_rng(0)
    correct = random.random(60) < 0.5
    inside = np.arange(60) < 30
    one = gap_test(LabelledScores.of(np.full(60, 0.5), correct), inside)
    copies = LabelledScores.of(
        np.full(600, 0.5), np.repeat(correct, 10), dialogue=np.repeat(np.arange(60), 10)
    )
    ten = gap_test(copies, np.repeat(inside, 10))
    assert ten[0] == pytest.approx(one[0])
    assert ten[1] == pytest.approx(one[1], rel=0.05)


@pytest.mark.parametrize("sure", [False, True])
def test_false_alarms_are_no_more_than_promised(sure):
    """Scores are miscalibrated alike everywhere; the small part is harder or easier."""
    random = np.random.default_rng(1)
    n, n_in, n_tables = 330, 30, 600
    inside = np.arange(n) < n_in
    alarms = 0
    for _ in range(n_tables):
        score = np.where(inside, 0.95 if sure else 0.55, random.choice([0.6, 0.8, 0.95], n))
        rows = LabelledScores.of(score, random.random(n) < score - 0.05)
        alarms += gap_test(rows, inside)[1] < 0.05
    assert alarms / n_tables < 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_tables)


def test_the_deviating_slice_is_flagged_and_the_small_one_says_nothing():
    random = np.random.default_rng(2)
    language = np.array(["en"] * 600 + ["de"] * 400 + ["pl"] * 60 + ["fi"] * 29)
    score = random.choice([0.6, 0.8, 0.9], len(language))
    correct = random.random(len(language)) < score - 0.3 * (language == "pl")
    rows = LabelledScores.of(score, correct)
    [table] = slice_tables(group_of(rows, language=language), SETTINGS)
    assert [(row.value, row.n, row.claimed, row.flagged) for row in table.rows] == [
        ("en", 600, True, False), ("de", 400, True, False), ("pl", 60, True, True),
        ("fi", 29, False, False),
    ]  # fmt: skip
    small = table.rows[-1]
    assert small.gap is small.brier is small.p_value is None
    assert table.n_tests == 3
    pl = table.rows[2]
    inside = language == "pl"
    assert pl.brier.value == metrics.brier(score[inside], correct[inside]).value
    assert pl.ece.value == metrics.ece(score[inside], correct[inside]).value
    assert pl.gap.value == pytest.approx(correct[inside].mean() - score[inside].mean())
    assert pl.accuracy.interval.method == "wilson"
    assert pl.p_holm == pytest.approx(3 * pl.p_value)


def test_all_columns_are_corrected_together_and_turns_for_themselves():
    random = np.random.default_rng(3)
    n = 240
    score = random.random(n)
    rows = LabelledScores.of(
        score, random.random(n) < score, dialogue=np.arange(n) // 4,
        turn=np.arange(n) % 4 + 1, n_turns=np.full(n, 4),
    )  # fmt: skip
    halves = np.where(np.arange(n) % 8 < 4, "a", "b")
    tables = slice_tables(group_of(rows, one=halves, other=halves), SETTINGS)
    assert [(table.name, table.kind, table.n_tests) for table in tables] == [
        ("one", "column", 4), ("other", "column", 4), ("turn", "turn", 4),
    ]  # fmt: skip
    assert [row.value for row in tables[2].rows] == ["1", "2", "3", "4"]


def test_levels_stand_beside_turns_where_lengths_differ_and_late_turns_share_a_line():
    lengths = [MOST_TURNS + 10] * 20 + [10] * 20
    turn = np.concatenate([np.arange(1, length + 1) for length in lengths])
    n_turns = np.repeat(lengths, lengths)
    dialogue = np.repeat(np.arange(len(lengths)), lengths)
    rows = LabelledScores.of(
        np.full(len(turn), 0.5), turn % 2, dialogue=dialogue, turn=turn, n_turns=n_turns
    )
    turns, levels = slice_tables(group_of(rows), SETTINGS)
    assert turns.rows[-1].value == f"after {MOST_TURNS}"
    assert turns.rows[-1].n == 20 * 10
    assert [row.value for row in levels.rows][::9] == ["0–10 %", "90–100 %"]
    assert sum(row.n for row in levels.rows) == len(turn)


def test_a_slice_that_is_everything_has_no_test():
    rows = LabelledScores.of([0.5] * 40, [0, 1] * 20)
    [table] = slice_tables(group_of(rows, one=np.array(["x"] * 40)), SETTINGS)
    [row] = table.rows
    assert (row.claimed, row.p_value, row.flagged, table.n_tests) == (True, None, False, 0)
