"""Replies and guards on any text."""

from __future__ import annotations

import json

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from turnsure.core.built import Refused
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.hinting.guards import Position, check_hint
from turnsure.dialogues.hinting.leaks import find_leak
from turnsure.dialogues.hinting.mending import say_it
from turnsure.dialogues.hinting.reading import read_hint
from turnsure.dialogues.jsonl import dialogue_line
from turnsure.grading.normalise import normal

REPLIES = st.one_of(
    st.text(max_size=80),
    st.builds("Q: {}\nA: {}".format, st.text(max_size=30), st.text(max_size=30)),
    st.lists(
        st.sampled_from(["Q:", "A:", "?", "\n", "**", '"', "(", "yes", "no", "it", "1.", " "]),
        max_size=12,
    ).map("".join),
)
GAMES = st.sampled_from(["20q", "guess"])
WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=9)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
WELL_FORMED = st.builds(
    "Q: {}?\nA: {}".format,
    st.lists(WORDS, min_size=1, max_size=4).map(" ".join),
    st.one_of(st.sampled_from(["Yes", "No"]), WORDS),
)


@settings(max_examples=150, deadline=None)
@given(reply=REPLIES, game=GAMES)
@example(reply="Q: ?\nA: ?", game="guess")
@example(reply="\ud800", game="20q")
def test_every_reply_is_a_hint_that_can_be_written_or_a_refusal(reply, game):
    read = read_hint(reply, game=game)
    if isinstance(read, Refused):
        assert read.evidence
        return
    line = dialogue_line(Dialogue(id="d", task="t", hints=(read,), gold=("g",)))
    assert json.loads(line.encode("utf-8"))["hints"][0]["answer"] == read.answer
    assert "\n" not in (read.question or "") + read.answer


@settings(max_examples=100, deadline=None)
@given(reply=st.one_of(WELL_FORMED, WELL_FORMED, REPLIES), name=NAMES, game=GAMES)
def test_a_hint_that_is_taken_neither_names_the_secret_nor_can_be_taken_twice(reply, name, game):
    hint = read_hint(reply, game=game)
    assume(isinstance(hint, Hint))
    position = Position(names=(name,), task="Name it.", game=game, normalise=normal)
    if check_hint(hint, position) is None:
        assert name not in f"{hint.question} {hint.answer}".casefold().split("\n")[0].split()
        again = Position(
            names=(name,), task="Name it.", game=game, earlier=(hint,), normalise=normal
        )
        refused = check_hint(hint, again)
        assert refused is not None
        assert refused.reason == "repeated_hint"


@settings(max_examples=100, deadline=None)
@given(name=NAMES, before=WORDS, after=WORDS)
def test_a_name_is_seen_wherever_and_however_it_is_written(name, before, after):
    for written in (name, name.upper(), name.title(), name.replace(" ", "-"), f"{name}s"):
        assert find_leak(f"{before} {written} {after}", (name,), normal) is not None


@settings(max_examples=100, deadline=None)
@given(name=NAMES, before=WORDS, after=WORDS)
def test_mending_leaves_no_name_and_changes_nothing_else(name, before, after):
    assume(not {before, after} & set(name.split()))
    hint = say_it(Hint(question=f"{before} {name} {after}?", answer="x"), (name,))
    assert hint.question == f"{before} it {after}?"
