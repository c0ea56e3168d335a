from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from tests.support.controlled import (
    CASES,
    CONTROLS,
    controlled,
    usual,
)
from tests.support.html_page import Page
from tests.support.synthetic import NASTY, synthetic
from turnsure.core.controls import ControlEffects
from turnsure.core.tested import LEAST_DIALOGUES
from turnsure.report.chapters import chapters
from turnsure.report.page import render_html
from turnsure.report.readings import placebo_counts, placebo_sentences

CHAPTERS = {
    "placebo": "control-placebo",
    "summary": "control-formats",
    "supplied": "control-supplied",
    "protocols": "control-protocols",
}


@cache
def rendered(case):
    return render_html(CASES[case]())


@pytest.fixture(scope="module")
def html():
    return rendered("usual")


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


@pytest.fixture(scope="module")
def words(page):
    return re.sub(r"\s+", " ", page.text)


def chapters_of(page):
    return [one["id"] for one in page.of("section") if one["id"].startswith("control-")]


def test_chapters_stand_between_dialogues_and_transcripts(page):
    sections = [one["id"] for one in page.of("section")]
    assert chapters_of(page) == list(CHAPTERS.values())
    place = sections.index("control-placebo")
    assert sections[place - 1] == "lines"
    assert sections[place + 4] == "transcripts"
    links = page.values("href")
    assert {f"#{anchor}" for anchor in CHAPTERS.values()} | {"#controls"} <= set(links)


def test_nothing_is_said_without_controls():
    page = Page(render_html(synthetic(3)))
    assert chapters_of(page) == []
    assert not page.of("aside", id="controls")
    assert not [link for link in page.values("href") if link.startswith("#control")]
    assert "placebo" not in page.text


@pytest.mark.parametrize("control", CONTROLS)
def test_only_the_controls_that_were_run_have_a_chapter(control):
    page = Page(render_html(controlled(4, controls=[control], resamples=20)))
    assert chapters_of(page) == [CHAPTERS[control]]
    assert len(page.of("aside", id="controls")) == 1
    linked = {link for link in page.values("href") if link.startswith("#control-")}
    assert linked == {f"#{CHAPTERS[control]}"}


@pytest.mark.parametrize("case", CASES)
def test_every_page_is_sound(case):
    page = Page(rendered(case))
    assert page.unbalanced == []
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for link in page.values("href"):
        assert link.startswith("#")
        assert link[1:] in ids
    for name, attrs in page.elements:
        assert not any(attribute.startswith("on") for attribute in attrs)
        if name in ("i", "td") and "style" in attrs:
            assert re.fullmatch(r"--bar:[\d.]+%|(color|background):#[0-9a-f]{6}", attrs["style"])


def test_what_users_and_models_wrote_stays_text(page):
    hostile = Page(rendered("hostile"))
    assert hostile.names <= page.names
    for nasty in NASTY[:6]:
        for place in ("set", "idle", "Other answer"):
            assert f"{place} {nasty}" in hostile.text, (place, nasty)
    assert sum(f"In short: {nasty}" in hostile.text for nasty in NASTY[:6]) >= 4
    assert hostile.of("a", href="https://example.org/") == []


def test_the_box_tells_what_each_method_passed_and_failed(html):
    box = Page(
        html[html.index('<aside class="controls-box"') : html.index('<section id="summary"')]
    )
    text = re.sub(r"\s+", " ", box.text)
    assert "vanilla_ verb" in text or "vanilla_verb" in text
    assert "own answer (follows the number of turns)" in text
    assert placebo_counts(usual().evaluation.controls.placebo) in text
    assert {"#control-placebo", "#control-formats", "#control-supplied"} <= set(box.values("href"))


