"""A public table of 72,185 confidences of 11 models on 5 question sets."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from tests.support.plain_metrics import auroc, brier, rows_of
from turnsure.core.results import MetricResult, Undefined
from turnsure.experiment.score import EvaluationSettings, score
from turnsure.experiment.score_columns import ScoreOptions
from turnsure.experiment.score_groups import read_scores
from turnsure.experiment.score_tables import score_tables

pytestmark = pytest.mark.shared

STATED, TOKEN = "stated_confidence", "chosen_token_confidence"


@pytest.fixture(scope="module")
def file(shared_data):
    return shared_data / "llm_confidence_correct" / "llm-confidence-correct.csv"


@pytest.fixture(scope="module")
def table(file):
    return read_scores(file, ScoreOptions(confidence=(STATED, TOKEN)))


def test_every_row_of_every_model_and_question_set_is_read(table):
    assert table.n_rows == 72_185
    assert len({group.model for group in table.groups}) == 11
    assert len({group.data for group in table.groups}) == 5
    scored = {STATED: 0, TOKEN: 0}
    for group in table.groups:
        scored[group.method] += int(group.own.confidence.count())
    assert scored == {STATED: 72_185, TOKEN: 9_245}
    stated = [group.own.correct for group in table.groups if group.method == STATED]
    assert sum(int(correct.sum()) for correct in stated) == 52_627


def test_the_numbers_are_those_of_plain_sums(file, table):
    small = replace(table, groups=tuple(one for one in table.groups if one.data == "sat_en"))
    evaluation = score(small, EvaluationSettings(resamples=100))
    with file.open(newline="") as source:
        records = [one for one in csv.DictReader(source) if one["qset"] == "sat_en"]
    for group in evaluation.groups:
        rows = [
            (float(one[group.method]), one["correct"] == "TRUE")
            for one in records
            if one["llm"] == group.model and one[group.method] != "NA"
        ]
        assert group.n_scored == len(rows)
        found = group.metrics["brier"]
        if not rows:
            assert isinstance(found, Undefined)
            continue
        confidence, correct = zip(*rows, strict=True)
        assert isinstance(found, MetricResult)
        assert found.interval is not None
        plain = rows_of(confidence, correct)
        assert found.value == pytest.approx(float(brier(plain)))
        ranking = group.metrics["auroc"]
        assert isinstance(ranking, MetricResult)
        assert ranking.value == pytest.approx(float(auroc(plain)))
        level = group.metrics["info_ece"]
        assert isinstance(level, MetricResult)
        gap = sum(correct) / len(rows) - sum(confidence) / len(rows)
        assert level.value == pytest.approx(abs(gap))
    grid = score_tables(evaluation).grids[0]
    assert [one.labels[1:] for one in grid.rows[:2]] == [
        ("Meta-Llama-3.1-70B-Instruct", STATED), ("Meta-Llama-3.1-70B-Instruct", TOKEN),
    ]  # fmt: skip
    assert len(grid.rows) == 13  # 11 models, two of them with token confidences
