"""What every registered check must keep to."""

from __future__ import annotations

import dataclasses
import json

import pytest

from tests.support.conversations import card, flat, run_of, turn
from turnsure import registry
from turnsure.core.scenario import FAILURE_TYPES
from turnsure.scenarios.checking import Checker

NAMES = registry.names("checks")
FIXTURES = "fixtures: {t: [{id: A, n: 1}]}\ntools: {a: {}}"
WRITTEN = {
    "expression": "expression: item.rent < 30, check: expression",
    "forgotten_constraint": "expression: item.rent <= rules.max_rent",
    "ignored_correction": "check: {ignored_correction: {field: rent, text: true}}",
    "early_guessing": "check: {early_guessing: {needs: [pets]}}",
    "lost_goal": "check: lost_goal, expression: size(items) > 5",
    "end_state": "check: {end_state: {expected: {t: [{id: A, n: 2}]}}}",
    "must_say": "check: {must_say: {values: [W9]}}",
    "python": f"check: {{python: '{__name__}:complain'}}",
}
"""How a card writes each check that needs more than its name."""


def complain(ledger, exchange, transcript):
    return f"turn {ledger.turn} of {len(transcript.exchanges)}, rent {exchange.items[0]['rent']}"


def scenario_of(name: str):
    check = WRITTEN.get(name, f"check: {name}")
    return card(f"  - {{name: it, {check}}}", more=FIXTURES)


def chat(scenario, *last):
    state = {"t": [{"id": "A", "n": 1}]}
    shown = (flat("X", 40, deposit=1), flat("X", 25))
    return run_of(scenario, turn(*shown), turn(*shown), *last, state=state)


def test_every_check_that_needs_it_is_written_here():
    for name in NAMES:
        assert scenario_of(name).checks[0].kind == name


@pytest.mark.parametrize("name", NAMES)
class TestEveryCheck:
    def test_the_same_conversation_gives_the_same_findings(self, name):
        scenario = scenario_of(name)
        transcript = chat(scenario, turn(flat("X", 25), text="Rs 25."))
        one, other = Checker(scenario), Checker(scenario)
        first = one.findings(transcript)
        assert first == one.findings(transcript) == other.findings(transcript)

    def test_findings_are_named_placed_and_plain(self, name):
        scenario = scenario_of(name)
        transcript = chat(scenario, turn(flat("X", 25), text="Rs 25."))
        for one in Checker(scenario).findings(transcript):
            assert one.check == "it"
            assert one.failure in FAILURE_TYPES
            assert one.turn is None or 1 <= one.turn <= 3
            assert one.message.strip()
            assert "\n" not in one.message
            json.dumps(dataclasses.asdict(one))

    def test_later_turns_change_nothing_that_was_found_at_earlier_ones(self, name):
        scenario = scenario_of(name)
        found = [
            [one for one in Checker(scenario).findings(chat(scenario, last)) if one.turn in {1, 2}]
            for last in (turn(flat("X", 25), text="Rs 25."), turn(flat("Q", 1), text="None."))
        ]
        assert found[0] == found[1]

    def test_an_empty_transcript_has_no_findings(self, name):
        scenario = scenario_of(name)
        assert Checker(scenario).findings(run_of(scenario)) == ()

    def test_it_can_find_something(self, name):
        scenario = scenario_of(name)
        odd = turn(flat("X", 25), text="Rs 25.", before=(_unknown_call(),))
        findings = Checker(scenario).findings(chat(scenario, odd))
        assert any(one.standing == "broken" for one in findings)


def _unknown_call():
    from tests.support.conversations import call

    return call("nothing")