def test_numbers_of_the_placebo_table_are_those_of_the_effects(words):
    effects = usual().evaluation.controls.placebo
    assert placebo_counts(effects) in words
    for sentence in placebo_sentences(effects):
        assert sentence.text in words
    for row in effects.rows:
        assert f"{100 * row.before:.1f}" in words
        for value, tested in (
            (row.after_information, row.information),
            (row.after_placebo, row.placebo),
        ):
            change = tested.change.value
            arrow = "↑" if change > 0 else "↓"
            sign = "+" if change > 0 else "−"
            assert f"{100 * value:.1f} ({sign}{abs(100 * change):.1f}{arrow})" in words
    assert f"first turns, which have no state before{effects.n_first_turns}" in words
    assert f"not chosen{effects.n_untested}" in words
    for kind, n in effects.failures.items():
        assert f"tested, but without a placebo: {kind}{n}" in words
    assert f"{effects.n_accuracy} turns graded in all three states" in words


def test_what_is_significant_is_marked_by_shape_and_by_a_word(html):
    chapter = html[html.index('id="control-placebo"') : html.index('id="control-formats"')]
    effects = usual().evaluation.controls.placebo
    n = sum(
        tested.significant
        for row in effects.rows
        for tested in (row.information, row.placebo, row.separation)
    )
    assert 0 < n < 3 * len(effects.rows)
    assert chapter.count('class="significant"') == n
    assert chapter.count("<small>significant</small>") == n
    assert re.search(r"\.significant \{[^}]*font-weight: 700;[^}]*underline", html)


def test_formats_tell_both_values_and_what_the_guard_did(words):
    for told in usual().evaluation.controls.formats:
        for row in told.rows:
            found = row.info_ece
            left, right = (100 * found.details[side] for side in ("left", "right"))
            assert f"{left:.1f} → {right:.1f}" in words
        assert f"turns measured{told.n_measured}" in words
        for problem, n in told.problems.items():
            assert f"problem that the guard found: {problem}{n}" in words
        for kind, n in told.failures.items():
            assert f"without a measured state: {kind}{n}" in words
        before, after = (100 * told.accuracy.details[f"mean_{end}"] for end in ("before", "after"))
        assert f"Accuracy{before:.1f} → {after:.1f}" in words
    assert "lost, new: left out" in words


def test_turns_that_read_the_same_are_counted_explained_and_not_listed(words):
    joined, _ = usual().evaluation.controls.formats
    n, n_same = joined.n_states, joined.failures["same_as_the_turn"]
    assert f"without a measured state: same_as_the_turn{n_same}" in words
    assert words.count("same_as_the_turn: told at once, the hints read exactly as they do") == 1
    assert f"10 of {n - n_same} texts, spread over the data" in words


def test_supplied_answers_are_counted_by_source(words):
    effects = usual().evaluation.controls.supplied
    for source, without in effects.n_turns_without.items():
        n = effects.n_supplied[source]
        assert f"From {source} {n} wrong answers; {without} turns without one" in words
        assert f"from {source}{n} wrong answers, {without} turns without one" in words
    for row in effects.rows:
        bounds = row.auroc.interval
        shown = [f"{value:.3f}".removeprefix("0") for value in (row.auroc.value, bounds.low)]
        n = f"{row.auroc.n_turns} turns, {row.auroc.details['n_answers']} answers"
        assert re.search(re.escape(f"{shown[0]}[{shown[1]}, ") + r"[\d.]+\]" + n, words)


def test_what_still_fits_is_told_and_not_judged(html, words):
    rows = [row for row in usual().evaluation.controls.supplied.rows if row.source == "remaining"]
    assert words.count("a fair method sets neither apart") == 1
    assert html.count(">not judged</td>") == len(rows)
    box = html[html.index('<aside class="controls-box"') : html.index('<section id="summary"')]
    assert "eliminated" in box
    assert "remaining" not in box


def test_protocols_are_compared_and_their_digests_told(words):
    effects = usual().evaluation.controls.protocols
    assert (
        "Scores of different protocols are compared here, turn by turn; they are never pooled"
        in (words)
    )
    for variant, digest in effects.protocols.items():
        assert f"{variant} protocol {digest[:12]}" in words
        assert digest not in words
    for row in effects.rows:
        found = row.differences["auroc"]
        left, right = (f"{found.details[side]:.3f}"[1:] for side in ("left", "right"))
        assert f"{left} → {right}" in words


