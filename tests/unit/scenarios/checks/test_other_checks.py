"""Checks of tools, end states and what must be said, in Python, and by expressions."""

from __future__ import annotations

import pytest

from tests.support.conversations import call, card, flat, run_of, turn
from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.errors import InputError
from turnsure.core.scenario import Finding
from turnsure.scenarios.checking import check_transcript
from turnsure.scenarios.checks.containing import contains_value


def broken(checks: str, *turns, more: str = "", **state):
    scenario = card(checks, more=more)
    findings = check_transcript(scenario, run_of(scenario, *turns, **state))
    return [(one.turn, one.failure, one.message) for one in findings]


class TestToolUse:
    SCHEMA = (
        "{type: object, required: [area], additionalProperties: false, "
        "properties: {area: {type: string, format: name}, max_rent: {type: integer, default: 3}}}"
    )
    CHECK = (
        f"  - name: tools\n    check: {{tool_use: {{tools: {{search: {{arguments: {SCHEMA}, "
        'expression: "call.arguments.max_rent == rules.max_rent"}}}}\n'
    )

    def of(self, message: Message):
        return broken(self.CHECK, turn(before=(message,)), turn(), turn())

    def test_a_right_call(self):
        assert self.of(call("search", area="Baner", max_rent=25)) == []

    @pytest.mark.parametrize(
        ("message", "why"),
        [
            (call("book", id=3), "there is no tool 'book'"),
            (call("search", max_rent=25), "'area': the field is missing"),
            (call("search", area=3), "'area': it is 3"),
            (call("search", area="x", flor=3), "unknown field"),
            (
                call("search", area="x", max_rent=28),
                "breaks call.arguments.max_rent == rules.max_rent",
            ),
            (
                Message(
                    role="assistant",
                    content="",
                    tool_calls=(ToolCall(id="1", name="search", arguments="{area: x}"),),
                ),
                "no JSON object",
            ),
        ],
    )
    def test_a_wrong_call(self, message, why):
        [(number, failure, said)] = self.of(message)
        assert (number, failure) == (1, "wrong_tool_use")
        assert why in said

    def test_a_call_that_cannot_be_checked_never_passes(self):
        scenario = card(self.CHECK)
        chat = run_of(scenario, turn(before=(call("search", area="x"),)), turn(), turn())
        [one] = check_transcript(scenario, chat)
        assert one.standing == "unreadable"

    def test_the_scenarios_own_tools_are_known(self):
        check = "  - {name: tools, check: tool_use}"
        more = "tools: {search: {parameters: {required: [area]}}}"
        chat = (turn(before=(call("search", area=1), call("search"))), turn(), turn())
        [(_, _, said)] = broken(check, *chat, more=more)
        assert "the field is missing" in said

    def test_other_tools_may_be_allowed(self):
        check = "  - {name: tools, check: {tool_use: {allow_others: true, tools: {a: {}}}}}"
        assert broken(check, turn(before=(call("b"),)), turn(), turn()) == []


class TestEndState:
    FIXTURES = "fixtures: {flats: {A: {held: false, rent: 1}, B: {held: false}}, log: []}"

    def of(self, state, option="expected: {flats: {A: {held: true}}}"):
        check = f"  - {{name: end, check: {{end_state: {{{option}}}}}}}"
        return broken(check, turn(), turn(), turn(), more=self.FIXTURES, state=state)

    def test_only_what_is_listed_counts(self):
        state = {"flats": {"A": {"held": True, "rent": 7}, "B": {"held": True}}, "log": [1]}
        assert self.of(state) == []

    def test_what_differs_is_named(self):
        [(number, failure, said)] = self.of({"flats": {"A": {"held": False}}})
        assert (number, failure) == (None, "wrong_end_state")
        assert said == "flats.A.held is false at the end, and not true"
        assert self.of({})[0][2].startswith("flats is absent")

    def test_exactly_nothing_else(self):
        option = "expected: {flats: {A: {held: true}}}, exact: true"
        state = {"flats": {"A": {"held": True}, "B": {}}}
        assert self.of(state, option)[0][2] == "flats.B is {} at the end, and not absent"

    def test_rows_of_a_list_are_found_by_their_id_in_any_order(self):
        option = "expected: {flats: [{id: A, held: true}]}"
        state = {"flats": [{"id": "B", "held": False}, {"id": "A", "held": True, "x": 1}]}
        assert self.of(state, option) == []
        state["flats"][1]["held"] = 1
        assert self.of(state, option)[0][2] == "flats.A.held is 1 at the end, and not true"

    def test_without_a_state_it_cannot_pass(self):
        scenario = card(
            "  - {name: end, check: {end_state: {expected: {flats: {}}}}}", more=self.FIXTURES
        )
        [one] = check_transcript(scenario, run_of(scenario, turn(), turn(), turn()))
        assert one.standing == "unreadable"


