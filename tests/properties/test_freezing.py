"""Whatever people say, the card that is made of it says it again."""

from __future__ import annotations

from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from turnsure.core.conversation import Exchange
from turnsure.core.dialogue import Message
from turnsure.scenarios.card_text import read_document
from turnsure.scenarios.importing.card_yaml import card_yaml
from turnsure.scenarios.importing.conversations import Conversation
from turnsure.scenarios.importing.from_transcript import freeze
from turnsure.scenarios.importing.redaction import Redactor
from turnsure.scenarios.judge.showing import Passage, find_quote, mark_around, shown

LETTERS = st.characters(exclude_categories=["Cs"])
WORDS = st.text(LETTERS, max_size=40)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(-1e6, 1e6)
    | WORDS
    | st.sampled_from(
        [
            "no",
            "010",
            "2026-01-31",
            "~",
            "null",
            "- a",
            "&a",
            "*a",
            "!t",
            "a: b",
            "|",
            "0E0",
            "1e5",
            "-0",
        ]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), VALUES, min_size=1, max_size=4))
@settings(max_examples=120, deadline=None)
@example({"a": "\x85b\u2028\r\n", "b": {"\x85": None}})
def test_a_card_s_values_come_back_as_they_were(card):
    assert read_document(card_yaml(card, heading="Two\nlines")).value == card


@given(
    st.lists(st.text(LETTERS, min_size=1, max_size=60).filter(str.strip), min_size=1, max_size=3)
)
@settings(max_examples=60, deadline=None)
def test_the_script_says_what_was_said(said):
    talk = Conversation(
        id="talk",
        instructions="",
        exchanges=tuple(
            Exchange(
                turn=turn,
                user=Message(role="user", content=text),
                replies=(Message(role="assistant", content="Yes."),),
            )
            for turn, text in enumerate(said, start=1)
        ),
    )
    frozen = freeze(talk, redactor=Redactor(builtin=False), folder=Path("cards"))
    assert [one.say for one in frozen.scenario.reveals] == said
    assert [one.user.content for one in frozen.transcript.exchanges] == said


@given(st.lists(st.text(LETTERS, max_size=60), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_no_speaker_reaches_the_margin_or_the_mark(texts):
    said = [Passage(turn=k, speaker="user", text=text) for k, text in enumerate(texts, start=1)]
    lines = shown(said)
    margin = [line for line in lines.splitlines() if not line.startswith("    ")]
    assert margin == [f"[{k}] user" for k in range(1, len(texts) + 1)]
    assert mark_around(lines) not in lines


@given(st.text(LETTERS, max_size=60), st.data())
@settings(max_examples=100, deadline=None)
def test_a_part_of_what_was_said_is_found_in_it(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    part = text[start:end]
    said = [Passage(turn=1, speaker="assistant", text=text)]
    if (
        sum(letter.isascii() and letter.isalnum() for letter in part.strip("`")) >= 3
        and part.isascii()
    ):
        assert find_quote(part, said) is not None
    assert find_quote(f"{text} and zzz", said) is None
