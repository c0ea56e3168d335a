from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.support.html_page import Page
from tests.support.synthetic import NASTY, STYLES, Style, hostile, report_data, synthetic
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.report import page as page_module
from turnsure.report.page import DEFINITIONS, render_html, write_report

SECTIONS = (
    "summary",
    "bins",
    "levels",
    "reliability",
    "tau",
    "scores",
    "lines",
    "transcripts",
    "about",
)


def single(**changes):
    whole = {"id": "x", "task": "t", "hints": (Hint(answer="a"),), "gold": ("g",), **changes}
    return report_data([Dialogue(**whole)], STYLES)


ODD = {
    "one turn": single(),
    "long texts": single(id="x" * 3000, task="t " * 5000, hints=(Hint(answer="w" * 9000),)),
    "right to left": single(id="שלום", task="ما هو البلد؟", hints=(Hint(answer="ישראל"),)),
    "all failed": synthetic(4, {"broken": Style(failing=1.0)}),
    "no gold": synthetic(4, {"fine": Style(gold=False)}),
    "no methods": synthetic(4, {}),
    "no dialogues": report_data([], STYLES),
    "twenty methods": synthetic(4, {f"method_{k}": Style() for k in range(20)}),
    "hostile": hostile(),
}


@pytest.fixture(scope="module")
def usual():
    return synthetic(40)


@pytest.fixture(scope="module")
def usual_page(usual):
    return Page(render_html(usual))


@pytest.fixture(scope="module")
def hostile_html():
    return render_html(ODD["hostile"])


def test_every_section_is_there_and_linked(usual_page):
    assert [attrs["id"] for attrs in usual_page.of("section")] == list(SECTIONS)
    links = usual_page.values("href")
    for section in SECTIONS:
        assert f"#{section}" in links


@pytest.mark.parametrize("data", ODD.values(), ids=ODD.keys())
def test_every_page_is_sound(data):
    page = Page(render_html(data))
    assert page.unbalanced == []
    assert [attrs["id"] for attrs in page.of("section")] == list(SECTIONS)
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for link in page.values("href"):
        assert link.startswith("#")
        assert link[1:] in ids


@pytest.mark.parametrize("data", [synthetic(5), ODD["hostile"]], ids=["usual", "hostile"])
def test_nothing_is_loaded_and_nothing_runs(data):
    page = Page(render_html(data))
    forbidden = {"script", "iframe", "object", "embed", "link", "img", "image", "base", "form"}
    assert not page.names & forbidden
    for _, attrs in page.elements:
        for name, value in attrs.items():
            assert not name.startswith("on"), name
            assert name not in {"src", "srcset", "srcdoc", "action", "xlink:href"}, name
            if name == "style":
                assert "(" not in value
            if "url(" in value:
                assert name == "clip-path"
                assert value.startswith("url(#")
    assert "@import" not in page.styles
    assert "url(" not in page.styles


def test_the_content_security_policy_is_strict_and_first(usual):
    html = render_html(usual)
    policies = [attrs["content"] for attrs in Page(html).of("meta") if "http-equiv" in attrs]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]
    assert html.index("Content-Security-Policy") < html.index("<style")


def test_nothing_but_text_comes_from_user_and_model_texts(usual_page, hostile_html):
    page = Page(hostile_html)
    assert page.names <= usual_page.names | {"a"}
    assert page.of("a", href="https://example.org/") == []
    for nasty in NASTY[:6]:
        for place in ("Question", "Hint", "Task", "Answer", "raw", "kind", "rule", "value"):
            assert f"{place} {nasty}" in page.text, (place, nasty)
    assert "49" not in re.findall(r"\d+", page.text.split("About this run")[-1])  # {{ 7 * 7 }}


def test_drawings_are_described_and_have_ids_of_their_own(usual, usual_page):
    drawings = usual_page.of("svg")
    assert len(drawings) == 4 * len(usual.evaluation.methods) + 1
    for attrs in drawings:
        assert attrs["role"] == "img"
        assert attrs["aria-label"]
        assert "viewbox" in attrs
        assert "width" not in attrs


def test_the_same_data_give_the_same_page(usual):
    assert render_html(usual) == render_html(usual)


def test_numbers_of_the_table_are_those_of_the_evaluation(usual, usual_page):
    text = re.sub(r"\s+", " ", usual_page.text)
    evaluation = usual.evaluation
    assert f"{100 * evaluation.accuracy.value:.1f} %" in text
    for method in evaluation.methods:
        assert f"{100 * method.metrics['info_ece'].value:.1f}[" in text
        assert f"{method.n_scored} / {method.n_rows}" in text
    assert "95 % cluster bootstrap, 2,000 resamples" in text
    assert "unparsable" in text


