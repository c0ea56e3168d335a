"""Whatever intervals and p-values come out, a sentence says what the verdict beside it says."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.support.effects import (
    UNDEFINED,
    change,
    format_effects,
    format_row,
    placebo_row,
    supplied_row,
)
from turnsure.core.tested import LEAST_DIALOGUES
from turnsure.report.readings import confidence_sentences, placebo_sentence
from turnsure.report.readings_questions import supplied_sentence

LATTICE = [k / 200 for k in range(-24, 25)]
"""From −12 to 12 points in steps of half a point, so that bounds meet 0 and the margins often."""

OPEN = (
    r"cannot be told from these data \(n = 40 turns of (\d+) dialogues?\)\.$|^allows no comparison"
)


SIZES = st.sampled_from([1, LEAST_DIALOGUES - 1, LEAST_DIALOGUES, 12])


@st.composite
def changes(draw, sizes=SIZES):
    low, value, high = sorted(draw(st.tuples(*[st.sampled_from(LATTICE)] * 3)))
    bounds = (low, high) if draw(st.integers(0, 9)) else (None, None)
    n = draw(sizes)
    p = draw(st.sampled_from([0.0005, 0.049, 0.05, 0.4]))
    return change(value, *bounds, p=p, n_dialogues=n)


tested = st.one_of(changes(), st.just(UNDEFINED))


def said(text: str, patterns: dict[str, str]) -> str:
    """The only class of sentence that a text belongs to."""
    [found] = [name for name, pattern in patterns.items() if re.search(pattern, text)]
    return found


def check(sentence, verdict: str, patterns: dict[str, str], tested_change) -> None:
    assert said(sentence.text, {**patterns, "open": OPEN}) == verdict
    assert sentence.decided == (verdict != "open")
    if verdict != "open":
        assert tested_change.change.n_dialogues >= LEAST_DIALOGUES


three_states = SIZES.flatmap(lambda n: st.tuples(*[changes(st.just(n))] * 3))
"""All three changes are about the same turns, and so about the same dialogues."""


@given(three_states | st.just((UNDEFINED,) * 3))
def test_placebo_sentences_say_what_the_diagnosis_says(states):
    information, placebo, separation = states
    row = placebo_row(information=information, placebo=placebo, separation=separation)
    sentence = placebo_sentence(row, tolerance=0.02)
    ends = {
        "information": r"higher after real hints than after placebos.*: it follows information\.$",
        "turns": r"^rose by .*: it follows the number of turns\.$",
        "mixed": r"^rose by .* higher still .*: it follows both information and the number",
        "neither": r"^differs by less than 2\.0 points",
        "against": r"lower after real hints than after placebos: it goes against information\.$",
    }
    if UNDEFINED in (placebo, separation):
        assert sentence.text.startswith("allows no comparison")
        return
    check(sentence, row.diagnosis, ends, separation)
    if "lower after real hints" in sentence.text:
        assert separation.falls
    if re.search("(rose|fell) by .* on placebos", sentence.text):
        assert placebo.rises or placebo.falls


@given(tested)
def test_format_sentences_say_what_the_verdict_says(confidence):
    row = format_row(confidence)
    [sentence] = confidence_sentences(format_effects(row))
    starts = {"passed": r"^moves by less than 5\.0 points", "failed": r"^(rose|fell) by "}
    check(sentence, row.verdict, starts, confidence)
    if row.verdict == "failed":
        assert sentence.text.startswith("rose") == confidence.rises


@given(tested)
def test_sentences_on_wrong_answers_say_what_the_verdict_says(gap):
    row = supplied_row(gap)
    sentence = supplied_sentence(row, tolerance=0.05)
    ends = {"passed": r": it tells them apart\.$", "failed": "it prefers what is wrong|nearly the"}
    check(sentence, row.verdict, ends, gap)
    if "prefers what is wrong" in sentence.text:
        assert gap.falls
    if "it tells them apart" in sentence.text:
        assert gap.rises


@given(tested)
def test_what_is_not_judged_is_called_neither_right_nor_wrong(gap):
    row = supplied_row(gap, "remaining")
    sentence = supplied_sentence(row, tolerance=0.05)
    assert row.verdict is None
    assert not re.search("wrong|tells|prefers", sentence.text)
    ways = {"more": "points.* more than", "less": "points.* less than c", "near": "nearly the"}
    found = said(sentence.text, {**ways, "open": OPEN})
    assert sentence.decided == (found != "open")
    assert (found == "more", found == "less") == (gap.rises, gap.falls)
