"""The examples of ``docs/thresholds.md`` are programs that work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[4] / "docs" / "thresholds.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(
    ("place", "expected"),
    [(0, "With 95 % confidence at most 10 % of the answers given"), (1, "always the last turn 50")],
)
def test_an_example_runs(place, expected, capsys):
    exec(compile(EXAMPLES[place], f"example {place}", "exec"), {})
    assert expected in capsys.readouterr().out


def test_there_are_no_others():
    assert len(EXAMPLES) == 2
