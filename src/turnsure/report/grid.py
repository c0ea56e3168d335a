"""Grids as words: headings and cells, shared by every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from turnsure.core.grid import Grid, GridCell, GridColumn, GridRow
from turnsure.report.summary import COLUMNS, Column, cell
from turnsure.report.text import number, printable

_ACCURACY = Column(key="accuracy", heading="Accuracy", unit="percent", arrow="↑")
_KNOWN = {column.key: column for column in (_ACCURACY, *COLUMNS)}

_P_SHOWN = 0.001
"""Smaller p-values are shown as smaller than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellText:
    """A number as text; the parts that it lacks are None."""

    value: str
    interval: str | None = None
    p_holm: str | None = None
    marked: bool = False


def column_of(metric: str) -> Column:
    """Heading, unit and better side of a metric."""
    return _KNOWN[metric]


def heading_lines(column: GridColumn) -> tuple[str, str]:
    """What a column holds, and below it unit and better side: ``InfoECE``, ``% ↓``."""
    known = column_of(column.metric)
    unit = "% " if known.unit == "percent" else ""
    return known.heading, f"{unit}{known.arrow}".rstrip()


def heading(column: GridColumn) -> str:
    """The same on one line."""
    return " ".join(heading_lines(column)).rstrip()


def group_spans(grid: Grid) -> tuple[tuple[str, int], ...]:
    """Headings over neighbouring columns, with how many columns each covers."""
    groups = groupby(printable(column.group) for column in grid.columns)
    return tuple((group, len(list(columns))) for group, columns in groups)


def cell_text(shown: GridCell | None) -> CellText:
    """A cell; nothing at all where nothing belongs."""
    if shown is None:
        return CellText(value="")
    text = cell(shown.result, column_of(shown.metric).unit)
    p_holm = None
    if shown.p_holm is not None:
        small = shown.p_holm < _P_SHOWN
        p_holm = f"p < {number(_P_SHOWN, 'fraction')}" if small else f"p = {_p(shown.p_holm)}"
    return CellText(value=text.value, interval=text.interval, p_holm=p_holm, marked=shown.marked)


def label_texts(rows: Sequence[GridRow]) -> list[tuple[str, ...]]:
    """The labels of each row; those that only repeat the row above are left blank."""
    found: list[tuple[str, ...]] = []
    above: tuple[str, ...] = ()
    for row in rows:
        n_same = 0
        while n_same < min(len(above), len(row.labels) - 1) and (
            above[n_same] == row.labels[n_same]
        ):
            n_same += 1
        found.append(("",) * n_same + tuple(printable(label) for label in row.labels[n_same:]))
        above = row.labels
    return found


def _p(value: float) -> str:
    return number(value, "fraction") if value < 1.0 else "1"
