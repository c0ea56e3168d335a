"""Building a gate from a run or from a file of scores."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import gates
from turnsure import Gate
from turnsure.calibration.folds import fold_of_rows
from turnsure.calibration.gate_file import to_json
from turnsure.calibration.gate_parts import GateLimits
from turnsure.calibration.thresholds.costs import Costs
from turnsure.calibration.thresholds.risk import RiskTarget
from turnsure.core.decision import DecisionRule
from turnsure.core.errors import (
    InputError,
    ProtocolMismatchError,
    StoreError,
    UndefinedMetricError,
)
from turnsure.core.turns import TurnsTable
from turnsure.experiment.calibrating.choosing import choose
from turnsure.experiment.gating.build import BuildSettings, build_gate
from turnsure.experiment.gating.judge import gate_map
from turnsure.experiment.gating.sources import read_source
from turnsure.experiment.run_folder import RunFolder
from turnsure.store.turns_file import read_turns, write_turns

TARGET = RiskTarget(error=0.3, confidence=0.9)


def build(source: Path, **settings: object):
    return build_gate(read_source(source), BuildSettings(resamples=20, **settings), date=gates.DATE)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    draw = random.Random(3)
    path = tmp_path / "scores.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "score", "correct"])
        for place in range(400):
            score = round(draw.random(), 3)
            rows.writerow([f"q{place}", score, int(draw.random() < score**0.5)])
    return path


def test_the_threshold_is_chosen_on_other_dialogues_than_the_map_was_fitted_on(measured):
    gate = build(measured, target=TARGET)
    rows = read_source(measured).rows
    half = fold_of_rows(rows, folds=2, seed=0) == 0
    fitted = gate_map(gate)
    assert (fitted.n_rows, fitted.n_dialogues) == (36, 12)
    assert gate.evidence["fitted"]["how"] == "split"
    assert gate.evidence["chosen"]["n_dialogues"] == 12
    other = rows.rows(~half)
    choice = choose(
        other, probability=fitted.apply(other.score, other.turn, other.n_turns), how="split",
        target=TARGET,
    )  # fmt: skip
    assert gate.rule == choice.rule
    assert gate.evidence["guarantee"] == (choice.guarantee or gate.evidence["guarantee"])


def test_costs_are_met_cross_fitted_with_the_map_of_all(measured):
    gate = build(measured, costs=Costs(wrong_answer=10.0, question=1.0, review=4.0))
    assert gate.evidence["fitted"]["how"] == "cross"
    assert gate_map(gate).n_dialogues == gate.evidence["chosen"]["n_dialogues"] == 24
    assert gate.evidence["chosen"]["method"] == "costs"
    assert gate.rule.answer_at is not None


def test_answers_after_the_last_question_choose_no_threshold(tmp_path):
    """All that is right comes at turn 3, which a gate of two turns never reaches."""
    path = tmp_path / "turns.csv"
    lines = [f"d{n},{turn},{turn / 4},{int(turn == 3)}" for n in range(60) for turn in (1, 2, 3)]
    path.write_text("id,turn,score,correct\n" + "\n".join(lines) + "\n", encoding="utf-8")
    target = RiskTarget(error=0.1, confidence=0.9)
    free = build(path, map="identity", target=target)
    assert free.rule.answer_at == 0.75
    limited = build(path, map="identity", target=target, limits=GateLimits(most_turns=2))
    assert limited.rule.answer_at is None
    assert limited.evidence["guarantee"].startswith("No threshold meets this target")


def test_a_raw_score_needs_no_split(measured):
    gate = build(measured, map="identity", target=TARGET)
    assert gate.evidence["fitted"]["how"] == "raw"
    assert gate.evidence["chosen"]["n_dialogues"] == 24
    held_out = gate.evidence["held_out"]
    assert held_out["raw"] == held_out["calibrated"]


def test_what_is_kept_of_the_run(measured):
    gate = build(measured, rule=gates.BY_HAND)
    run = RunFolder(measured).read_run()
    assert gate.run_digest == run["digest"]
    assert gate.protocol is not None
    assert gate.protocol.body == run["protocol"]
    assert gate.method == "p_true"
    assert gate.validity.turns == (1, 3)
    assert gate.validity.task == gates.TASK
    assert gate.validity.slices == {"language": ("en", "es")}
    assert gate.evidence["n_rows"] == 72
    assert gate.evidence["date"] == gates.DATE
    assert len(gate.evidence["dialogues"]["digests"].split()) == 24
    assert "never" not in gate.evidence["guarantee"]


def test_the_gate_keeps_only_its_own_method_s_protocol(tmp_path):
    run, _ = gates.run(tmp_path, methods=("p_true", "p_sufficient"), given=gates.dialogues(8))
    gate = build_gate(
        read_source(run, method="p_sufficient"),
        BuildSettings(rule=gates.BY_HAND, map="identity", resamples=20),
        date=gates.DATE,
    )
    assert gate.protocol is not None
    assert list(gate.protocol.estimators) == ["p_sufficient"]
    assert gate.protocol.digest != gate.run_digest
    with pytest.raises(InputError, match="several methods"):
        read_source(run)
    with pytest.raises(InputError, match="there is no 'p_tru'"):
        read_source(run, method="p_tru")


def test_equal_input_gives_an_equal_gate(measured):
    first, second = (to_json(build(measured, target=TARGET)) for _ in range(2))
    assert json.dumps(first) == json.dumps(second)


def test_a_target_that_nothing_meets_gives_a_gate_that_never_answers(measured):
    gate = build(measured, target=RiskTarget(error=0.001))
    assert gate.rule.answer_at is None
    assert "No threshold meets this target" in gate.evidence["guarantee"]
    assert gate.evidence["chosen"]["target_error"] == 0.001


def test_a_file_of_scores_gives_a_gate_that_asks_no_model(scores, tmp_path):
    gate = build(scores, target=RiskTarget(error=0.2), map="isotonic")
    assert (gate.protocol, gate.run_digest, gate.settings) == (None, None, {})
    assert gate.validity.turns is None
    assert gate.rule.answer_at is not None
    path = tmp_path / "gate.json"
    gates.write_gate(gate, path)
    decide = Gate.load(path).decide_score
    assert (decide(0.99).action, decide(0.01).action) == ("answer", "escalate")
    with pytest.raises(InputError, match="made elsewhere"):
        Gate.load(path, gates.scripted())


@pytest.mark.parametrize("feature", ["turn", "level", "per_level"])
async def test_maps_that_know_the_turn(measured, tmp_path, feature):
    gate = build(measured, rule=DecisionRule(answer_at=0.0), feature=feature, map="platt")
    path = tmp_path / "gate.json"
    gates.write_gate(gate, path)
    loaded = Gate.load(path)
    known = loaded.decide_score(0.5, turn=2, n_turns=3)
    assert known.action == "answer"
    assert known.probability == gate_map(gate).apply(0.5, 2, 3)[0]
    assert loaded.decide_score(0.5).action == "escalate"
    alone = loaded.decide_score(0.5, turn=2)
    assert alone.action == ("answer" if feature == "turn" else "escalate")
    assert loaded.decide_score(0.5, turn=3, n_turns=2).action == alone.action


def test_a_metric_without_a_value_is_kept_with_its_reason(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("id,score,correct\n" + "".join(f"q{n},0.{n + 1},1\n" for n in range(9)))
    gate = build(path, rule=gates.BY_HAND, map="identity")
    auroc = gate.evidence["held_out"]["raw"]["auroc"]
    assert auroc["value"] is None
    assert auroc["undefined"]
    with pytest.raises(UndefinedMetricError):
        build(path, rule=gates.BY_HAND, map="platt")


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({}, "rule"),
        ({"rule": gates.BY_HAND, "target": TARGET}, "rule"),
        ({"rule": gates.BY_HAND, "how": "both"}, "how"),
    ],
)
def test_settings_that_do_not_go_together(settings, field):
    with pytest.raises(InputError) as caught:
        BuildSettings(**settings)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("limits", "field"),
    [
        ({"most_turns": 0}, "most_turns"),
        ({"irreversible": ("refund", " ")}, "irreversible"),
        ({"expires": "soon"}, "expires"),
        ({"expires": "2026-02-30"}, "expires"),
        ({"expires": "20260228"}, "expires"),
    ],
)
def test_limits_that_are_none(limits, field):
    with pytest.raises(InputError) as caught:
        GateLimits(**limits)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("sequence_likelihood_mean", "only replies of its own"),
        ("ensemble", "combines other methods"),
    ],
)
def test_methods_that_cannot_judge_a_given_answer_make_no_gate(run_copy, name, reason):
    rename_method(run_copy, name)
    with pytest.raises(InputError, match=reason):
        read_source(run_copy.path)


def rename_method(run: RunFolder, name: str) -> None:
    """Let the scores bear another method's name."""
    table, _ = read_turns(run.turns)
    body = dict(run.read_run())
    body["protocol"]["estimators"] = {name: body["protocol"]["estimators"]["p_true"]}
    run.write_run(body)
    rows = (replace(row, method=name) for row in table.rows)
    write_turns(TurnsTable.of(rows), run.turns, protocol=body["digest"])


