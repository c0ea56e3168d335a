"""Summaries and their guard: laws that hold for any dialogue."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.summary import (
    joined_statements,
    read_summary,
    statement_of,
    summary_prefix,
    summary_request_text,
)
from turnsure.dialogues.summary_guard import check_summary

ANY = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(str.strip)
WORDS = """is not no yes never it the a of and but , ; : . ? ! " ' “ ” ’ - ( ) 7 12 1,000 1 000 3.5
    37 million two hundred second twenty one U.S. NBA iPhone O'Neill Peru Peruvian Paris's Cats cat
    alive dead before after Is Was for 10 points É ß ﬁ İ ½"""
PIECES = st.sampled_from(WORDS.split())
ENGLISH = st.lists(PIECES, min_size=1, max_size=12).map(" ".join)
GLUED = st.lists(PIECES, min_size=1, max_size=6).map("".join)
TEXT = st.one_of(ENGLISH, GLUED, ANY)
YES_NO = st.sampled_from(["yes", "no", "Yes", "No."])
HINTS = st.builds(Hint, question=st.none() | TEXT, answer=TEXT | YES_NO)
DIALOGUES = st.builds(
    Dialogue,
    id=ANY,
    task=TEXT,
    hints=st.lists(HINTS, min_size=1, max_size=6).map(tuple),
    gold=st.lists(TEXT, min_size=1, max_size=3).map(tuple),
)

THINGS = """mammal bird engine weapon vehicle poem singer river planet building mineral flower game
    dance vegetable insect tool planetoid garment sculpture"""
NOUNS = st.lists(st.sampled_from(THINGS.split()), min_size=1, max_size=8, unique=True)


def check(summary: str, dialogue: Dialogue):
    return check_summary(
        summary, hints=dialogue.hints, gold=dialogue.gold, task=dialogue.task
    ).problems


@given(dialogue=DIALOGUES)
def test_joined_hints_never_raise_a_false_alarm(dialogue):
    assert check(joined_statements(dialogue.hints), dialogue) == ()


@given(dialogue=DIALOGUES, form=st.sampled_from(["NFC", "NFD", "NFKC"]))
def test_unicode_forms_never_raise_a_false_alarm(dialogue, form):
    assert check(unicodedata.normalize(form, joined_statements(dialogue.hints)), dialogue) == ()


@given(dialogue=DIALOGUES)
def test_the_same_input_gives_the_same_problems_and_each_says_what_it_is_about(dialogue):
    summary = statement_of(dialogue.hints[-1])
    found = check(summary, dialogue)
    assert found == check(summary, dialogue)
    for problem in found:
        assert problem.evidence or problem.kind == "empty"
        assert (problem.hint is not None) == (problem.kind in {"drops", "flips"})


def game(nouns: list[str], answers: list[bool]) -> Dialogue:
    return Dialogue(
        id="d",
        task="Name it.",
        hints=tuple(
            Hint(question=f"Is it a {noun}?", answer="yes" if is_so else "no")
            for noun, is_so in zip(nouns, answers, strict=False)
        ),
        gold=("xylophone",),
    )


def prose(nouns: list[str], answers: list[bool]) -> str:
    both = zip(nouns, answers, strict=False)
    return f"It {', '.join(f'is a {noun}' if so else f'is not a {noun}' for noun, so in both)}."


ANSWERS = st.lists(st.booleans(), min_size=8, max_size=8)


@given(nouns=NOUNS, answers=ANSWERS)
def test_prose_that_says_every_yes_and_no_passes(nouns, answers):
    assert check(prose(nouns, answers), game(nouns, answers)) == ()


@given(nouns=NOUNS, answers=ANSWERS, data=st.data())
def test_a_turned_answer_is_a_flip(nouns, answers, data):
    place = data.draw(st.integers(0, len(nouns) - 1))
    turned = [so != (i == place) for i, so in enumerate(answers)]
    assert [(one.kind, one.hint) for one in check(prose(nouns, turned), game(nouns, answers))] == [
        ("flips", place + 1)
    ]


@given(nouns=NOUNS, answers=ANSWERS, data=st.data())
def test_a_hint_left_out_is_dropped(nouns, answers, data):
    place = data.draw(st.integers(0, len(nouns) - 1))
    kept = [i for i in range(len(nouns)) if i != place]
    summary = prose([nouns[i] for i in kept], [answers[i] for i in kept]) if kept else "It exists."
    found = check(summary, game(nouns, answers))
    assert [(one.kind, one.evidence, one.hint) for one in found] == [
        ("drops", nouns[place], place + 1)
    ]


@given(
    dialogue=DIALOGUES, name=st.from_regex(re.compile(r"[A-Z][b-df-hj-np-tv-z]{9}"), fullmatch=True)
)
def test_a_name_or_a_number_from_nowhere_is_added(dialogue, name):
    joined = joined_statements(dialogue.hints)
    kinds = {one.kind for one in check(f"{joined} It met {name} and 987,654 others.", dialogue)}
    assert "adds" in kinds


@given(dialogue=DIALOGUES, gold=st.from_regex(re.compile(r"[a-z]q[b-d]{6}"), fullmatch=True))
def test_the_answer_is_seen_wherever_it_is_put(dialogue, gold):
    joined = joined_statements(dialogue.hints)
    one = replace(dialogue, gold=(gold,))
    for put in (f"{gold} {joined}", f"{joined} The {gold.upper()}’s.", f"{joined} {gold}s"):
        assert ("names_answer", gold) in [(found.kind, found.evidence) for found in check(put, one)]


@given(dialogue=DIALOGUES)
def test_a_summary_prefix_shows_the_summary_alone(dialogue):
    for turn in range(1, dialogue.n_turns + 1):
        prefix = dialogue.prefix(turn)
        joined = joined_statements(prefix.hints)
        shown = summary_prefix(prefix, joined)
        assert shown == replace(prefix, hints=(Hint(answer=joined),))
        assert "\n" not in joined


@given(hints=st.lists(HINTS, min_size=1, max_size=5))
def test_the_request_holds_every_hint_on_a_line(hints):
    lines = summary_request_text(hints).split("\n")
    assert [line for line in lines if line.startswith("- ")] == [
        f"- {statement_of(hint)}" for hint in hints
    ]


@given(reply=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_what_is_read_is_one_line_and_reads_the_same_again(reply):
    read = read_summary(reply)
    if isinstance(read, str):
        assert read == " ".join(read.split())
        assert any(letter.isalnum() for letter in read)
    else:
        assert (read.kind, read.raw) == ("empty", reply)
