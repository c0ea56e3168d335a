"""From rows to numbers."""

from __future__ import annotations

import pytest

from turnsure.core.confidence import Confidence
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.experiment.evaluate import evaluate

SPEC = RunSpec(resamples=50)


def row(dialogue, turn, confidence, correct, *, target="answer", method="p_true", n_turns=2):
    found = (
        Failure(stage="confidence", kind="unparsable", message="?")
        if confidence is None
        else Confidence(
            value=confidence,
            method=method,
            scale="probability",
            path="logprobs",
            label_mass=0.4 if confidence < 0.5 else 0.9,
        )
    )
    outcome = (
        Outcome(correct=None, grader="match", reason="no_answer")
        if correct is None
        else Outcome(correct=correct, grader="match", rule="exact" if correct else "none")
    )
    return TurnRow(
        dialogue=dialogue,
        turn=turn,
        n_turns=n_turns,
        condition="plain",
        target=target,
        method=method,
        answer="x",
        confidence=found,
        outcome=outcome,
    )


def evaluated(rows):
    return evaluate(TurnsTable.of(rows), SPEC, protocol="p")


def value(result) -> float:
    assert isinstance(result, MetricResult)
    return result.value


def test_numbers_by_hand():
    result = evaluated(
        [
            row("a", 1, 0.2, False),
            row("a", 2, 0.8, True),
            row("b", 1, 0.6, True),
            row("b", 2, 0.6, True),
            row("a", 1, 0.1, True, target="gold"),
            row("a", 2, 0.3, True, target="gold"),
        ]
    )
    assert value(result.accuracy) == 0.75
    [method] = result.methods
    # Level 1/2: mean confidence 0.4, accuracy 0.5; level 1: 0.7 and 1.
    assert value(method.metrics["info_ece"]) == pytest.approx((0.1 + 0.3) / 2)
    assert value(method.metrics["kendall_tau"]) == 0.5  # 1 for a, 0 for b
    assert value(method.metrics["kendall_tau_gold"]) == 1.0
    assert value(method.metrics["brier"]) == pytest.approx((0.04 + 0.04 + 0.16 + 0.16) / 4)
    assert value(method.metrics["auroc"]) == 1.0
    assert method.label_mass is not None
    assert (method.label_mass.n_low, method.label_mass.n_turns) == (1, 4)
    assert len(method.sensitivity) == 6
    assert result.rules == {"none": 1, "exact": 3}


def test_what_is_missing_is_counted_and_left_out():
    [method] = evaluated(
        [row("a", 1, 0.2, False), row("a", 2, None, True), row("b", 1, 0.9, None),
         row("b", 2, 0.9, True)]
    ).methods  # fmt: skip
    assert (method.n_rows, method.n_scored) == (4, 2)
    assert method.failures == {"unparsable": 1}
    brier = method.metrics["brier"]
    assert isinstance(brier, MetricResult)
    assert (brier.n_turns, brier.n_failed) == (2, 2)
    assert brier.value == pytest.approx((0.04 + 0.01) / 2)


def test_accuracy_counts_a_turn_once_however_many_methods_there_are():
    result = evaluated(
        [row("a", 1, 0.2, False), row("a", 1, 0.2, False, method="p_sufficient"),
         row("a", 2, 0.2, True)]
    )  # fmt: skip
    assert result.n_turns == 2
    assert value(result.accuracy) == 0.5


def test_one_class_leaves_auroc_undefined_and_the_rest_defined():
    [method] = evaluated([row("a", 1, 0.2, True), row("a", 2, 0.4, True)]).methods
    assert isinstance(method.metrics["auroc"], Undefined)
    assert value(method.metrics["brier"]) == pytest.approx((0.64 + 0.36) / 2)


def test_a_run_in_which_nothing_was_scored_has_an_evaluation():
    result = evaluated([row("a", 1, None, None), row("a", 2, None, None)])
    assert isinstance(result.accuracy, Undefined)
    assert result.ungraded == {"no_answer": 2}
    [method] = result.methods
    assert all(isinstance(one, Undefined) for one in method.metrics.values())
    assert method.scores.n_turns == 0
    assert method.confidence_by_level.points == ()