def test_a_run_of_other_words_or_another_package_makes_no_gate(run_copy):
    body = json.loads(run_copy.run_json.read_text())
    body["protocol"]["package"] = "0.0.1"
    run_copy.run_json.write_text(json.dumps(body))
    with pytest.raises(ProtocolMismatchError, match="package"):
        read_source(run_copy.path)


def test_an_unfinished_run_makes_no_gate(run_copy):
    run = run_copy
    body = json.loads(run.run_json.read_text())
    run.run_json.write_text(json.dumps({**body, "finished": None}))
    with pytest.raises(StoreError, match="not finished"):
        read_source(run.path)
    run.run_json.write_text(json.dumps({**body, "digest": "0" * 64}))
    with pytest.raises(StoreError, match="earlier run"):
        read_source(run.path)


def test_dialogues_that_end_in_different_words_make_no_gate(tmp_path):
    given = [
        replace(one, closing=f"Well, number {place}?")
        for place, one in enumerate(gates.dialogues(4))
    ]
    run, _ = gates.run(tmp_path, given=given)
    with pytest.raises(InputError, match="different words"):
        read_source(run)


def test_a_closing_of_all_is_kept(tmp_path):
    given = [replace(one, closing="Well?") for one in gates.dialogues(4)]
    run, _ = gates.run(tmp_path, given=given)
    assert read_source(run).validity.closing == "Well?"


def test_several_models_in_one_file_are_refused(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("id,model,score,correct\na,m1,0.5,1\na,m2,0.5,0\n")
    with pytest.raises(InputError, match="2 models or data sets"):
        read_source(path)
