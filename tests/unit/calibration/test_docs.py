"""The examples of maps and of tests for drift in ``docs/`` are programs that work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from turnsure import registry

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize(
    ("page", "begins", "expected"),
    [
        ("calibrating.md", "from turnsure.calibration import", ["[ True]", "raw 0.5", "platt 0.4"]),
        ("watching.md", "from turnsure import calibration", ["Coefficient(value="]),
    ],
)
def test_an_example_runs(page, begins, expected, capsys):
    text = (DOCS / page).read_text(encoding="utf-8")
    [code] = [one for one in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if begins in one]
    exec(compile(code, page, "exec"), {})
    printed = capsys.readouterr().out
    for words in expected:
        assert words in printed


@pytest.mark.parametrize("page", ["definitions.md", "calibrating.md"])
def test_every_map_is_named(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    names = set(registry.names("maps")) - {"identity"}
    assert {name for name in names if f"`{name}`" in text} == names
