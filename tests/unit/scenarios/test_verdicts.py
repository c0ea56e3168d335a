"""A run passes only where everything was said, asked and found right."""

from __future__ import annotations

import dataclasses
import re

import pytest

from tests.support.conversations import card, flat, run_of, turn
from turnsure.core.judged import JudgedItem, RubricJudgement
from turnsure.core.scenario import RubricItem
from turnsure.scenarios.checking import check_transcript
from turnsure.scenarios.verdicts import verdict_of

SCENARIO = card('  - {name: budget, expression: "item.rent <= rules.max_rent"}')
RUBRIC = dataclasses.replace(SCENARIO, rubric=(RubricItem(name="kind", ask="Is it kind?"),))
GOOD = run_of(SCENARIO, turn(flat()), turn(flat()), turn(flat()))
BAD = run_of(SCENARIO, turn(flat()), turn(flat(rent=31)), turn(flat()))


def said(answer, turn=None):
    """A judgement of one item."""
    item = JudgedItem(name="kind", ask="Is it kind?", answer=answer, turn=turn)
    return RubricJudgement(items=(item,), template="t", n_tries=1)


GARBAGE = RubricJudgement(problem="garbage", template="t", n_tries=3)


def verdict(transcript, scenario=SCENARIO, judged=None):
    return verdict_of(scenario, transcript, check_transcript(scenario, transcript), judged)


def with_exchange(place, **changes):
    exchanges = list(GOOD.exchanges)
    exchanges[place] = dataclasses.replace(exchanges[place], **changes)
    return dataclasses.replace(GOOD, exchanges=tuple(exchanges))


def test_a_full_conversation_without_findings_passes():
    seen = verdict(GOOD)
    assert (seen.verdict, seen.reason, seen.n_turns, seen.findings) == ("pass", "", 3, ())
    assert seen.first_failing_turn is None
    assert seen.failure is None


def test_a_finding_fails_and_names_turn_and_type():
    seen = verdict(BAD)
    assert (seen.verdict, seen.first_failing_turn) == ("fail", 2)
    assert seen.failure == "forgotten_constraint"
    assert seen.reason.startswith("turn 2: A breaks")


@pytest.mark.parametrize(
    ("transcript", "expected", "why"),
    [
        (dataclasses.replace(GOOD, exchanges=()), "error", "empty"),
        (with_exchange(1, replies=(), items=()), "error", "says nothing at turn 2"),
        (
            with_exchange(0, user=dataclasses.replace(GOOD.exchanges[0].user, content="  ")),
            "invalid",
            "user says nothing at turn 1",
        ),
        (dataclasses.replace(GOOD, ending="assistant_error", problem="oops"), "error", "oops"),
        (dataclasses.replace(GOOD, ending="infrastructure_error"), "error", "failed"),
        (dataclasses.replace(GOOD, ending="user_invalid", problem="a leak"), "invalid", "a leak"),
        (dataclasses.replace(BAD, ending="user_invalid"), "invalid", "card"),
        (dataclasses.replace(BAD, ending="assistant_error"), "error", "failed"),
        (
            dataclasses.replace(GOOD, exchanges=GOOD.exchanges[:2], ending="turn_cap"),
            "invalid",
            "before the user had made known: raise",
        ),
        (
            dataclasses.replace(BAD, exchanges=BAD.exchanges[:2], ending="turn_cap"),
            "fail",
            "turn 2",
        ),
        (run_of(SCENARIO, turn(), turn(), turn()), "inconclusive", "nothing to look at"),
        (
            run_of(SCENARIO, turn({"id": "A"}), turn(flat()), turn(flat())),
            "error",
            "turn 1: A cannot be checked.*no field 'rent'",
        ),
        (
            run_of(SCENARIO, turn({"id": "A"}), turn(flat(rent=40)), turn(flat())),
            "fail",
            "turn 2",
        ),
    ],
)  # fmt: skip
def test_nothing_else_passes(transcript, expected, why):
    seen = verdict(transcript)
    assert seen.verdict == expected
    assert re.search(why, seen.reason)


def test_items_without_words_are_a_reply():
    assert verdict(with_exchange(1, replies=())).verdict == "pass"


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        (None, "inconclusive"),
        (GARBAGE, "inconclusive"),
        (said("cannot_tell"), "inconclusive"),
        (said("no"), "fail"),
        (said("yes"), "pass"),
    ],
)
def test_a_rubric_has_to_be_judged(judged, expected):
    seen = verdict(GOOD, RUBRIC, judged)
    assert seen.verdict == expected
    assert bool(seen.reason) is (expected != "pass")


def test_what_code_found_is_not_judged_away():
    assert verdict(BAD, RUBRIC, said("yes")).verdict == "fail"
    assert verdict(BAD, RUBRIC, GARBAGE).verdict == "fail"


def test_what_the_judge_found_is_kept():
    seen = verdict(GOOD, RUBRIC, said("no", turn=3))
    assert (seen.first_failing_turn, seen.failure) == (3, "rubric")


def test_findings_of_checks_that_could_not_look_are_no_failing_turn():
    seen = verdict(run_of(SCENARIO, turn({"id": "A"}), turn(flat()), turn(flat())))
    assert seen.findings[0].standing == "unreadable"
    assert seen.first_failing_turn is None
    assert seen.failure is None
