"""Sentences as a list for the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from turnsure.report.text import printable

if TYPE_CHECKING:
    from rich.console import RenderableType


def bulleted(sentences: Iterable[str]) -> RenderableType:
    """Each with a bullet, under which nothing else stands, however often it is wrapped."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1, 0, 0))
    for sentence in sentences:
        grid.add_row("•", Text(printable(sentence)))
    return Padding(grid, (0, 0, 0, 1), expand=False)
