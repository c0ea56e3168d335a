"""The built-in world: order, wording, and nothing that gives the answer away."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from turnsure.core.errors import InputError
from turnsure.dialogues.countries import countries_dialogues

ALL = countries_dialogues()
BY_NAME = {dialogue.gold[0]: dialogue for dialogue in ALL}


def said(dialogue) -> str:
    return " ".join(f"{hint.question or ''} {hint.answer}" for hint in dialogue.hints)


def test_statements_from_vague_to_telling():
    dialogue = BY_NAME["Peru"]
    assert [hint.answer for hint in dialogue.hints] == [
        "It lies in the Americas.",
        "About 31 million people live there.",
        "It has borders with Brazil, Colombia, Chile and Ecuador.",
        "The people speak Spanish.",
        "The capital city is Lima.",
        "The people are called Peruvian.",
    ]
    assert all(hint.question is None for hint in dialogue.hints)
    assert dialogue.gold == ("Peru", "Republic of Peru", "República del Perú")
    assert dialogue.meta == {"world": "countries", "continent": "Americas", "style": "statements"}


def test_questions_ask_for_the_same_facts():
    [dialogue] = [one for one in countries_dialogues(style="questions") if one.gold[0] == "Japan"]
    assert [(hint.question, hint.answer) for hint in dialogue.hints] == [
        ("On which continent does it lie?", "Asia"),
        ("How many people live there?", "about 130 million"),
        ("Which countries does it border?", "none by land"),
        ("Which language do the people speak?", "Japanese"),
        ("What is its capital city?", "Tokyo"),
        ("What are its people called?", "Japanese"),
    ]
    assert dialogue.meta["style"] == "questions"


@pytest.mark.parametrize(
    ("name", "clue"),
    [
        ("China", "About 1.4 billion people live there."),
        ("Trinidad and Tobago", "About 1.3 million people live there."),
        ("Australia", "It has no land borders."),
        ("Ireland", "It has borders with United Kingdom."),
    ],
)
def test_numbers_and_lists_in_words(name, clue):
    assert clue in [hint.answer for hint in BY_NAME[name].hints]


@pytest.mark.parametrize("style", ["statements", "questions"])
def test_no_hint_names_the_country(style):
    for dialogue in countries_dialogues(style=style):
        for name in dialogue.gold:
            whole_words = rf"(?<!\w){re.escape(name)}(?!\w)"
            assert not re.search(whole_words, said(dialogue), re.IGNORECASE), dialogue


def test_a_capital_that_names_its_country_is_left_out():
    assert BY_NAME["Mexico"].n_turns == 5
    assert "capital" not in said(BY_NAME["Mexico"])


def test_every_dialogue_is_long_enough_for_a_curve():
    assert {dialogue.n_turns for dialogue in ALL} == {5, 6}


def test_ids_differ():
    assert len({dialogue.id for dialogue in ALL}) == len(ALL)


def test_a_few_are_the_first_of_all():
    for n in (1, 7, len(ALL)):
        assert countries_dialogues(n) == ALL[:n]


def test_the_seed_decides_the_order_and_nothing_else():
    other = countries_dialogues(seed=1)
    assert other != ALL
    by_id = {dialogue.id: dialogue for dialogue in ALL}
    assert {dialogue.id: dialogue for dialogue in other} == by_id


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_the_order_does_not_hang_on_the_interpreter(hash_seed):
    code = (
        "from turnsure.dialogues.countries import countries_dialogues; "
        "print(*(dialogue.id for dialogue in countries_dialogues(seed=3)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == [dialogue.id for dialogue in countries_dialogues(seed=3)]


@pytest.mark.parametrize("n", [0, -1, len(ALL) + 1])
def test_a_number_that_the_world_cannot_give_is_refused(n):
    with pytest.raises(InputError, match=f"expected 1 to {len(ALL)}"):
        countries_dialogues(n)


def test_importing_the_world_loads_no_facts():
    code = "import turnsure.dialogues.countries, sys; print('countryinfo' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
