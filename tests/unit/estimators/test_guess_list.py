"""Lists of guesses as models write them."""

from __future__ import annotations

import pytest

from turnsure.estimators import guess_list
from turnsure.estimators.guess_list import MAX_LINE, find_guesses

TWO = [("Peru", "60"), ("Chile", "20%")]


def read(text):
    return [(guess.text, guess.stated) for guess in find_guesses(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Guess 1: Peru\nProbability 1: 60\nGuess 2: Chile\nProbability 2: 20%",
        "Guess 1: Peru\n\nProbability 1: 60\n\nGuess 2: Chile\n\nProbability 2: 20%\n\nDone.",
        "My list:\n**Guess 1:** Peru\n**Probability 1:** 60\n**Guess 2:** Chile\n"
        "**Probability 2:** 20%",
        "G1: Peru\nP1: 60\nG2: Chile\nP2: 20%",
        "guess #1: Peru\nprobability #1: 60\nguess #2: Chile\nprobability #2: 20%",
        "- Guess 1: Peru\n- Probability: 60\n- Guess 2: Chile\n- Probability: 20%",
        "Guess 1 - Peru\nProbability 1 - 60\nGuess 2 - Chile\nProbability 2 - 20%",
        "1. Peru (60)\n2. Chile (20%)",
        "1) Peru [60]\n2) Chile: 20%",
        "1. Peru | 60\n2. Chile 20%",
        "1. Peru - 60\n2. Chile – 20%",
        "1: Peru, 60\n2: Chile = 20%.",
        "1. Peru\n   Probability: 60\n2. Chile\n   Confidence: 20%",
        "Guess 1: Peru, Probability 1: 60\nGuess 2: Chile (Probability: 20%)",
        "Guess 1: Peru\nIt has llamas.\nProbability 1: 60\nGuess 2: Chile\nProbability 2: 20%",
    ],
)
def test_spellings_of_one_list(text):
    assert read(text) == TWO


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Guess 1: Boeing 747\nProbability 1: 60", [("Boeing 747", "60")]),
        ("Guess 1: Apollo - 11\nProbability 1: 60", [("Apollo - 11", "60")]),
        ("1. 1984 (60%)", [("1984", "60%")]),
        ("1. São Tomé and Príncipe: 0.6", [("São Tomé and Príncipe", "0.6")]),
        ("Guess 1: \\boxed{Peru}\nProbability 1: \\boxed{60}", [("\\boxed{Peru}", "\\boxed{60}")]),
        ("1. Peru (about 60%)", [("Peru", "about 60%")]),
        ("1. Peru: -5%", [("Peru", "-5%")]),
    ],
)
def test_numbers_in_names_and_odd_numbers(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize(
    "text", ["1. Peru", "Guess 1: Peru (since 1821)", "Guess 1: Peru\nProbability 1:"]
)
def test_a_guess_may_lack_its_number(text):
    [(_, stated)] = read(text)
    assert stated is None


def test_a_number_without_a_guess_belongs_to_none():
    assert read("Probability 1: 5\nGuess 1: Peru\nGuess 2: Chile\nProbability 2: 7") == [
        ("Peru", None),
        ("Chile", "7"),
    ]


@pytest.mark.parametrize("text", ["", "Peru", "80", "85.5", "Peru (80%)", "It has 3 borders."])
def test_what_is_no_list(text):
    assert read(text) == []


def test_an_endless_reply_is_not_read():
    assert read("1. Peru (60%)\n" * 10_000) == []


def test_a_long_line_is_prose_and_no_entry():
    long = "1. " + "a" * MAX_LINE
    assert read(f"{long}\n2. Chile (20%)") == [("Chile", "20%")]
    assert read(long[:MAX_LINE]) == [("a" * (MAX_LINE - 3), None)]


@pytest.mark.parametrize("piece", ["(", "– ", "- ", " ", "1 ", "p1:", "a, ", "probability "])
def test_no_line_takes_more_steps_than_the_square_of_its_length(piece, monkeypatch):
    """That is 16 million for this line; by the cube it would be 64 billion, and not end."""
    length = 4_000
    monkeypatch.setattr(guess_list, "MAX_LINE", length)
    [(guess, _)] = read(("1. x" + piece * length)[:length])
    assert guess.startswith("x")
