"""What is found in public sets: every error was looked at and is true."""

from __future__ import annotations

from collections import Counter

import pytest

from turnsure.dialogues.checking.check import check_files
from turnsure.dialogues.checking.finding import Rules
from turnsure.dialogues.checking.reading import read_leniently
from turnsure.grading.normalise import normal

pytestmark = pytest.mark.shared


def findings(folder):
    file = read_leniently(folder / "dialogues.jsonl")
    return file, check_files([file], Rules(normalise=normal))


def test_quizbowl_is_clean_but_for_a_clue_that_was_cut_in_two(shared_data):
    file, found = findings(shared_data / "qb_expo")
    assert len(file.dialogues) == 79
    assert [(one.kind, one.dialogue, one.turn) for one in found] == [
        ("answer_instruction", "expo24-gen-158", None),
        ("hint_repeats", "expo24-Chinese-166", 4),
    ]


def test_players_of_twenty_questions_name_the_answer_before_they_guess_it(shared_data):
    file, found = findings(shared_data / "20q_vibelang")
    assert Counter(one.kind for one in found) == {
        "answer_named": 87,
        "hints_twice": 1,
        "answer_almost_named": 1,
        "hint_nearly_repeats": 1,
        "entity_twice": 27,
        "odd_characters": 1,
    }
    of = {one.place: one.dialogue for one in file.dialogues}
    for one in found:
        if one.kind == "answer_named":
            dialogue = of[one.place]
            hint = dialogue.hints[one.turn - 1]
            said = normal(f"{hint.question} {hint.answer}")
            assert normal(dialogue.gold[0]).rstrip("s") in said