class TestMustSay:
    def test_each_value_in_some_reply(self):
        check = "  - {name: told, check: {must_say: {values: [Rs 24000, W1, 1234.5, 'yes']}}}"
        chat = (
            turn(text="It is rs 24,000."),
            turn(text="See **W1**, $1,234.50"),
            turn(text="Yes!"),
        )
        assert broken(check, *chat) == []
        [(number, failure, said)] = broken(check, *chat[:2], turn(text="No."))
        assert (number, failure, said) == (None, "missing_information", "no reply says yes")

    @pytest.mark.parametrize(
        ("text", "value", "holds"),
        [
            ("1,500 rupees", 5, False),
            ("1,500 rupees", 1500, True),
            ("1,500.00", "1500", True),
            ("a cat", "at", False),
            ("at 7.50.", 7.5, True),
            ("minus −3", -3, True),
            ("B12", 12, False),
            ("São Paulo", "sao paulo", True),
            ("well ✓", "✓", True),
        ],
    )
    def test_whole_words_and_whole_numbers(self, text, value, holds):
        assert contains_value(text, value) is holds


def every_turn(ledger, exchange, transcript):
    assert len(transcript.exchanges) == exchange.turn == ledger.turn
    if exchange.turn == 2:
        return f"budget {ledger.rules['max_rent']}"
    return None


def raises(ledger, exchange, transcript):
    raise KeyError("rent")


def wrong_type(ledger, exchange, transcript):
    return 3


def lazily_raises(ledger, exchange, transcript):
    yield "one"
    raise ValueError("two")


def whole(ledger, exchange, transcript):
    made = Finding(check="x", failure="contradiction", turn=1, message="of its own")
    return [made, "text"]


class TestPython:
    def of(self, name, more=""):
        check = f"  - {{name: own, check: {{python: '{__name__}:{name}'}}{more}}}"
        scenario = card(check)
        return check_transcript(scenario, run_of(scenario, turn(), turn(), turn()))

    def test_it_sees_the_conversation_up_to_the_turn(self):
        [one] = self.of("every_turn")
        assert (one.check, one.turn, one.failure) == ("own", 2, "other")
        assert one.message == "budget 25"

    def test_at_the_end_it_is_asked_once_and_may_give_findings(self):
        one, two = self.of("whole", ", scope: end, failure: lost_goal")
        assert (one.turn, one.failure, one.message) == (1, "contradiction", "of its own")
        assert (two.turn, two.failure, two.message) == (None, "lost_goal", "text")

    @pytest.mark.parametrize("name", ["raises", "wrong_type", "lazily_raises"])
    def test_one_that_fails_never_passes(self, name):
        seen = self.of(name)
        assert [(one.turn, one.standing) for one in seen] == [(n, "unreadable") for n in (1, 2, 3)]


class TestExpression:
    def test_scopes(self):
        checks = (
            "  - {name: words, scope: turn, expression: \"!text.contains('sorry')\"}\n"
            '  - {name: calls, scope: tool_call, expression: "call.result.n > 0"}\n'
            '  - {name: end, scope: end, expression: "size(said) == 2 && state.n == 1"}\n'
        )
        tool = Message(role="tool", content='{"n": 0}')
        chat = (turn(text="sorry"), turn(before=(call("a"), tool)), turn())
        seen = broken(checks, *chat, state={"n": 1})
        assert [(number, failure) for number, failure, _ in seen] == [
            (1, "other"),
            (2, "other"),
            (None, "other"),
        ]

    def test_its_own_words_and_places_that_lead_nowhere(self):
        check = (
            '  - {name: b, expression: "item.rent <= rules.max_rent", '
            'say: "{item.id}: {item.rent} > {rules.max_rent}, {item.owner.name}, '
            '{item.id.x}, {item.tags}"}'
        )
        [(_, _, said)] = broken(check, turn(flat(rent=30.5, tags=["x"])), turn(), turn())
        assert said == 'A: 30.5 > 25, (no item.owner.name), (no item.id.x), ["x"]'

    def test_unreadable_may_count_as_a_finding(self):
        check = '  - {name: b, unreadable: finding, expression: "item.rent <= rules.max_rent"}'
        scenario = card(check)
        [one] = check_transcript(scenario, run_of(scenario, turn({"id": "Z"}), turn(), turn()))
        assert (one.standing, one.failure) == ("broken", "forgotten_constraint")

    def test_without_items_it_is_idle_unless_it_is_optional(self):
        for optional, n_found in (("false", 1), ("true", 0)):
            check = f'  - {{name: b, optional: {optional}, expression: "item.rent < 3"}}'
            assert len(broken(check, turn(), turn(), turn())) == n_found

    def test_without_calls_every_rule_about_calls_is_kept(self):
        check = "  - {name: b, scope: tool_call, expression: \"call.name == 'a'\"}"
        assert broken(check, turn(), turn(), turn()) == []

    def test_options_are_refused(self):
        with pytest.raises(InputError, match="unknown option"):
            card('  - {name: b, expression: "true", scope: turn, check: {expression: {x: 1}}}')
