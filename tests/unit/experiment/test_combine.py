"""The ensemble's rows: fitted on other dialogues' plain turns, scored everywhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support import scripted_followers as followers
from turnsure import metrics, pipeline
from turnsure.core.confidence import Confidence
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnsTable
from turnsure.experiment.combine import Combination, with_combinations
from turnsure.models.scripted import ScriptedBackend

METHODS = ("p_true", "p_sufficient")
ENSEMBLE = Combination(name="ensemble", of=METHODS, seed=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("combine")
    world = followers.write_world(root / "world.jsonl", 30)
    spec = RunSpec(data=str(world), methods=METHODS, controls=("placebo", "supplied"), resamples=50)
    backend = ScriptedBackend(followers.model(followers.by_information_and_truth))
    return pipeline.measure(pipeline.prepare(spec), backend, root / "r").folder


def rows_of(folder):
    from turnsure.store.turns_file import read_turns

    return read_turns(folder.turns)[0]


def test_every_state_and_target_gets_a_row(folder):
    base = rows_of(folder)
    combined = with_combinations(base, [ENSEMBLE])
    ours = combined.select(method="ensemble")
    assert len(ours) == len(base) // 2
    assert {row.condition.partition(":")[0] for row in ours.rows} == {
        "plain",
        "placebo",
        "supplied",
    }
    assert {row.target for row in ours.rows} == {"answer", "gold", "other"}
    assert all(row.confidence.path == "combined" for row in ours.rows)
    assert combined.where(lambda row: row.method != "ensemble").rows == base.rows


def test_it_is_calibrated_where_the_base_is_not(folder):
    """The base is never surer than 0.85 and right from the third turn on."""
    combined = with_combinations(rows_of(folder), [ENSEMBLE])

    def brier(method):
        columns = combined.select(condition="plain", target="answer", method=method).columns()
        return float(metrics.brier(columns.confidence, columns.correct))

    assert brier("ensemble") < 0.2 * min(brier(name) for name in METHODS)


def test_a_dialogues_own_outcomes_never_touch_its_scores(folder):
    base = rows_of(folder)
    name = base.rows[0].dialogue
    turned = TurnsTable(
        tuple(
            replace(row, outcome=Outcome(correct=not row.outcome.correct, grader="test"))
            if row.dialogue == name and row.outcome.correct is not None
            else row
            for row in base.rows
        )
    )

    def scores(rows, mine):
        return [
            row.confidence.value
            for row in with_combinations(rows, [ENSEMBLE]).select(method="ensemble").rows
            if (row.dialogue == name) == mine
        ]

    assert scores(turned, mine=True) == scores(base, mine=True)
    assert scores(turned, mine=False) != scores(base, mine=False)


def test_rows_of_controls_are_never_fitted_on(folder):
    base = rows_of(folder)
    wrong = TurnsTable(
        tuple(
            row
            if row.condition == "plain"
            else replace(row, outcome=Outcome(correct=None, grader="test", reason="hidden"))
            for row in base.rows
        )
    )

    def scores(rows):
        found = with_combinations(rows, [ENSEMBLE]).select(method="ensemble").rows
        return [row.confidence for row in found]

    assert scores(wrong) == scores(base)


def test_a_missing_base_is_a_failure_that_says_so(folder):
    base = rows_of(folder)
    broken = TurnsTable(
        tuple(
            replace(row, confidence=Failure(stage="confidence", kind="empty", message="nothing"))
            if row.method == "p_true" and row.turn == 1
            else row
            for row in base.rows
        )
    )
    ours = with_combinations(broken, [ENSEMBLE]).select(method="ensemble").rows
    first = [row.confidence for row in ours if row.turn == 1]
    assert {one.kind for one in first} == {"missing_base"}
    assert {one.turn for one in first} == {1}
    assert all(isinstance(row.confidence, Confidence) for row in ours if row.turn > 1)


def test_a_run_names_it_as_a_method_and_puts_it_into_the_protocol(tmp_path):
    world = followers.write_world(tmp_path / "world.jsonl", 12)
    spec = RunSpec(data=str(world), methods=(*METHODS, "ensemble"), resamples=50)
    setup = pipeline.prepare(spec)
    run = pipeline.measure(
        setup, ScriptedBackend(followers.model(followers.by_information)), tmp_path / "r"
    )
    assert [one.method for one in run.evaluation.methods] == [*METHODS, "ensemble"]
    assert setup.protocol({}).body["estimators"]["ensemble"]["of"] == "p_true, p_sufficient"


@pytest.mark.parametrize("methods", [("ensemble",), ("p_true", "ensemble")])
def test_it_needs_two_others(tmp_path, methods):
    world = followers.write_world(tmp_path / "world.jsonl", 2)
    with pytest.raises(InputError, match="two or more beside it"):
        pipeline.prepare(RunSpec(data=str(world), methods=methods))
