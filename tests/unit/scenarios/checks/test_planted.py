"""Every planted failure is found at its turn, by its type, with its rule; clean runs are clean."""

from __future__ import annotations

import pytest

from tests.support.conversations import call, card, flat, run_of, turn
from turnsure.core.conversation import Transcript
from turnsure.core.scenario import Scenario
from turnsure.scenarios.checking import check_transcript

BUDGET = '  - {name: budget, expression: "item.rent <= rules.max_rent"}'
LOWERED = (
    "  - {id: start, say: At most 28., sets: {max_rent: 28}}\n"
    "  - {id: dog, say: A dog., sets: {pets: true}}\n"
    "  - {id: lower, say: Only 25., changes: {max_rent: {from: 28, to: 25}}}\n"
)
MOVED = (
    "  - {id: start, say: Near Kharadi., sets: {office: Kharadi, areas: [Baner, Wakad]}}\n"
    "  - {id: dog, say: A dog., sets: {pets: true}}\n"
    "  - id: moved\n"
    "    say: It is in Hinjewadi.\n"
    "    changes:\n"
    "      office: {from: Kharadi, to: Hinjewadi}\n"
    "      areas: {from: [Baner, Wakad], to: [Wakad]}\n"
)


def found(scenario: Scenario, transcript: Transcript, **more):
    """Turn, type and rule of everything found, and the messages."""
    findings = check_transcript(scenario, transcript, **more)
    return (
        [(one.turn, one.failure, one.rule) for one in findings if one.standing == "broken"],
        [one.message for one in findings],
    )


def only(checks: str, *turns, reveals: str | None = None, more: str = "", **state):
    scenario = card(checks, reveals=reveals, more=more)
    return found(scenario, run_of(scenario, *turns, **state))


class TestForgottenConstraint:
    def test_a_rule_of_an_earlier_turn(self):
        seen, said = only(BUDGET, turn(flat()), turn(flat("W", 31)), turn(flat("V", 27)))
        assert seen == [(2, "forgotten_constraint", "max_rent")]
        assert said == ["W breaks item.rent <= rules.max_rent (max_rent 25 since turn 1)"]

    def test_a_rule_that_was_given_at_this_very_turn_was_not_forgotten(self):
        seen, _ = only(BUDGET, turn(flat("W", 31)), turn(flat()), turn(flat()))
        assert seen == [(1, "other", "max_rent")]

    def test_what_fits_the_value_before_a_twist_clings_to_it(self):
        chat = (turn(flat(rent=27)), turn(flat()), turn(flat("W", 27), flat("V", 30)))
        seen, said = only(BUDGET, *chat, reveals=LOWERED)
        assert seen == [
            (3, "ignored_correction", "max_rent"),
            (3, "forgotten_constraint", "max_rent"),
        ]
        assert "but fits max_rent 28 of before turn 3" in said[0]

    def test_before_a_rule_is_given_there_is_nothing_to_say(self):
        pets = '  - {name: pets, expression: "!rules.pets || item.pets_ok"}'
        seen, _ = only(pets, turn(flat(pets_ok=False)), turn(flat(pets_ok=False)), turn(flat()))
        assert seen == [(2, "other", "pets")]

    def test_a_twist_that_allows_more_allows_it_from_its_turn(self):
        seen, _ = only(BUDGET, turn(flat()), turn(flat("V", 27)), turn(flat("V", 27)))
        assert seen == [(2, "forgotten_constraint", "max_rent")]

    def test_a_rule_that_was_withdrawn_binds_no_longer(self):
        told = (
            "  - {say: At most 25., sets: {max_rent: 25}}\n  - {say: Any., withdraws: [max_rent]}\n"
        )
        seen, said = only(BUDGET, turn(flat()), turn(flat(rent=99)), reveals=told)
        assert (seen, said) == ([], [])

    def test_the_card_may_call_it_otherwise(self):
        named = BUDGET.replace("name:", "failure: lost_goal, name:")
        seen, _ = only(named, turn(flat()), turn(flat("W", 31)), turn(flat()))
        assert seen == [(2, "lost_goal", "max_rent")]

    def test_a_rule_that_the_expression_asks_for_itself(self):
        check = '  - {name: b, expression: "has(rules.pets) ? item.pets_ok : item.rent < 30"}'
        chat = (turn(flat(rent=31)), turn(flat(pets_ok=False)), turn(flat(pets_ok=False)))
        assert only(check, *chat)[0] == [
            (1, "forgotten_constraint", None),
            (2, "other", "pets"),
            (3, "forgotten_constraint", "pets"),
        ]

    def test_a_value_that_holds_again_is_no_old_one(self):
        told = LOWERED + "  - {say: 28 again., changes: {max_rent: {from: 25, to: 28}}}\n"
        seen, _ = only(
            BUDGET, turn(), turn(), turn(flat(rent=20)), turn(flat(rent=30)), reveals=told
        )
        assert seen == [(4, "forgotten_constraint", "max_rent")]

    def test_an_old_value_of_another_type_explains_nothing(self):
        told = (
            "  - {say: Cheap., sets: {max_rent: low}}\n"
            "  - {say: 25., changes: {max_rent: {from: low, to: 25}}}\n"
        )
        scenario = card(BUDGET, reveals=told)
        findings = check_transcript(scenario, run_of(scenario, turn(), turn(flat(rent=30))))
        assert [(one.turn, one.failure) for one in findings] == [(2, "forgotten_constraint")]

    def test_of_two_rules_the_one_that_changed_is_named(self):
        both = (
            '  - {name: b, expression: "item.area in rules.areas && item.rent <= rules.max_rent"}'
        )
        told = LOWERED.replace("sets: {max_rent: 28}", "sets: {areas: [Baner], max_rent: 28}")
        seen, _ = only(both, turn(flat()), turn(flat()), turn(flat(rent=27)), reveals=told)
        assert seen == [(3, "ignored_correction", "max_rent")]


