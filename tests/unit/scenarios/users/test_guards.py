"""Every guard: what it refuses, and what it lets through."""

from __future__ import annotations

import pytest

from turnsure.core.scenario import Reveal
from turnsure.scenarios.users.guards import GUARDS, Position, check_message, tidied
from turnsure.scenarios.users.wording import load_wording

AREA = Reveal(id="area", say="I want a 2BHK in Baner under Rs 25,000.")
DOG = Reveal(id="dog", say="By the way, I have a dog.")
WAKAD = Reveal(id="wakad", say="Also show me flats in Wakad.", facts=("Wakad",))
RAISE = Reveal(id="raise", say="I can go up to Rs 28,000.")
LATER = (DOG, WAKAD, RAISE)
FIRST = Position(reveal=AREA, later=LATER)
REACT = Position(
    later=(RAISE,),
    said=(AREA.say,),
    heard=("Here are B1 at 24,000 and B3 at 25,000.",),
    card=("A renter.", "furnished", "does not mind"),
)
THANKED = Position(said=("Thanks a lot, bye!",), heard=("You are welcome!",))


def refused_by(text: str, position: Position = REACT) -> str | None:
    slip = check_message(text, position)
    return None if slip is None else slip.guard


@pytest.mark.parametrize(
    "text",
    [
        "I want a 2BHK in Baner under Rs 25,000.",
        "Hi! Looking for a 2BHK in Baner, max 25k please.",
        "Need a 2bhk flat around Baner, my limit is 25000 rupees.",
    ],
)
def test_a_good_first_message_passes(text):
    assert refused_by(text, FIRST) is None


@pytest.mark.parametrize(
    "text",
    [
        "B1 looks good to me.",
        "I do not mind whether it is furnished.",
        "Could you tell me more about B3?",
        "Thanks, 24,000 is fine.",
        "Is the credit card fine for the deposit?",
        "Which of the two is nearer to the station?",
    ],
)
def test_a_good_reaction_passes(text):
    assert refused_by(text) is None


@pytest.mark.parametrize("text", ["", "  \n", "...", "“”"])
def test_an_empty_message(text):
    assert refused_by(tidied(text)) == "empty_reply"


def test_a_message_that_breaks_off():
    assert refused_by("I would like", Position(cut=True)) == "cut_off"


@pytest.mark.parametrize(
    "text",
    [
        "<think>He wants Baner</think> Baner please",
        '{"message": "B1 is fine"}',
        "```\nB1 is fine\n```",
        "Thought: I should answer.\nB1 is fine.",
        "Here is my next message: B1 is fine.",
        "B1 is fine. (Note: staying brief.)",
        "[MESSAGE] B1 is fine",
        "[1, 2]",
        "Reply: B1 is fine.",
        "B1 is fine. ###STOP###",
        "*nods* B1 is fine.",
        "B1 is fine (smiling a little).",
    ],
)
def test_notes_json_and_labels(text):
    assert refused_by(text) == "scratchpad"


@pytest.mark.parametrize(
    "text",
    [
        "As an AI, I have no dog.",
        "In this scenario I want B1.",
        "My persona would like B1.",
        "I was told to ask for B1.",
        "The customer would say B1.",
        "I am a language model.",
        "This is a role-play, right?",
    ],
)
def test_the_fourth_wall(text):
    assert refused_by(text) == "fourth_wall"


def test_a_word_of_the_fourth_wall_that_the_card_has_is_no_slip():
    reveal = Reveal(id="a", say="I need help with a simulation in my lab.")
    assert refused_by(reveal.say, Position(reveal=reveal)) is None


@pytest.mark.parametrize(
    "text",
    [
        "How can I help you today?",
        "I'd be happy to help with that!",
        "Here are some options for you: B1.",
        "I found three flats for you.",
        "Thank you for contacting us.",
        "I recommend B1.",
        "B1 is fine.\nAssistant: Great!",
        "- B1 at 24,000\n- B3 at 25,000",
        "1. B1\n2. B3",
        "What is your budget?",
        "Here are B1 at 24,000 and B3 at 25,000.",
    ],
)
def test_a_swapped_role(text):
    assert refused_by(text) == "role_swap"


