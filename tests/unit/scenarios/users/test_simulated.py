"""A simulated user: code decides, the model only words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.support.flows import drive, label_mass, texts
from tests.support.suites import exchange, run_of, scenario
from turnsure.core.errors import InputError
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Reply
from turnsure.core.scenario import Reveal
from turnsure.models.scripted import ALL_CAPABLE, ScriptedBackend
from turnsure.scenarios.seams import Broken, Said, Stopped
from turnsure.scenarios.users.simulated import SimulatedUser, UserSettings

GONE = Failure(stage="generation", kind="unavailable", message="the server has gone")
DONE = [
    exchange(1, "I want a flat in Baner.", "Sure."),
    exchange(2, "I can pay 25,000 rupees.", "Fine."),
    exchange(3, "I have a dog.", "Good. Do you need parking?"),
]


def user(*, labels: str = "exact", **settings) -> SimulatedUser:
    capabilities = replace(ALL_CAPABLE, label_probabilities=labels)
    backend = ScriptedBackend(lambda request: "", capabilities=capabilities)
    return SimulatedUser(backend=backend, settings=UserSettings(**settings))


def after(
    exchanges: Sequence, *replies: Reply, of=None, given=None, replicate: int = 0
) -> tuple[object, list[GenerationRequest]]:
    """What the user does when its model gives these replies in turn."""
    given = given or scenario()
    line = iter(replies)
    flow = (of or user()).next(given, exchanges, run=run_of(given, replicate=replicate))
    return drive(flow, lambda request: next(line))


def test_the_model_is_told_the_reveal_that_is_due_and_no_later_one():
    said, [asked] = after(DONE[:1], texts("My limit is 25,000 rupees."))
    assert said == Said(text="My limit is 25,000 rupees.", reveals=("budget",))
    prompt = asked.messages[0].content
    assert "I can pay 25,000 rupees." in prompt
    assert "A renter." in prompt
    assert "You: I want a flat in Baner.\nAssistant: Sure." in prompt
    assert "dog" not in prompt
    assert asked.role == "user"


def test_the_goal_which_may_tell_all_is_not_in_the_prompt():
    given = scenario(goal="A flat for me and my dog.")
    _, [asked] = after([], texts("A flat in Baner, please."), given=given)
    assert "dog" not in asked.messages[0].content


def test_the_cards_answers_are_in_the_prompt_and_may_be_used():
    given = scenario(answers={"furnished": "does not mind", "floor": "the 3rd or higher"})
    said, [asked] = after(
        [exchange(1, "I want a flat in Baner.", "Which floor?")],
        texts("The 3rd or higher, for 25,000 rupees."),
        given=given,
    )
    assert "- floor: the 3rd or higher" in asked.messages[0].content
    assert said.reveals == ("budget",)


def test_what_a_guard_refuses_is_asked_again_with_its_reason_and_another_replicate():
    said, asked = after(
        DONE[:1],
        texts("I have a dog and can pay 25,000 rupees."),
        texts("I can pay something."),
        texts("25,000 rupees at most."),
        replicate=2,
    )
    assert said.text == "25,000 rupees at most."
    assert [slip.guard for slip in said.slips] == ["leaked_reveal", "missing_fact"]
    assert [one.replicate for one in asked] == [32, 33, 34]
    assert len({one.seed for one in asked}) == 3
    assert "You wrote before: I can pay something." in asked[2].messages[0].content
    assert "it did not tell all that you had to tell" in asked[2].messages[0].content


def test_a_user_that_cannot_be_kept_to_its_card_is_broken():
    broken, asked = after(DONE[:1], *[texts("How can I help you?")] * 3)
    assert isinstance(broken, Broken)
    assert [slip.guard for slip in broken.slips] == ["role_swap"] * 3
    assert len(asked) == 3
    broken, asked = after(DONE[:1], texts(""), of=user(attempts=1))
    assert [slip.guard for slip in broken.slips] == ["empty_reply"]


def test_a_reply_that_was_cut_is_not_taken():
    cut = Generation(texts=("25,000 rupees and",), finish_reasons=("length",))
    said, _ = after(DONE[:1], cut, texts("25,000 rupees."))
    assert [slip.guard for slip in said.slips] == ["cut_off"]


def test_a_failed_request_is_handed_on():
    assert after(DONE[:1], GONE)[0] is GONE


def test_runs_are_asked_with_other_replicates_and_seeds():
    (_, [one]), (_, [other]) = (
        after([], texts("A flat in Baner."), replicate=replicate) for replicate in (0, 1)
    )
    assert one.messages == other.messages
    assert one.replicate != other.replicate
    assert one.seed != other.seed


@pytest.mark.parametrize(("sure", "stops"), [(0.9, True), (0.5, True), (0.1, False)])
def test_whether_to_stop_is_read_from_label_probabilities(sure, stops):
    replies = [label_mass(A=sure, B=1 - sure), texts("No parking, thanks.")]
    turn, asked = after(DONE, *replies)
    assert asked[0].labels == ("A", "B")
    assert "A flat to live in." in asked[0].messages[0].content
    assert isinstance(turn, Stopped if stops else Said)


@pytest.mark.parametrize(
    ("letter", "stops"), [("A", True), ("A.", True), ("(A)", True), ("B", False), ("Ah", False)]
)
def test_or_from_a_letter(letter, stops):
    turn, asked = after(DONE, texts(letter), texts("No parking, thanks."), of=user(labels="none"))
    assert asked[0].labels is None
    assert isinstance(turn, Stopped if stops else Said)


def test_a_stop_that_cannot_be_read_goes_on_and_no_text_stops():
    turn, _ = after(DONE, label_mass(A=0.0, B=0.0), texts("No parking, thanks. STOP ###"))
    assert turn == Said(text="No parking, thanks. STOP ###")
    turn, _ = after(DONE, GONE, texts("No parking."))
    assert turn == Said(text="No parking.")


def test_it_stops_by_itself_after_its_spare_turns():
    over = [*DONE, exchange(4, "No.", "A?"), exchange(5, "No.", "B?")]
    assert after(over) == (Stopped(ending="user_stop"), [])
    assert user().is_over(scenario(), over)
    assert not user().is_over(scenario(), over[:-1])
    assert after(DONE, of=user(spare_turns=0)) == (Stopped(ending="user_stop"), [])


def test_at_a_turn_without_a_reveal_it_only_reacts():
    given = scenario(
        reveals=(
            Reveal(id="area", turn=1, say="A flat in Baner."),
            Reveal(id="dog", turn=3, say="I have a dog."),
        )
    )
    said, [asked] = after(
        [exchange(1, "A flat in Baner.", "Here is B1.")], texts("B1 looks fine."), given=given
    )
    assert said == Said(text="B1 looks fine.")
    assert "You have nothing new to tell." in asked.messages[0].content
    assert "dog" not in asked.messages[0].content


def test_of_two_reveals_of_one_turn_one_waits():
    given = scenario(
        reveals=(
            Reveal(id="area", turn=1, say="A flat in Baner."),
            Reveal(id="dog", turn=1, say="I have a dog."),
        )
    )
    said, _ = after([], texts("A flat in Baner, please."), given=given)
    assert said.reveals == ("area",)


@pytest.mark.parametrize(
    "setting", [{"attempts": 0}, {"attempts": 17}, {"temperature": -1}, {"max_tokens": 0}]
)
def test_settings_are_checked(setting):
    with pytest.raises(InputError, match=next(iter(setting))):
        UserSettings(**setting)


def test_settings_and_words_are_in_the_definition():
    assert user().definition["attempts"] == "3"
    assert user().definition != user(temperature=0.1).definition
    assert "stop.text" in user().definition
