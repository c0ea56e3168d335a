"""One dialogue, turn by turn, without a model."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest

from tests.support.flows import dialogue, drive, label_mass, settings, texts
from turnsure import registry
from turnsure.core.confidence import Confidence
from turnsure.core.outcome import Failure
from turnsure.core.spec import DEFAULT_METHODS
from turnsure.core.turns import TurnsTable
from turnsure.dialogues.rendering import HistoryWording, render
from turnsure.experiment.measure import Measurement
from turnsure.grading.match import MatchGrader

CALLS_A_TURN = 1 + 2 * len(DEFAULT_METHODS)


def measurement(targets=("answer", "gold"), methods=DEFAULT_METHODS, **changes):
    shared = settings(
        read_answer=lambda text: text.removeprefix("\\boxed{").removesuffix("}") or None, **changes
    )
    return Measurement(
        estimators=tuple(registry.load("estimators", name)(shared) for name in methods),
        settings=shared,
        grader=MatchGrader(),
        render=functools.partial(render, style="transcript", wording=HistoryWording()),
        targets=targets,
        seed=0,
    )


def model(request):
    """Answers Chad at the first turn, Peru after that; is 70 percent sure of everything."""
    text = request.messages[-1].content
    country = "Peru" if "Clue 2" in text else "Chad"
    if request.labels:
        return label_mass(A=0.7, B=0.3)
    if "Confidence" in text:
        return texts("### Confidence: \\boxed{70}")
    return texts(*[f"\\boxed{{{country}}}"] * request.n)


def test_every_turn_has_a_row_for_each_method_and_target():
    rows, asked = drive(measurement().dialogue(dialogue()), model)
    table = TurnsTable.of(rows)
    assert len(table) == 3 * 2 * len(DEFAULT_METHODS)
    assert table.methods == DEFAULT_METHODS
    assert len(asked) == 3 * CALLS_A_TURN
    answers = table.select(target="answer", method="p_true").rows
    assert [(row.turn, row.answer, row.outcome.correct) for row in answers] == [
        (1, "Chad", False),
        (2, "Peru", True),
        (3, "Peru", True),
    ]


def test_the_answer_is_asked_once_and_greedily_and_shared():
    _, asked = drive(measurement().turn(dialogue(), 1), model)
    greedy = [one for one in asked if one.tag == "answer"]
    assert len(greedy) == 1
    assert greedy[0].temperature == 0.0
    proposals = [one for one in asked if "Proposed Answer: Chad" in one.messages[-1].content]
    assert {one.tag for one in proposals} == {"vanilla_verb", "cot_verb", "p_true", "p_sufficient"}


def test_the_gold_answer_is_judged_in_parallel_and_is_right_by_definition():
    rows, _ = drive(measurement().turn(dialogue(), 1), model)
    gold = [row for row in rows if row.target == "gold"]
    assert {row.answer for row in gold} == {"Peru"}
    assert {row.outcome.correct for row in gold} == {True}
    consistency = next(row for row in gold if row.method == "self_consistency")
    assert isinstance(consistency.confidence, Confidence)
    assert consistency.confidence.value == 0.0  # all samples said Chad


def test_without_an_answer_nothing_is_asked_about_it():
    def mute(request):
        return texts("") if request.tag == "answer" else model(request)

    rows, asked = drive(measurement().turn(dialogue(), 1), mute)
    own = [row for row in rows if row.target == "answer"]
    assert all(isinstance(row.confidence, Failure) for row in own)
    assert {row.confidence.kind for row in own} == {"empty"}
    assert {row.confidence.method for row in own} == set(DEFAULT_METHODS)
    assert {(row.answer, row.outcome.correct, row.outcome.reason) for row in own} == {
        (None, None, "empty")
    }
    assert all(isinstance(row.confidence, Confidence) for row in rows if row.target == "gold")
    assert len(asked) == 1 + len(DEFAULT_METHODS)


@pytest.mark.parametrize(
    ("reply", "correct", "reason"),
    [
        ("The clues point to a country in Africa, and that is all.", False, None),
        ("The clues may or may not point to Peru, of all countries.", None, "mentioned"),
    ],
)
def test_a_statement_is_wrong_unless_it_mentions_the_right_answer(reply, correct, reason):
    def rambling(request):
        return texts(reply) if request.tag == "answer" else model(request)

    rows, _ = drive(measurement(targets=("answer",)).turn(dialogue(), 1), rambling)
    assert {(row.outcome.correct, row.outcome.reason) for row in rows} == {(correct, reason)}
    assert all(isinstance(row.confidence, Confidence) for row in rows)


def test_a_failed_call_stays_with_its_turn_and_method():
    gone = Failure(stage="generation", kind="timeout", message="no answer")

    def flaky(request):
        return gone if request.tag == "p_true" else model(request)

    rows, _ = drive(measurement(targets=("answer",)).turn(dialogue(), 2), flaky)
    failed = [row.confidence for row in rows if isinstance(row.confidence, Failure)]
    assert failed == [replace(gone, dialogue="d1", turn=2, method="p_true")]


def test_seeds_differ_by_turn_and_dialogue_and_not_by_what_comes_later():
    how = measurement()
    long, short = dialogue(5), dialogue(2)
    assert how.context(long.prefix(2)).seed == how.context(short.prefix(2)).seed
    seeds = {
        how.context(dialogue(3, name=name).prefix(turn)).seed for name in "ab" for turn in (1, 2, 3)
    }
    assert len(seeds) == 6


@pytest.mark.parametrize("turn", [0, 4])
def test_a_turn_that_is_not_there_is_refused(turn):
    with pytest.raises(ValueError, match="has no turn"):
        dialogue(3).prefix(turn)