def test_variants_that_were_not_tried_are_listed_with_the_reason(words):
    effects = usual().evaluation.controls.protocols
    assert len(effects.left_out) == 3
    listed = words.split("Variants that were not tried")[1]
    for variant, reason in effects.left_out.items():
        assert f"{variant}{reason}" in listed


def test_lists_of_what_was_shown_tell_their_total_and_link_to_the_dialogue(page, words):
    n = usual().evaluation.controls.supplied
    assert f"30 of {sum(n.n_supplied.values())} wrong answers, spread over the data" in words
    assert page.text.count("Let me think for a moment.") > 3
    details = [attrs for attrs in page.of("details") if "more" in attrs.get("class", "")]
    assert details
    assert not any("open" in attrs for attrs in details)
    assert len([link for link in page.values("href") if link.startswith("#dialogue-")]) > len(
        usual().dialogues
    )


def test_the_page_does_not_depend_on_the_order_of_sources(html):
    data = usual()
    effects = data.evaluation.controls
    rows = sorted(effects.supplied.rows, key=lambda row: row.source, reverse=True)
    turned = replace(effects, supplied=replace(effects.supplied, rows=tuple(rows)))
    assert [row.source for row in rows] != [row.source for row in effects.supplied.rows]
    again = replace(data, evaluation=replace(data.evaluation, controls=turned))
    assert render_html(again) == html


def test_a_single_dialogue_gives_means_and_leaves_all_open():
    page = Page(rendered("single"))
    assert page.of("td", class_="words verdict open")
    assert not page.of("td", class_="words verdict passed")
    assert not page.of("td", class_="words verdict failed")
    assert "Brackets: 95" not in page.text.split("number of turns?")[-1]


def test_too_few_dialogues_let_no_finding_be_told():
    found = chapters(controlled(LEAST_DIALOGUES - 1, resamples=50))
    sentences = [
        sentence
        for chapter in (found.placebo, *found.formats, found.supplied, found.protocols)
        for sentence in chapter.sentences
    ]
    assert len(sentences) > 40
    assert not [one.whole for one in sentences if one.decided]
    for one in sentences:
        assert re.search(r"of [1-5] dialogues?\)|change places|not defined", one.text)
    assert not any(standing.passed or standing.failed for standing in found.standings)


def test_undefined_changes_are_dashes_with_a_reason():
    page = Page(rendered("unpaired"))
    assert "No change could be tested." in page.text
    assert "Nothing to draw: no change is defined." in page.text
    notes = {attrs.get("title") for attrs in page.of("td", class_="none")}
    assert any(note and "tested turns has a confidence in all three" in note for note in notes)


def test_controls_that_found_no_row_say_so():
    data = usual()
    effects = data.evaluation.controls
    bare = ControlEffects(
        placebo=replace(effects.placebo, rows=(), n_tests=0),
        formats=tuple(replace(told, rows=()) for told in effects.formats),
        supplied=replace(effects.supplied, rows=()),
        protocols=replace(
            effects.protocols, protocols={}, left_out={}, rows=(), flips=(), n_pairs=0
        ),
    )
    page = Page(render_html(replace(data, evaluation=replace(data.evaluation, controls=bare))))
    assert page.unbalanced == []
    for said in ("No method was run.", "No wrong answer could be supplied.", "No variant was meas"):
        assert said in page.text
    for said in ("Variants that were not tried", "a fair method", "not judged"):
        assert said not in page.text


def test_drawings_are_described_and_the_same_data_give_the_same_page(html, page):
    assert render_html(usual()) == html
    described = [attrs["aria-label"] for attrs in page.of("svg")]
    for title in (
        "Change of the confidence in the gold answer",
        "Mean confidence and accuracy: turns and one summary",
        "InfoECE: turns and joined hints",
        "Confidence in the gold answer minus that in wrong ones",
        "AUROC under each protocol",
    ):
        assert title in described
