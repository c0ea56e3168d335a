"""All guards of a hint together, and those that compare it with earlier ones."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Hint
from turnsure.dialogues.hinting.guards import (
    GUARDS,
    Position,
    asks_yes_or_no,
    check_hint,
    is_readable,
    says_something_new,
)
from turnsure.grading.normalise import normal

TASK = "Name the country that the clues describe. Keep the answer short."


def position(*earlier: Hint, game="20q", names=("Peru",)) -> Position:
    return Position(names=names, task=TASK, game=game, earlier=earlier, normalise=normal)


def yes(question: str) -> Hint:
    return Hint(question=question, answer="Yes")


def no(question: str) -> Hint:
    return Hint(question=question, answer="No")


@pytest.mark.parametrize(
    "question",
    [
        "Is it in Asia?",
        "Does it have a coast?",
        "Can you ski there?",
        "Isn't it large?",
        "In winter, does it snow there?",
        "Is it where the Andes are?",
    ],
)
def test_a_yes_or_no_question_passes(question):
    assert asks_yes_or_no(yes(question), position()) is None


@pytest.mark.parametrize(
    "hint",
    [
        yes("Which continent is it on?"),
        yes("On which continent does it lie?"),
        yes("The country is large?"),
        Hint(question="Is it in Asia?", answer="Asia"),
        Hint(question="Is it in Asia?", answer="Yes or No"),
        Hint(question="Is it in Asia?", answer="partly"),
        Hint(answer="It lies in Asia."),
    ],
)
def test_anything_else_is_refused_in_20q_and_nowhere_else(hint):
    refused = asks_yes_or_no(hint, position())
    assert refused is not None
    assert refused.reason == "not_yes_no"
    assert asks_yes_or_no(hint, position(game="guess")) is None


@pytest.mark.parametrize(
    ("earlier", "later", "reason"),
    [
        (yes("Is it in Asia?"), yes("Is it in Asia?"), "repeated_hint"),
        (yes("Is it in Asia?"), yes("is it in asia"), "repeated_hint"),
        (yes("Is it in Africa?"), yes("Is it located in Africa?"), "repeated_hint"),
        (yes("Does it have a coast?"), yes("Is it a coastal country?"), "repeated_hint"),
        (no("Does it fly?"), no("Can it fly?"), "repeated_hint"),
        (yes("Is it in Asia?"), no("Is it in Asia?"), "contradicting_hint"),
        (yes("Is it in Africa?"), no("Is it an African country?"), "contradicting_hint"),
        (yes("Does it have a coast?"), no("Does it have a coast?"), "contradicting_hint"),
        (yes("Is it big?"), yes("Is it a country?"), "repeated_hint"),
    ],
)
def test_what_was_said_is_not_said_again(earlier, later, reason):
    refused = says_something_new(later, position(earlier))
    assert refused is not None
    assert refused.reason == reason
    assert check_hint(later, position(earlier)) == refused


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (yes("Is it in Asia?"), no("Is it in Africa?")),
        (yes("Is it larger than a car?"), no("Is it smaller than a car?")),
        (
            yes("Do more than 5 million people live there?"),
            yes("Do more than 10 million people live there?"),
        ),
        (no("Does it have four neighbours?"), yes("Does it have two neighbours?")),
        (yes("Is it in North America?"), no("Is it in South America?")),
    ],
)
def test_what_is_new_passes(earlier, later):
    assert check_hint(later, position(earlier, names=("Zubrowka",))) is None


@pytest.mark.parametrize(
    ("earlier", "later", "reason"),
    [
        (("What is its capital?", "Lima"), ("What is its capital?", "Quito"), "contradicting_hint"),
        (("Which language?", "Quechua"), ("Which language is spoken?", "Quechua"), "repeated_hint"),
        ((None, "It lies in Asia."), (None, "It is located in Asia."), "repeated_hint"),
        ((None, "It lies in Asia."), ("What is its capital?", "Lima"), None),
        (("What is its capital?", "Lima"), ("Which city is largest?", "Lima"), None),
        (("What is it?", "a kingdom"), ("What is it?", "an island"), "repeated_hint"),
        (("Where is it?", "in the Middle East"), ("What grows?", "Middle East"), "repeated_hint"),
        (("Which animal lives there?", "the llama"), ("Which food?", "potatoes"), None),
    ],
)
def test_open_hints(earlier, later, reason):
    first, second = (
        Hint(question=question, answer=answer) for question, answer in (earlier, later)
    )
    refused = check_hint(second, position(first, game="guess"))
    assert (None if refused is None else refused.reason) == reason


def test_only_the_new_hint_is_judged():
    """What earlier hints are to one another was decided when they came."""
    earlier = (yes("Is it in Asia?"), yes("Is it in Asia?"))
    assert says_something_new(no("Is it cold there?"), position(*earlier)) is None


def test_a_script_is_readable_where_the_names_are_written_in_it():
    hint = Hint(answer="Через неё течёт река.")
    refused = is_readable(hint, position(game="guess"))
    assert refused is not None
    assert refused.reason == "other_script"
    assert is_readable(hint, position(game="guess", names=("Москва", "Moscow"))) is None


def test_the_secret_is_guarded_first():
    """A hint that leaks and repeats is counted as a leak, the graver of the two."""
    leak = yes("Is it Peru?")
    refused = check_hint(leak, position(leak))
    assert refused is not None
    assert refused.reason == "leaked_secret"
    assert len(GUARDS) == 4