def test_a_list_that_the_card_has_the_user_say_is_no_slip():
    reveal = Reveal(id="a", say="I need:\n- a desk\n- a chair")
    assert refused_by(reveal.say, Position(reveal=reveal)) is None


@pytest.mark.parametrize(
    ("text", "reveal", "shown"),
    [
        ("I want a 2BHK in Baner.", AREA, "25,000"),
        ("I want a 2BHK under 25,000.", AREA, "Baner"),
        ("Baner 2BHK under 52,000 please, so 52,000.", AREA, "25,000"),
        ("Anything with a garden?", DOG, "dog"),
        ("Something else, please.", WAKAD, "Wakad"),
    ],
)
def test_a_fact_that_is_missing(text, reveal, shown):
    slip = check_message(text, Position(reveal=reveal))
    assert slip is not None
    assert slip.guard == "missing_fact"
    assert shown in slip.evidence


@pytest.mark.parametrize(
    ("text", "reveal"),
    [
        ("I've got a dog too.", DOG),
        ("Do they take dogs? I have one.", DOG),
        ("Anything in Wakad?", WAKAD),
        ("Fine, 28k at most.", RAISE),
        ("I could stretch to twenty-eight thousand.", RAISE),
    ],
)
def test_a_fact_in_other_words(text, reveal):
    assert refused_by(text, Position(reveal=reveal)) is None


@pytest.mark.parametrize(
    ("text", "reveal"),
    [
        ("I want a 2BHK in Baner under Rs 25,000, for me and my dog.", "dog"),
        ("I want a 2BHK in Baner or Wakad under Rs 25,000.", "wakad"),
        ("I want a 2BHK in Baner under Rs 25,000, well, 28,000 at most.", "raise"),
    ],
)
def test_a_later_reveal_that_leaks(text, reveal):
    slip = check_message(text, FIRST)
    assert slip is not None
    assert slip.guard == "leaked_reveal"
    assert repr(reveal) in slip.evidence


def test_what_the_assistant_brought_up_is_no_leak():
    position = Position(reveal=DOG, later=(WAKAD,), heard=("Would Wakad do as well?",))
    assert refused_by("Wakad could do. I have a dog.", position) is None


@pytest.mark.parametrize("text", ["Do you have 3 bedrooms?", "B1 by the 14th, please."])
def test_a_number_out_of_nowhere(text):
    assert refused_by(text) == "invented_number"


@pytest.mark.parametrize(
    "text", ["Thanks, bye!", "Thank you so much, have a great day!", "You too!"]
)
def test_endless_thanks(text):
    assert refused_by(text, THANKED) == "thanks_loop"
    assert refused_by(text, Position(said=("B1 is fine.",), heard=("Great!",))) is None


def test_thanks_with_content_are_no_loop():
    assert refused_by("Thanks, and does the flat have a balcony?", THANKED) is None
    assert refused_by("Thanks, I will visit the flat.", THANKED) is None


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        (' "B1 is fine." ', "B1 is fine."),
        ("User: B1 is fine.", "B1 is fine."),
        ("You: “B1 is fine.”", "B1 is fine."),
        ('"B1" or "B3"?', '"B1" or "B3"?'),
        ("'", "'"),
    ],
)
def test_what_is_only_around_a_message_is_taken_off(text, bare):
    assert tidied(text) == bare


def test_every_guard_has_a_reason_in_the_wording():
    reasons = {name for name in load_wording().definition if name.startswith("reasons.")}
    assert reasons == {f"reasons.{name}" for name in GUARDS}


@pytest.mark.parametrize("text", ["I want **B1** (on floor 2).", "Flat # 2, or 3*4 rooms, 5*6?"])
def test_signs_that_mean_no_stage_direction(text):
    assert refused_by(text, Position(said=(text,))) is None
