"""The page of a suite in a real browser."""

from __future__ import annotations

import html

import pytest

from tests.browser import test_report_page
from tests.support.html_page import Page
from tests.support.suite_reports import report, verdict
from tests.unit.report.test_suite_page import confidence, hostile
from turnsure.report.suite_page import render_suite, write_suite_page

pytestmark = test_report_page.pytestmark
browse = test_report_page.browse

RUNS = [verdict("fail"), verdict("pass", 1), verdict("error", 2)]
PAGES = {
    "usual": lambda: report({"flats": RUNS}, confidence=confidence()),
    "hostile": hostile,
}


def test_scripts_in_conversations_stay_text(browse, tmp_path):
    page = write_suite_page(hostile(), tmp_path / "page.html")
    dom, complaints = browse(page.as_uri(), "--dump-dom")
    assert "script" not in Page(dom).names
    assert "Content Security Policy" not in complaints


def test_a_mark_opens_its_conversation(browse, tmp_path):
    page = write_suite_page(PAGES["usual"](), tmp_path / "page.html")
    dom, _ = browse(f"{page.as_uri()}#run-3", "--dump-dom")
    dialogues = Page(dom).of("details", class_="dialogue")
    assert ["open" in one for one in dialogues] == [False, False, True]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_is_no_wider_than_the_screen(browse, tmp_path, name, width):
    opened = render_suite(PAGES[name]()).replace("<details", "<details open")
    frame = tmp_path / "frame.html"
    frame.write_text(
        f'<title>unmeasured</title><iframe style="width:{width}px;height:900px;border:0" '
        'onload="document.title = this.contentDocument.documentElement.scrollWidth" '
        f'srcdoc="{html.escape(opened)}"></iframe>',
        encoding="utf-8",
        errors="replace",
    )
    dom, _ = browse(frame.as_uri(), "--dump-dom")
    assert f"<title>{width}</title>" in dom
