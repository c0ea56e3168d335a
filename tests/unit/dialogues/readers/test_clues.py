"""Sentences as clues."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsure.dialogues.readers.clues import clue_text, sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("It rains. It snows! Does it?", ["It rains.", "It snows!", "Does it?"]),
        ("He said “No.” Then he left.", ["He said “No.”", "Then he left."]),
        ("It was built by Dr. Smith. It fell.", ["It was built by Dr. Smith.", "It fell."]),
        ("J. R. R. Tolkien wrote it. Name it.", ["J. R. R. Tolkien wrote it.", "Name it."]),
        ("The U.S. Senate met. It voted.", ["The U.S. Senate met.", "It voted."]),
        ("It costs 3.50 euros. 10 people paid.", ["It costs 3.50 euros.", "10 people paid."]),
        ("It ends. (*) For 10 points, name it.", ["It ends.", "(*) For 10 points, name it."]),
        ("Wait ... for it. Ja.", ["Wait ... for it.", "Ja."]),
        ("Es regnet. Über Nacht auch.", ["Es regnet.", "Über Nacht auch."]),
        ("这是一。这是二！", ["这是一。", "这是二！"]),
        ("one\nline.  Two\tlines", ["one line.", "Two lines"]),
        (
            "Op. 5 No. 6 came. He said no. It ended.",
            ["Op. 5 No. 6 came.", "He said no.", "It ended."],
        ),
        ("no mark", ["no mark"]),
        ("", []),
        (" \n", []),
    ],
)
def test_sentences(text, parts):
    assert sentences(text) == parts


@given(st.text(st.sampled_from("aB .?!\n“”()*。Dr3"), max_size=80))
def test_no_word_is_lost(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "clue"),
    [
        ("a (*) b", "a b"),
        ("a ( * ) b", "a b"),
        ("(*) b\n c", "b c"),
        ("M*A*S*H (1)", "M*A*S*H (1)"),
    ],
)
def test_the_power_mark_goes(text, clue):
    assert clue_text(text) == clue