def test_reasons_stand_behind_dashes():
    page = Page(render_html(ODD["no gold"]))
    assert {"title": "not defined: no gold rows", "class": "none"} in page.of("td")
    assert "τ gold: not defined: no gold rows" in page.text


def test_failures_in_transcripts_carry_their_kind(usual_page):
    cells = [attrs for attrs in usual_page.of("td") if "score" in attrs.get("class", "")]
    notes = [attrs.get("title") for attrs in cells]
    assert "unparsable: The reply holds no number." in notes
    assert any(note and note.startswith("the labels got") for note in notes)
    bars = [attrs["style"] for attrs in usual_page.of("td") if "style" in attrs]
    assert bars
    assert all(re.fullmatch(r"--bar:\d{1,3}\.\d%", bar) for bar in bars)


def test_transcripts_are_closed_and_reachable_from_the_index(usual, usual_page):
    dialogues = usual_page.of("details", class_="dialogue")
    assert len(dialogues) == len(usual.dialogues)
    assert not any("open" in attrs for attrs in usual_page.of("details"))
    links = [link for link in usual_page.values("href") if link.startswith("#dialogue-")]
    assert len(links) == len(set(links)) == len(usual.dialogues)


def test_few_distinct_values_are_called_buckets():
    html = render_html(synthetic(40, {"coarse": Style(step=0.25)}))
    assert re.search(r"Takes only \d distinct values: treat it as \d buckets", html)


def test_the_cap_on_lines_is_told():
    whole = render_html(synthetic(200, {"fine": Style()}))
    capped = render_html(synthetic(201, {"fine": Style()}))
    assert "evenly spaced" not in whole
    assert "Drawn are 200 of 201 dialogues, evenly spaced" in capped


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("all failed", "Nothing to draw: no scored turns."),
        ("all failed", "τ is not defined for any method"),
        ("no methods", "Nothing to draw: no method was run."),
        ("no methods", "No method was run, so there is no confidence to judge."),
        ("no dialogues", "No dialogues."),
        ("one turn", "Only 1 dialogue:"),
    ],
)
def test_emptiness_is_said_in_words(name, words):
    assert words in Page(render_html(ODD[name])).text


def test_label_probes_have_a_table_only_where_there_are_any(usual_page):
    assert "mean label mass" in usual_page.text
    assert "mean label mass" not in Page(render_html(ODD["no gold"])).text


def test_foot_holds_facts_cost_and_definitions(usual, usual_page):
    for name, meaning in DEFINITIONS:
        assert name in usual_page.text
        assert meaning in usual_page.text
    assert "579,112" in usual_page.text
    assert usual.evaluation.protocol in usual_page.text
    assert usual.created in usual_page.text
    free = replace(usual, evaluation=replace(usual.evaluation, cost=None))
    assert "prompt tokens" not in Page(render_html(free)).text


def test_writing_replaces_the_file_and_leaves_nothing_else(tmp_path, usual):
    path = tmp_path / "new" / "report.html"
    assert write_report(usual, path) == path
    assert path.read_text(encoding="utf-8") == render_html(usual)
    path.write_text("old", encoding="utf-8")
    write_report(usual, str(path))
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(path.parent.iterdir()) == [path]


def test_a_page_that_cannot_be_drawn_leaves_the_old_one(tmp_path, usual, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")

    def fail(data):
        raise RuntimeError("no ink")

    monkeypatch.setattr(page_module, "figures", fail)
    with pytest.raises(RuntimeError, match="no ink"):
        write_report(usual, path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_to_is_left_clean(tmp_path, usual):
    path = tmp_path / "report.html"
    path.mkdir()
    with pytest.raises(OSError, match=r"report\.html"):
        write_report(usual, path)
    assert list(tmp_path.iterdir()) == [path]


def test_half_a_surrogate_pair_does_not_stop_the_page(tmp_path):
    data = single(hints=(Hint(answer="broken \ud83d emoji"),))
    text = write_report(data, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "broken ? emoji" in text


def test_control_characters_become_visible_marks():
    data = synthetic(3)
    first = data.dialogues[0]
    odd = replace(first, hints=(Hint(answer="a\x00\x1b[31mb\x07"), *first.hints[1:]))
    text = render_html(replace(data, dialogues=(odd, *data.dialogues[1:])))
    assert not set("\x00\x1b\x07") & set(text)
    assert "a\N{REPLACEMENT CHARACTER}" in text
