"""What adaptive self-consistency saved in a run."""

from __future__ import annotations

import json
import random

import pytest

from tests.support.flows import dialogue, drive, texts
from tests.unit.experiment.test_measure import measurement
from turnsure import pipeline
from turnsure.core.outcome import Failure
from turnsure.core.results import Undefined
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnsTable
from turnsure.dialogues.jsonl import write_dialogues
from turnsure.experiment.sample_savings import COMPARED, sample_savings
from turnsure.models.scripted import ScriptedBackend

BOTH = ("self_consistency", "adaptive_self_consistency")
SPEC = RunSpec(resamples=50)
N_TURNS = 3


def model(chance):
    """Answers Peru; sample j of a turn is Peru with this chance, decided by its seed alone."""

    def one(seed):
        return "Peru" if random.Random(seed).random() < chance else "Chad"

    def reply(request):
        if request.temperature == 0.0:
            return texts("\\boxed{Peru}")
        return texts(*(f"\\boxed{{{one(request.seed + j)}}}" for j in range(request.n)))

    return reply


def table(reply, n_dialogues=8, methods=BOTH, **how):
    measured = measurement(methods=methods, samples=SPEC.samples, **how)
    rows = [
        row
        for place in range(n_dialogues)
        for row in drive(
            measured.dialogue(dialogue(N_TURNS, name=f"d{place}", gold="Chad")), reply
        )[0]
    ]
    return TurnsTable.of(rows)


def test_samples_of_one_mind_save_three_of_four_and_change_nothing():
    found = sample_savings(table(model(1.0)), SPEC)
    assert (found.samples, found.n_turns, found.n_failed) == (20, 24, 0)
    assert found.stopped == {5: 24}
    assert (found.n_used, found.n_drawn, found.n_full) == (120, 120, 480)
    assert found.saved == pytest.approx(0.75)
    assert tuple(found.differences) == COMPARED
    assert found.differences["info_ece"].value == 0.0
    assert found.differences["mean_confidence"].details == {
        "left": 1.0, "right": 1.0, "n_one_side": 0, "n_unscored": 0,
    }  # fmt: skip
    assert isinstance(found.differences["auroc"], Undefined)


def test_both_count_the_same_samples():
    """With m in one batch there is nothing to differ by; with fewer it differs at those turns."""
    whole = sample_savings(table(model(0.6), adaptive_batch=20), SPEC)
    assert (whole.stopped, whole.saved) == ({20: 24}, 0.0)
    assert all(one.value == 0.0 for one in whole.differences.values() if hasattr(one, "value"))
    fewer = sample_savings(table(model(0.6)), SPEC)
    assert set(fewer.stopped) <= {5, 10}
    assert fewer.differences["mean_confidence"].value != 0.0
    left = fewer.differences["mean_confidence"].details["left"]
    assert left == whole.differences["mean_confidence"].details["left"]


def test_answers_of_a_turn_share_their_samples_and_the_longest_counts():
    def three_ways(request):
        if request.temperature == 0.0:
            return texts("\\boxed{Peru}")
        first = "Chad" if request.seed % 2 else "Mali"
        return texts(*(f"\\boxed{{{first if j else 'Mali'}}}" for j in range(request.n)))

    found = sample_savings(table(three_ways), SPEC)
    assert found.stopped == {5: 24}
    gold_stops = table(three_ways).select(target="gold", method=BOTH[1]).rows
    longer = sum("stopped at 10" in row.confidence.rule for row in gold_stops)
    assert longer > 0
    assert found.n_drawn == 5 * 24 + 5 * longer
    alone = sample_savings(table(three_ways, targets=("answer",)), SPEC)
    assert alone.n_drawn == alone.n_used == 120


@pytest.mark.parametrize("methods", [BOTH[:1], BOTH[1:], ("p_true",)])
def test_one_of_the_two_is_no_comparison(methods):
    def reply(request):
        return Failure(stage="generation", kind="timeout", message="no answer")

    assert sample_savings(table(reply, methods=methods), SPEC) is None


def test_turns_without_a_confidence_are_counted_apart():
    def silent(request):
        answered = "Clue 2" in request.messages[-1].content
        return texts(
            *["\\boxed{Peru}" if request.temperature == 0.0 or answered else ""] * request.n
        )

    found = sample_savings(table(silent), SPEC)
    assert (found.n_turns, found.n_failed) == (16, 8)
    nothing = sample_savings(table(lambda r: texts(*[""] * r.n)), SPEC)
    assert (nothing.n_turns, nothing.n_failed, nothing.saved) == (0, 24, None)
    assert all(isinstance(one, Undefined) for one in nothing.differences.values())


def test_a_run_of_both_holds_it_in_its_numbers_and_on_its_page(tmp_path):
    data = tmp_path / "d.jsonl"
    write_dialogues(data, [dialogue(N_TURNS, name=f"d{place}", gold="Chad") for place in range(4)])
    spec = RunSpec(data=str(data), methods=BOTH, resamples=50)
    backend = ScriptedBackend(model(0.6))
    run = pipeline.measure(pipeline.prepare(spec), backend, tmp_path / "r")
    savings = run.evaluation.sample_savings
    drawn = sum(one.n for one in backend.asked if one.tag == "adaptive_samples")
    assert savings.n_drawn == drawn < savings.n_full == 4 * N_TURNS * 20
    kept = json.loads(run.folder.metrics.read_text(encoding="utf-8"))["sample_savings"]
    assert kept["stopped"] == {str(n): turns for n, turns in savings.stopped.items()}
    assert pipeline.load_run(run.folder.path).evaluation.sample_savings == savings
    assert "Fewer samples" in run.folder.report.read_text(encoding="utf-8")