class TestIgnoredCorrection:
    def of(self, option: str, *last, **more):
        checks = f"  - {{name: moved, check: {{ignored_correction: {{{option}}}}}}}"
        return only(checks, turn(flat()), turn(flat()), *last, reveals=MOVED, **more)

    def test_in_a_field_of_an_item(self):
        seen, said = self.of(
            "field: area, rules: [areas]", turn(flat(area="Baner"), flat(area="Wakad"))
        )
        assert seen == [(3, "ignored_correction", "areas")]
        assert said == ["A has areas Baner again, which the user replaced at turn 3"]

    def test_in_the_argument_that_is_named_as_the_rule(self):
        bad = turn(before=(call("search", office="Kharadi"),))
        good = turn(before=(call("search", office="Hinjewadi"),))
        assert self.of("", bad)[0] == [(3, "ignored_correction", "office")]
        assert self.of("", good)[0] == []

    def test_in_a_list_of_arguments_by_another_name(self):
        bad = turn(before=(call("search", near=["Baner"]),))
        assert self.of("argument: near, rules: [areas]", bad)[0] == [
            (3, "ignored_correction", "areas")
        ]

    def test_in_words_where_the_card_asks_for_it(self):
        bad = turn(text="These are close to KHARADI.")
        assert self.of("text: true, rules: [office]", bad)[0] == [
            (3, "ignored_correction", "office")
        ]
        assert self.of("rules: [office]", bad)[0] == []

    def test_a_value_that_came_back_by_the_users_own_words_is_no_old_one(self):
        back = MOVED + "  - {say: No., changes: {office: {from: Hinjewadi, to: Kharadi}}}\n"
        checks = "  - {name: moved, check: {ignored_correction: {text: true, rules: [office]}}}"
        chat = [turn(), turn(), turn(), turn(text="Kharadi then.")]
        assert only(checks, *chat, reveals=back)[0] == []
        chat[-1] = turn(text="Hinjewadi it is.")
        assert only(checks, *chat, reveals=back)[0] == [(4, "ignored_correction", "office")]


class TestContradiction:
    CHECK = "  - {name: facts, check: contradiction}"

    def test_a_fact_that_changes(self):
        chat = (turn(flat(parking=True)), turn(flat("B")), turn(flat(parking=False)))
        seen, said = only(self.CHECK, *chat)
        assert seen == [(3, "contradiction", None)]
        assert said == ["A has parking false now and had true at turn 1"]

    def test_within_one_turn(self):
        seen, _ = only(self.CHECK, turn(flat(rent=20), flat(rent=21)), turn(), turn())
        assert seen == [(1, "contradiction", None)]

    def test_a_flip_is_told_at_each_flip_and_a_new_field_is_none(self):
        chat = (turn(flat(rent=1)), turn(flat(rent=2)), turn(flat(rent=2, floor=3)))
        assert only(self.CHECK, *chat)[0] == [(2, "contradiction", None)]

    def test_fields_may_be_chosen_or_left_out(self):
        chat = (turn(flat(rank=1)), turn(flat(rank=2)), turn())
        for option, n_found in (("", 1), ("except: [rank]", 0), ("fields: [rent]", 0)):
            check = f"  - {{name: facts, check: {{contradiction: {{{option}}}}}}}"
            assert len(only(check, *chat)[0]) == n_found


