"""Sentences as a list on a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from turnsure.report.bullets import bulleted


def test_lines_that_go_on_stand_under_their_sentence_and_brackets_stay():
    console = Console(file=io.StringIO(), width=16, color_system=None)
    console.print(bulleted(["one two three four", "[bold]five"]))
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
    assert lines == [" • one two three", "   four", " • [bold]five"]
