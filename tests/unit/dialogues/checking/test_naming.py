"""Hints that give the answer away, and hints that only look so."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.checking.finding import Rules
from turnsure.dialogues.checking.naming import find_naming
from turnsure.grading.normalise import normal

RULES = Rules(normalise=normal)


def found(*hints: str | Hint, gold=("Peru",), task="Name it.", **more):
    dialogue = Dialogue(
        id="d",
        task=task,
        hints=tuple(Hint(answer=one) if isinstance(one, str) else one for one in hints),
        gold=(gold,) if isinstance(gold, str) else gold,
        **more,
    )
    return [(one.kind, one.turn, one.field) for one in find_naming(dialogue, RULES)]


def kinds(text: str, gold: str | tuple[str, ...], **more) -> list[str]:
    """Kinds found in a second hint."""
    return [kind for kind, _, _ in found("A clue.", text, gold=gold, **more)]


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("It is Larry Bird himself.", "Larry Bird"),
        ("it is LARRY  BIRD.", "Larry Bird"),
        ("Beyonce sang it.", "Beyoncé"),
        ("It was New-York that year.", "New York"),
        ("They call it Newyork.", "New York"),
        ("Laws of the U.S. hold there.", "USA"),
        ("Larry Bird's own team.", "Larry Bird"),
        ("Two lions are on its arms.", "lion"),
        ("A lion is on its arms.", "lions"),
        ("Many Gambias were drawn.", "The Gambia"),
        ("It is in Gambia.", "The Gambia"),
        ("A ship called Mercury (the planet).", "Mercury (planet)"),
        ("Names such as Burma were used.", ("Myanmar", "Burma")),
    ],
)
def test_an_answer_is_found_in_any_spelling_and_inflection(text, gold):
    assert kinds(text, gold) == ["answer_named"]


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("The people are called Nigerian.", "Nigeria"),
        ("They speak Polish.", "Poland"),
        ("They speak Lao.", "Laos"),
        ("It lies in the Americas.", "United States"),
        ("A South Korean band.", "South Korea"),
        ("The phylum is Tardigrada.", "tardigrade"),
        ("It was Shakespear who wrote it.", "Shakespeare"),
        ("Written by Tchaikovksy.", "Tchaikovsky"),
    ],
)
def test_a_word_that_is_very_like_the_answer_is_a_warning(text, gold):
    assert kinds(text, gold) == ["answer_almost_named"]


@pytest.mark.parametrize(
    ("text", "gold", "more"),
    [
        ("It borders Nigeria.", "Niger", {}),
        ("It is in York.", "New York", {}),
        ("It lives in a house.", "horse", {}),
        ("He takes care of it.", "car", {}),
        ("It borders Iraq.", "Iran", {}),
        ("It is near Australia.", "Austria", {}),
        ("A big cat.", "lion", {}),
        ("Is it alive? yes", "yes", {}),
        ("A letter.", "A", {}),
        ("There are 160 of them.", "16", {}),
        ("It borders Mauritanja.", "Mauritania", {"candidates": ("Mauritania", "Mauritanja")}),
    ],
)
def test_other_words_are_no_finding(text, gold, more):
    if more:
        more["remaining"] = ((0, 1), (0,))
    assert kinds(text, gold, **more) == []


def test_the_misspelling_is_found_when_no_candidate_is_called_so():
    assert kinds("It borders Mauritanja.", "Mauritania") == ["answer_almost_named"]


def test_a_number_may_stand_in_a_hint_by_chance():
    assert kinds("He has 16 apples.", "16") == ["number_named"]
    assert kinds("He has 1,600 apples.", "1600") == ["number_named"]


def test_the_first_hint_gives_everything_away_at_once():
    assert found("It is Peru.", "A clue.") == [("first_turn_names_answer", 1, "hints[0].answer")]


def test_questions_count_as_much_as_answers_and_a_hint_gives_one_finding():
    asked = Hint(question="Is it Peru?", answer="Yes, Peru.")
    assert found("A clue.", asked) == [("answer_named", 2, "hints[1].answer")]
    asked = Hint(question="Is it Peru?", answer="no")
    assert found("A clue.", asked) == [("answer_named", 2, "hints[1].question")]


def test_the_gravest_of_two_is_told():
    asked = Hint(question="Is it Peru?", answer="It is Peruvian.")
    [(kind, _, field)] = found("A clue.", asked)
    assert (kind, field) == ("answer_named", "hints[1].question")


def test_what_the_task_names_is_no_secret():
    task = "Is it Peru or Chile?"
    assert found("A clue.", "Not far from Peru.", task=task) == []
    assert found("A clue.", "Near Chile, by Lima.", gold=("Peru", "Lima"), task=task) == [
        ("answer_named", 2, "hints[1].answer")
    ]


def test_the_closing_is_read_too():
    assert found("A clue.", closing="So, is it Peru?") == [("answer_named", None, "closing")]
