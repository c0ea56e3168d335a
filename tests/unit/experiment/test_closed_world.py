"""What is found against known candidates, on tables whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support import closed
from tests.support.effects import change
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.tested import LEAST_DIALOGUES
from turnsure.core.turns import TurnsTable
from turnsure.experiment.closed_world import TOLERANCE, closed_world, verdict_of


@pytest.fixture(scope="module")
def world():
    return closed.found(closed.METHODS)


def rows(found, target="answer"):
    return {row.method: row for row in found if row.target == target}


def value(found) -> float:
    assert isinstance(found, MetricResult), found
    return found.value


def test_numbers_by_hand(world):
    assert (world.n_dialogues, world.n_turns, world.n_identified) == (12, 48, 12)
    assert (world.n_corrections, world.n_corrected) == (12, 12)
    own = rows(world.ideals)
    flat = own["vanilla_verb"]
    # Ideals 1/4, 1/2, 1/6 and 1 against one half.
    assert value(flat.distance) == pytest.approx((1 / 4 + 0 + 1 / 3 + 1 / 2) / 4)
    assert value(flat.bias) == pytest.approx((1 / 4 + 0 + 1 / 3 - 1 / 2) / 4)
    for curve, values in (
        (flat.confidence_by_level, [0.5] * 4),
        (flat.ideal_by_level, [1 / 4, 1 / 2, 1 / 6, 1]),
        (flat.distance_by_level, [1 / 4, 0, 1 / 3, 1 / 2]),
    ):
        assert [point.y for point in curve.points] == pytest.approx(values)
        assert [point.x for point in curve.points] == [0.3, 0.5, 0.8, 1.0]
        assert [point.n for point in curve.points] == [12] * 4
    assert (own["p_true"].ideal, own["p_sufficient"].ideal) == ("candidate", "identified")
    assert value(own["p_true"].distance) == value(own["p_sufficient"].distance) == 0.0

    scores = rows(world.identification)["vanilla_verb"].metrics
    assert list(scores) == ["info_ece", "kendall_tau", "brier", "auroc"]
    assert value(scores["info_ece"]) == value(scores["auroc"]) == 0.5
    assert value(scores["brier"]) == 0.25
    assert value(scores["kendall_tau"]) == 0.0
    # One half is not sure enough at the last turn; the other pairs are in order but for one tie.
    assert value(rows(world.identification)["p_true"].metrics["brier"]) == pytest.approx(
        (1 / 16 + 1 / 4 + 1 / 36) / 4
    )


def test_every_verdict_on_corrections_has_its_method(world):
    assert {row.method: row.verdict for row in world.corrections} == {
        "p_true": "passed",
        "p_sufficient": "open",
        "vanilla_verb": "failed",
        "cot_verb": "failed",
        "self_consistency": "open",
        "broken": "open",
    }
    found = {row.method: row for row in world.corrections}
    assert value(found["p_true"].change.change) == pytest.approx(1 / 6 - 1 / 2)
    assert value(found["vanilla_verb"].ideal) == pytest.approx(1 / 6 - 1 / 2)
    assert value(found["p_sufficient"].ideal) == 0.0
    assert value(found["cot_verb"].change.change) == pytest.approx(0.4)
    assert found["self_consistency"].falling.details["n_fell"] == 6
    assert found["p_true"].change.p_value == 2 / 2**12
    assert found["p_true"].change.p_holm == pytest.approx(5 * 2 / 2**12)  # one of five has none
    assert isinstance(found["broken"].falling, Undefined)


def test_too_few_dialogues_give_no_verdict():
    few = closed.found(closed.METHODS, LEAST_DIALOGUES - 1)
    assert {row.verdict for row in few.corrections} == {"open"}
    assert value(few.corrections[0].change.change) == pytest.approx(1 / 6 - 1 / 2)


def moves(value, half, *, p_holm, n_dialogues=20):
    return change(value, value - half, value + half, p_holm=p_holm, n_dialogues=n_dialogues)


SMALL, LARGE = TOLERANCE / 2, 3 * TOLERANCE


@pytest.mark.parametrize(
    ("moved", "ideal", "verdict"),
    [
        (moves(-LARGE, 0.01, p_holm=0.01), -LARGE, "passed"),
        (moves(-LARGE, 0.01, p_holm=0.2), -LARGE, "open"),
        (moves(LARGE, 0.01, p_holm=0.01), -LARGE, "failed"),
        (moves(LARGE, 0.01, p_holm=0.01), 0.0, "failed"),
        (moves(-SMALL, 0.001, p_holm=0.01), -LARGE, "failed"),  # it falls, but next to nothing
        (moves(-SMALL, 0.001, p_holm=0.01), -SMALL, "passed"),  # and so does the ideal
        (moves(SMALL, 0.001, p_holm=0.01), -SMALL, "open"),
        (moves(0.0, 0.001, p_holm=1.0), 0.0, "open"),
        (moves(-SMALL, LARGE, p_holm=0.5), -LARGE, "open"),
        (moves(-LARGE, 0.01, p_holm=0.01, n_dialogues=5), -LARGE, "open"),
    ],
)
def test_verdicts(moved, ideal, verdict):
    assert verdict_of(moved, replace(moved.change, value=ideal)) == verdict


def test_without_an_ideal_staying_is_no_fault():
    still = moves(0.0, 0.001, p_holm=1.0)
    assert verdict_of(still, Undefined(name="paired_change", reason="none")) == "open"


def test_dialogues_without_candidates_are_counted_and_left_out():
    given = [closed.dialogue(number) for number in range(6)]
    given += [closed.dialogue(number, candidates=(), remaining=()) for number in range(6, 9)]
    table = TurnsTable.of(closed.rows(given, {"p_true": closed.flat}))
    mixed = closed_world(table, given, closed.SPEC)
    alone = closed.found({"p_true": closed.flat}, 6)
    assert (mixed.n_dialogues, mixed.n_without) == (6, 3)
    assert replace(mixed, n_without=0) == replace(alone, n_without=0)


def test_no_candidates_at_all_is_nothing():
    given = [closed.dialogue(0, candidates=(), remaining=())]
    table = TurnsTable.of(closed.rows(given, {"p_true": closed.flat}))
    assert closed_world(table, given, closed.SPEC) is None


def test_answers_that_name_no_candidate_are_counted_and_have_ideal_0():
    world = closed.found({"vanilla_verb": closed.flat}, 6, answer="Atlantis")
    own, gold = rows(world.ideals), rows(world.ideals, "gold")
    assert (world.n_unnamed, world.n_ungraded) == (24, 0)
    assert (own["vanilla_verb"].n_unnamed, gold["vanilla_verb"].n_unnamed) == (24, 0)
    assert value(own["vanilla_verb"].distance) == value(own["vanilla_verb"].bias) == 0.5
    assert value(gold["vanilla_verb"].bias) != 0.5


def test_answers_that_were_not_graded_have_no_ideal_and_are_left_out():
    given = [closed.dialogue(number) for number in range(6)]
    made = closed.rows(given, {"vanilla_verb": closed.flat})
    ungraded = replace(made[0].outcome, correct=None, reason="mentioned")
    made = [
        replace(row, outcome=ungraded) if row.turn == 1 and row.target == "answer" else row
        for row in made
    ]
    world = closed_world(TurnsTable.of(made), given, closed.SPEC)
    own = rows(world.ideals)["vanilla_verb"]
    assert world.n_ungraded == 6
    assert (own.distance.n_turns, own.distance.n_failed) == (18, 6)
    assert own.ideal_by_level.n_turns == own.confidence_by_level.n_turns == 18
    # Whether one candidate remains does not hang on the answer.
    assert rows(world.identification)["vanilla_verb"].metrics["brier"].n_turns == 24


@pytest.mark.parametrize(("left", "which"), [((4, 3, 2), "no turn"), ((1, 1), "every turn")])
def test_nothing_to_tell_apart_is_said_in_the_words_of_identification(left, which):
    world = closed.found({"p_true": closed.ideal}, 6, left=left)
    area = world.identification[0].metrics["auroc"]
    assert isinstance(area, Undefined)
    assert which in area.reason
    assert isinstance(world.identification[0].metrics["info_ece"], MetricResult)
    assert world.corrections == ()


def test_a_method_without_any_confidence_has_reasons(world):
    row = rows(world.ideals)["broken"]
    assert isinstance(row.distance, Undefined)
    assert isinstance(row.bias, Undefined)
    assert row.confidence_by_level.points == row.distance_by_level.points == ()
    assert all(
        isinstance(one, Undefined) for one in rows(world.identification)["broken"].metrics.values()
    )
