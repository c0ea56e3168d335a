"""Tables of words in the terminal, whose cells fold where it is narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnsure.core.grid import Grid
from turnsure.report.text import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

TEXTS = frozenset(
    {
        "A broke first", "B broke first", "because", "broke first", "for example",
        "no confidence", "runs by name", "turn (runs)", "undecided",
    }
)  # fmt: skip
"""Columns of words, which are set flush left."""


def folded_table(grid: Grid) -> RenderableType:
    """A grid whose cells fold where the terminal is narrow."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=printable(grid.title),
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    for heading in grid.headings:
        table.add_column(heading, overflow="fold")
    for heading in grid.remark_headings:
        justify = "left" if heading in TEXTS else "right"
        table.add_column(heading, justify=justify, overflow="fold")
    for row in grid.rows:
        cells = [
            Text(printable(one) if heading in TEXTS else _on_lines(printable(one)))
            for heading, one in zip(grid.remark_headings, row.remarks, strict=True)
        ]
        table.add_row(*(Text(printable(one)) for one in row.labels), *cells)
    return table


def _on_lines(numbers: str) -> str:
    """Intervals, and what else stands behind a number, on lines of their own."""
    return numbers.replace(" [", "\n[").replace("; ", "\n")