class TestEarlyGuessing:
    def test_items_before_the_rules_are_known(self):
        check = "  - {name: early, check: {early_guessing: {needs: [max_rent, pets]}}}"
        seen, said = only(check, turn(flat()), turn(flat()), turn(flat()))
        assert seen == [(1, "early_guessing", "pets")]
        assert said == ["the assistant answers before the user has said pets"]
        assert only(check, turn(), turn(flat()), turn(flat()))[0] == []

    def test_what_counts_as_an_answer_is_an_expression(self):
        check = (
            "  - name: early\n    check: {early_guessing: {needs: [pets], "
            "answers: \"text.contains('FINAL')\"}}"
        )
        assert only(check, turn(flat()), turn(), turn())[0] == []
        assert only(check, turn(text="FINAL: A"), turn(), turn())[0][0][:2] == (1, "early_guessing")

    def test_an_answer_that_cannot_be_told_never_passes(self):
        check = "  - {name: e, check: {early_guessing: {needs: [pets], answers: 'items[0].final'}}}"
        scenario = card(check)
        findings = check_transcript(scenario, run_of(scenario, turn(), turn(), turn()))
        assert [(one.turn, one.standing) for one in findings] == [(1, "unreadable")]

    def test_while_the_confidence_is_low(self):
        check = "  - {name: early, check: {early_guessing: {confidence_below: 0.5}}}"
        scenario = card(check)
        chat = run_of(scenario, turn(flat()), turn(flat()), turn(flat()))
        seen, said = found(scenario, chat, confidence={1: 0.3, 2: 0.5, 3: 0.9})
        assert seen == [(1, "early_guessing", None)]
        assert said == ["the assistant answers at a confidence of 0.30, which is under 0.5"]

    @pytest.mark.parametrize("needs", ["", ", needs: [max_rent]"])
    def test_without_any_confidence_it_was_never_asked(self, needs):
        check = f"  - {{name: early, check: {{early_guessing: {{confidence_below: 0.5{needs}}}}}}}"
        scenario = card(check)
        [idle] = check_transcript(scenario, run_of(scenario, turn(flat()), turn(), turn()))
        assert idle.standing == "idle"


class TestRepetition:
    CHECK = "  - {name: again, check: repetition}"

    def test_what_the_user_turned_down_comes_back(self):
        seen, said = only(self.CHECK, turn(flat("X")), turn(flat("B")), turn(flat("X")))
        assert seen == [(3, "repetition", None)]
        assert said == ["X is shown again, which the user turned down at turn 2"]

    def test_also_in_the_reply_to_that_very_message(self):
        assert only(self.CHECK, turn(), turn(flat("X")), turn())[0] == [(2, "repetition", None)]

    def test_the_same_set_in_any_order(self):
        check = "  - {name: again, check: {repetition: {same_set: 3}}}"
        chat = (turn(flat("A"), flat("B")), turn(flat("B"), flat("A")), turn(flat("A"), flat("B")))
        assert only(check, *chat)[0] == [(3, "repetition", None)]
        assert only(self.CHECK, *chat)[0] == []


class TestLostGoal:
    def test_the_last_turn_lacks_what_was_asked_for(self):
        more = "success: [size(items) >= 2]"
        chat = (turn(flat("A"), flat("B")), turn(flat()), turn(flat()))
        seen, said = only("  - {name: t, scope: turn, expression: 'true'}", *chat, more=more)
        assert seen == [(3, "lost_goal", None)]
        assert said == ["the conversation ends without what was asked for: size(items) >= 2"]

    def test_several_last_turns_count_together(self):
        for last, n_found in ((1, 1), (2, 0)):
            more = f"success: [{{expression: size(items) >= 2, last: {last}}}]"
            chat = (turn(), turn(flat("A")), turn(flat("B")))
            checks = "  - {name: t, scope: turn, expression: 'true'}"
            assert len(only(checks, *chat, more=more)[0]) == n_found

    def test_an_end_that_cannot_be_told_never_passes(self):
        scenario = card("  - {name: goal, check: lost_goal, expression: 'items[0].rent < 3'}")
        findings = check_transcript(scenario, run_of(scenario, turn(), turn(), turn()))
        assert [(one.turn, one.standing) for one in findings] == [(None, "unreadable")]

    @pytest.mark.parametrize("ending", ["assistant_error", "user_invalid", "infrastructure_error"])
    def test_a_conversation_that_was_broken_off_has_lost_nothing(self, ending):
        checks = "  - {name: goal, check: lost_goal, expression: size(items) > 5}"
        assert only(checks, turn(flat()), ending=ending) == ([], [])
