"""The chapter about closed worlds: on the page, in files, in the terminal, and in words."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import pytest
from rich.console import Console

from tests.support import closed
from tests.support.effects import change, found
from tests.support.html_page import Page
from tests.support.synthetic import NASTY, synthetic
from turnsure.report.charts_ideal import confidence_and_ideal
from turnsure.report.closed_world import ANCHOR, own_rows
from turnsure.report.export import write_charts
from turnsure.report.page import render_html
from turnsure.report.readings_closed_world import (
    correction_sentences,
    counts,
    ideal_sentences,
    identification_sentences,
)
from turnsure.report.terminal import summary_table

SVG = "{http://www.w3.org/2000/svg}"


@cache
def usual():
    return closed.found(closed.METHODS)


@cache
def html(case="usual"):
    return render_html(closed.with_world(CASES[case]()))


CASES = {
    "usual": usual,
    "one dialogue": lambda: closed.found({"p_true": closed.flat}, 1),
    "one turn": lambda: closed.found({"p_true": closed.flat}, 2, left=(1,)),
    "no confidence": lambda: closed.found({"broken": closed.failing}, 2),
    "no methods": lambda: replace(usual(), ideals=(), identification=(), corrections=()),
    "hostile": lambda: closed.found(dict.fromkeys(NASTY, closed.flat), 2),
}


def words(page):
    return re.sub(r"\s+", " ", page.text)


def texts(sentences):
    return {(one.subject, one.aside): one for one in sentences}


def printed(data, width=100):
    out = io.StringIO()
    Console(file=out, width=width).print(summary_table(data.evaluation))
    return out.getvalue()


def test_the_chapter_stands_after_the_dialogues_and_is_linked():
    page = Page(html())
    sections = [one["id"] for one in page.of("section")]
    assert sections[sections.index(ANCHOR) - 1] == "lines"
    assert sections[sections.index(ANCHOR) + 1] == "transcripts"
    assert f"#{ANCHOR}" in page.values("href")
    assert counts(usual()) in words(page)
    assert "Distance to the ideal" in page.text
    for sentences in (ideal_sentences, identification_sentences, correction_sentences):
        for one in sentences(usual()):
            assert one.text in words(page)


@pytest.mark.parametrize("show", [render_html, printed])
def test_nothing_is_said_without_candidates(show):
    shown = show(synthetic(3))
    assert ANCHOR not in shown
    assert "candidate" not in shown
    assert "ideal" not in shown.casefold()


@pytest.mark.parametrize("case", CASES)
def test_every_page_is_sound(case):
    page = Page(html(case))
    assert page.unbalanced == []
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert not page.names & {"script", "img"}
    assert "nan" not in page.text.casefold().split()


def test_a_panel_a_method_and_one_without_values():
    page = Page(html())
    labels = [one.get("aria-label", "") for one in page.of("svg")]
    drawn = [label for label in labels if "mean confidence and ideal" in label]
    assert len(drawn) == len(closed.METHODS) - 1
    assert "Nothing to draw: no scored turns." in page.text


def test_both_lines_are_drawn_and_the_ideal_is_dashed():
    rows = own_rows(usual())
    root = ElementTree.fromstring(confidence_and_ideal(rows).to_svg())
    shown = {"".join(node.itertext()).strip() for node in root.iter(f"{SVG}text")}
    assert {"mean confidence", "ideal", *closed.METHODS, "12", "no scored turns"} <= shown
    alone = confidence_and_ideal(rows[:1], panels=False).to_svg()
    assert alone.count("stroke-dasharray") == 1


def test_the_chart_is_written_as_a_file(tmp_path):
    written = write_charts(closed.with_world(CASES["one turn"]()), tmp_path, ["svg"])
    assert "confidence_and_ideal.svg" in {path.name for path in written}


def test_corrections_have_a_table_only_where_there_are_any():
    assert "when a correction widens" in html()
    assert "when a correction widens" not in html("one turn")
    assert "falls at" in printed(closed.with_world(usual()))
    assert "falls at" not in printed(closed.with_world(CASES["one turn"]()))


@pytest.mark.parametrize("width", [100, 80])
def test_the_terminal_has_a_line_a_method(width):
    shown = printed(closed.with_world(usual()), width)
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown
    below = shown[shown.index("Against the known candidates") :]
    line = next(one for one in below.splitlines() if "vanilla_verb" in one)
    assert line.split() == ["vanilla_verb", "27.1", "+2.1", "50.0", ".500", "✗", "failed"]
    broken = next(one for one in below.splitlines() if "broken" in one)
    assert broken.split() == ["broken", "—", "—", "—", "—", "?", "open"]
    assert counts(usual()) in below


def test_names_cannot_steer_the_terminal():
    shown = printed(closed.with_world(CASES["hostile"]()))
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_what_is_left_out_is_counted():
    world = replace(usual(), n_without=1, n_unnamed=2, n_ungraded=1)
    assert counts(world) == (
        "One candidate remains at 12 of 48 turns of 12 dialogues. 1 dialogue without candidates is "
        "left out here. At 2 turns the answer names no candidate: its ideal is 0. At 1 turn there "
        "is no answer that could be graded, and so no ideal."
    )


IDEAL_ROW = next(row for row in usual().ideals if row.method == "vanilla_verb")


@pytest.mark.parametrize(
    ("distance", "bias", "said", "decided"),
    [
        (found(0.01, 0.0, 0.019), found(0.0, -0.001, 0.001),
         "keeps to the ideal: on average they differ by less than 2.0 points [0.0, 1.9].", True),
        (found(0.2, 0.1, 0.3), found(0.1, 0.05, 0.15),
         "is 20.0 points [10.0, 30.0] from the ideal on average, and all in all 10.0 points "
         "[5.0, 15.0] above it: it is surer than the hints justify.", True),
        (found(0.2, 0.1, 0.3), found(-0.1, -0.15, -0.05),
         "is 20.0 points [10.0, 30.0] from the ideal on average, and all in all 10.0 points "
         "[5.0, 15.0] below it: it is less sure than the hints justify.", True),
        (found(0.2, 0.1, 0.3), found(0.0, -0.01, 0.01),
         "is 20.0 points [10.0, 30.0] from the ideal on average, above it as much as below: the "
         "mean differs by less than 2.0 points [−1.0, 1.0].", True),
        (found(0.2, 0.1, 0.3), found(0.02, -0.1, 0.1),
         "may be surer or less sure than the hints justify: which of them cannot be told from "
         "these data (n = 40 turns of 12 dialogues).", False),
        (found(0.2, 0.1, 0.3, n_dialogues=5), found(0.1, 0.05, 0.15, n_dialogues=5),
         "may be surer or less sure than the hints justify: which of them cannot be told from "
         "these data (n = 40 turns of 5 dialogues).", False),
    ],
)  # fmt: skip
def test_what_is_said_of_the_ideal(distance, bias, said, decided):
    row = replace(IDEAL_ROW, distance=distance, bias=bias)
    [one] = ideal_sentences(replace(usual(), ideals=(row,)))
    assert (one.text, one.decided) == (said, decided)
    assert one.whole == f"vanilla_verb (own answer) {said}"


def test_what_is_said_of_identification():
    said = texts(identification_sentences(usual()))
    for method, start, decided in (
        (
            "p_true",
            "is higher where one candidate remains than where several do: AUROC 1.000",
            True,
        ),
        ("cot_verb", "is lower where one candidate remains than where several do", True),
        ("vanilla_verb", "is about the same where one candidate remains", True),
        ("self_consistency", "may or may not tell whether the answer is identified", False),
        ("broken", "allows no comparison: none of the 48 rows", False),
    ):
        one = said[method, "own answer"]
        assert one.text.startswith(start)
        assert one.decided is decided
    assert said["p_sufficient", "gold answer"].text.endswith(
        "; as a probability of that it is 0.0 points [0.0, 0.0] off (InfoECE)."
    )
    assert "InfoECE" not in said["p_true", "own answer"].text


def test_what_is_said_of_corrections():
    said = texts(correction_sentences(usual()))
    assert {method: one.text for (method, _), one in said.items()} == {
        "p_true": "fell by 33.3 points [33.3, 33.3] when a correction widened the candidates, at "
        "12 of 12 corrections; the ideal falls by 33.3 points.",
        "p_sufficient": "moves by less than 2.0 points [0.0, 0.0] at corrections, and the ideal "
        "stays where it is.",
        "vanilla_verb": "does not fall when a correction widens the candidates: it moves by less "
        "than 2.0 points [0.0, 0.0], and the ideal falls by 33.3 points.",
        "cot_verb": "rose by 40.0 points [40.0, 40.0] when a correction widened the candidates: it "
        "should not; the ideal falls by 33.3 points.",
        "self_consistency": "may or may not fall when a correction widens the candidates: this "
        "cannot be told from these data (n = 12 turns of 12 dialogues).",
        "broken": "allows no comparison: none of the 12 turns has a confidence under both "
        "conditions.",
    }
    assert [one.decided for one in said.values()] == [True, False, True, True, False, False]


def test_an_ideal_that_rises_is_said_to():
    row = replace(usual().corrections[0], change=change(-0.2, -0.3, -0.1), ideal=found(0.1))
    [one] = correction_sentences(replace(usual(), corrections=(row,)))
    assert one.text.endswith("the ideal rises by 10.0 points.")
