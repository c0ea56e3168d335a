"""Reading a hint out of a reply."""

from __future__ import annotations

import pytest

from turnsure.core.built import Refused
from turnsure.core.dialogue import Hint
from turnsure.dialogues.hinting.reading import read_hint

ASIA = Hint(question="Is it in Asia?", answer="Yes")


@pytest.mark.parametrize(
    "reply",
    [
        "Q: Is it in Asia?\nA: Yes",
        "q: Is it in Asia?\na: yes.",
        "**Q:** Is it in Asia?\n**A:** Yes, it is.",
        "**Q**: Is it in Asia?\n**A**: **Yes**",
        "- Q: Is it in Asia?\n- A: Yes",
        "Question: Is it in Asia? Answer: Yes",
        "Question 3: Is it in Asia?\n\nAnswer 3: Yes",
        "Q. Is it in Asia? A. Yes",
        "1. Q: Is it in Asia?\n   A: Yes\n2. Q: Is it red?\n   A: No",
        "Sure! Here is one:\n\nQ: Is it in Asia?\nA: Yes",
        "Is it in Asia? Yes",
        "Is it in Asia?\nYes.",
        '"Q: Is it in Asia?\nA: Yes"',
        "> Q: *Is it in Asia?*\n> A: `Yes`",
        "<think>Q: hm?\nA: no</think>\nQ: Is it in Asia?\nA: Yes",
        "Q: Is it\n   in Asia?\nA: Yes",
        "Q: Is it in Asia? (A: Yes)",
        "Q: Is it in Asia?\r\nA: True",
        "Yes/No question: Is it in Asia?\nAnswer: Yes",
    ],
)
def test_forms_of_one_hint(reply):
    assert read_hint(reply, game="20q") == ASIA


def test_an_open_answer_is_kept_as_it_stands():
    assert read_hint("Q: Which continent?\nA: **Asia**, in the east.", game="guess") == Hint(
        question="Which continent?", answer="Asia, in the east."
    )


@pytest.mark.parametrize(
    "reply", ["It lies in Asia.", "Clue: It lies in Asia.", "- It lies in Asia."]
)
def test_a_statement_is_a_hint_only_where_any_hint_will_do(reply):
    assert read_hint(reply, game="guess") == Hint(answer="It lies in Asia.")
    refused = read_hint(reply, game="20q")
    assert isinstance(refused, Refused)
    assert refused.reason == "unreadable_reply"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty_reply"),
        (" \n ", "empty_reply"),
        ("I'm sorry, I cannot help with that.", "refused_reply"),
        ("As an AI, I do not play games.", "refused_reply"),
        ("Q: Is it in Asia?", "unreadable_reply"),
        ("Q: your question\nA: Yes or No", "unreadable_reply"),
        ("Q: <question>\nA: <answer>", "unreadable_reply"),
        ("Q:\nA:", "unreadable_reply"),
        ("A: its answer", "unreadable_reply"),
        ("The secret is hiding somewhere.", "unreadable_reply"),
        ("The answer is: nothing.", "unreadable_reply"),
        ("One line.\nAnother line.\nA third one.", "unreadable_reply"),
        ("word " * 40, "unreadable_reply"),
        ("…", "unreadable_reply"),
        ("?", "unreadable_reply"),
    ],
)
@pytest.mark.parametrize("game", ["20q", "guess"])
def test_no_hint(reply, reason, game):
    refused = read_hint(reply, game=game)
    assert isinstance(refused, Refused)
    assert refused.reason == reason


@pytest.mark.parametrize("answer", ["Yes or No", "Yes/No", "Yes, no", "maybe", "Asia"])
def test_an_answer_that_is_neither_is_left_to_the_guard(answer):
    hint = read_hint(f"Q: Is it in Asia?\nA: {answer}", game="20q")
    assert hint == Hint(question="Is it in Asia?", answer=answer)


def test_letters_of_the_text_are_no_labels():
    assert read_hint("Q: Is vitamin A: found in it?\nA: No", game="20q") != ASIA
    assert read_hint("Q: Has it been in the U.S. a. long time?\nA: No", game="20q") == Hint(
        question="Has it been in the U.S. a. long time?", answer="No"
    )


def test_long_replies_end():
    for text in ("Q: " * 6_000, "Q: a? " * 3_000, "a: " * 6_000, "1. " * 6_000, "* " * 9_000):
        read_hint(text, game="guess")


def test_characters_that_no_file_can_hold_go():
    reply = "Q: Is it in \x1b\ud800Asia\ue000?\nA: \udfffYes"
    assert read_hint(reply, game="20q") == ASIA
