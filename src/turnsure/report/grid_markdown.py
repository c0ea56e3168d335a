"""Grids as Markdown tables."""

from __future__ import annotations

import re

from turnsure.core.grid import Grid, GridCell, Tables
from turnsure.report.grid import cell_text, heading, label_texts
from turnsure.report.text import printable

_SPECIAL = re.compile(r"([\\|`*_\[\]<>#~$&])")


def tables_markdown(tables: Tables) -> str:
    """Every grid with its title, and the notes as a list below."""
    parts = [_grid(grid) for grid in tables.grids]
    if tables.notes:
        parts.append("\n".join(f"- {_escaped(note)}" for note in tables.notes) + "\n")
    return "\n".join(parts)


def _grid(grid: Grid) -> str:
    names = [
        *map(_escaped, grid.headings),
        *(_escaped(f"{column.group} {heading(column)}".strip()) for column in grid.columns),
        *map(_escaped, grid.remark_headings),
    ]
    n_right = len(grid.columns) + len(grid.remark_headings)
    lines = [
        f"**{_escaped(grid.title)}**",
        "",
        _line(names),
        _line(["---"] * len(grid.headings) + ["---:"] * n_right),
    ]
    for row, labels in zip(grid.rows, label_texts(grid.rows), strict=True):
        cells = [_cell(cell) for cell in row.cells]
        lines.append(_line([*map(_escaped, labels), *cells, *map(_escaped, row.remarks)]))
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(shown: GridCell | None) -> str:
    text = cell_text(shown)
    value = f"**{text.value}**" if text.marked else text.value
    return " ".join(part for part in (value, text.interval, text.p_holm) if part)


def _escaped(text: str) -> str:
    """Text that means itself: a pipe would end the cell, a star would begin emphasis."""
    return _SPECIAL.sub(r"\\\1", printable(text))
