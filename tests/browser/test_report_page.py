from __future__ import annotations

import html
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from tests.support import controlled
from tests.support.html_page import Page
from tests.support.synthetic import hostile, synthetic
from turnsure.report.page import render_html, write_report

CHROMIUM = next(
    filter(
        None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome-stable", "chrome"))
    ),
    None,
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium binary was found"),
]


@pytest.fixture
def browse(tmp_path):
    """Open an address and return what the browser wrote to its two outputs."""

    def run(address: str, *options: str) -> tuple[str, str]:
        done = subprocess.run(
            [
                str(CHROMIUM),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--enable-logging=stderr",
                f"--user-data-dir={tmp_path / 'profile'}",
                *options,
                address,
            ],
            capture_output=True,
            check=True,
            timeout=120,
            cwd=tmp_path,
        )
        return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    return run


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    return {
        name: write_report(data, folder / f"{name}.html")
        for name, data in {"usual": synthetic(40), "hostile": hostile()}.items()
    }


def test_scripts_in_texts_stay_text(browse, pages):
    dom, _ = browse(pages["hostile"].as_uri(), "--dump-dom")
    page = Page(dom)
    assert "<title>model &lt;script&gt;" in dom
    assert not page.names & {"script", "img"}
    assert "Hint <script>document.title='owned'</script>" in page.text


def test_scripts_in_what_controls_showed_stay_text(browse, tmp_path):
    address = write_report(controlled.hostile_controls(), tmp_path / "page.html").as_uri()
    dom, complaints = browse(address, "--dump-dom")
    page = Page(dom)
    assert "<title>owned" not in dom
    assert not page.names & {"script", "img"}
    assert "Other answer <script>document.title='owned'</script>" in page.text
    assert "Content Security Policy" not in complaints


def test_such_a_script_would_run_if_it_were_not_text(browse, tmp_path):
    page = tmp_path / "control.html"
    page.write_text("<title>mine</title><p><script>document.title='owned'</script>")
    dom, _ = browse(page.as_uri(), "--dump-dom")
    assert "<title>owned</title>" in dom


def test_the_policy_stops_a_script_and_lets_the_drawings_styles_through(browse, pages, tmp_path):
    _, complaints = browse(pages["usual"].as_uri(), "--dump-dom")
    assert "Content Security Policy" not in complaints
    page = tmp_path / "broken.html"
    source = pages["usual"].read_text(encoding="utf-8")
    page.write_text(source.replace("</main>", "<script>document.title='owned'</script></main>"))
    dom, complaints = browse(page.as_uri(), "--dump-dom")
    assert "<title>owned</title>" not in dom
    assert "Content Security Policy" in complaints


def test_a_link_to_a_dialogue_opens_it(browse, pages):
    dom, _ = browse(f"{pages['usual'].as_uri()}#dialogue-3", "--dump-dom")
    opened = [k for k, attrs in enumerate(Page(dom).of("details", class_="dialogue"), start=1)
              if "open" in attrs]  # fmt: skip
    assert opened == [3]


PAGES = {
    "usual": lambda: synthetic(12),
    "hostile": hostile,
    "controls": controlled.usual,
    "hostile controls": controlled.hostile_controls,
    "nothing paired": controlled.unpaired,
}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_is_no_wider_than_the_screen(browse, tmp_path, name, width):
    data = PAGES[name]()
    opened = render_html(data).replace("<details", "<details open")
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


def test_the_screen_shows_table_and_charts(browse, pages, tmp_path):
    picture = tmp_path / "page.png"
    browse(pages["usual"].as_uri(), f"--screenshot={picture}", "--window-size=1200,4200")
    with Image.open(picture) as image:
        shown = image.convert("RGB")
    colours = {rgb: n for n, rgb in shown.getcolors(shown.width * shown.height)}
    assert len(colours) > 100
    for colour in ((0, 114, 178), (213, 94, 0), (18, 114, 124), (232, 163, 61)):
        assert colours.get(colour, 0) > 100, colour
    assert colours[(255, 255, 255)] < 0.97 * shown.width * shown.height
