"""Grids in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from turnsure.core.grid import Grid, GridCell, GridRow, Tables
from turnsure.report.grid import cell_text, group_spans, heading_lines, label_texts
from turnsure.report.text import printable, shortened

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table
    from rich.text import Text

_LABEL_WIDTH = 30
_NUMBER_WIDTH = 16
_UNBOUNDED = 10_000


def tables_terminal(tables: Tables) -> RenderableType:
    """Grids and notes as something that a rich console prints.

    Intervals stand below their numbers where there is room for them.  Where even the numbers have
    no room, the names of a row stand above one another and the columns go into several tables.
    """
    return _Tables(tables)


@dataclass(frozen=True, slots=True)
class _Tables:
    """Lays itself out for the width that the console offers."""

    tables: Tables

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.padding import Padding
        from rich.text import Text

        for grid in self.tables.grids:
            yield from _fitting(grid, console, options)
        for note in self.tables.notes:
            yield Padding(Text(f"! {printable(note)}", style="yellow"), (0, 0, 0, 1))


def _fitting(grid: Grid, console: Console, options: ConsoleOptions) -> Iterator[Table]:
    def fits(table: Table) -> bool:
        from rich.measure import Measurement

        unbounded = options.update(max_width=_UNBOUNDED)
        return Measurement.get(console, unbounded, table).maximum <= options.max_width

    for with_interval in (True, False):
        table = _table(grid, with_interval=with_interval)
        if fits(table):
            yield table
            return
    folded = _folded(grid)
    start, n = 0, len(grid.columns)
    while start < n:
        end = next(
            (end for end in range(n, start + 1, -1) if fits(_part(folded, start, end))), start + 1
        )
        yield _part(folded, start, end)
        start = end
    if not n:
        yield _table(grid, with_interval=False)


def _folded(grid: Grid) -> Grid:
    """The same grid with one label a row: what precedes the last one stands on lines above it."""
    if len(grid.headings) == 1:
        return grid
    rows: list[GridRow] = []
    above: tuple[str, ...] = ()
    for row in grid.rows:
        if row.labels[:-1] != above:
            above = row.labels[:-1]
            blank = ("",) * len(grid.remark_headings)
            nothing = (None,) * len(grid.columns)
            rows += [GridRow(labels=(name,), cells=nothing, remarks=blank) for name in above]
        rows.append(replace(row, labels=(f"  {row.labels[-1]}",)))
    return replace(grid, headings=grid.headings[-1:], rows=tuple(rows))


def _part(grid: Grid, start: int, end: int) -> Table:
    """Some of the columns, with the remarks beside the last of them."""
    is_last = end == len(grid.columns)
    part = replace(
        grid,
        columns=grid.columns[start:end],
        rows=tuple(
            replace(row, cells=row.cells[start:end], remarks=row.remarks if is_last else ())
            for row in grid.rows
        ),
        remark_headings=grid.remark_headings if is_last else (),
    )
    return _table(part, with_interval=False)


def _table(grid: Grid, *, with_interval: bool) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(printable(grid.title)),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=True,
    )
    for name in grid.headings:
        table.add_column(name, max_width=_LABEL_WIDTH, overflow="fold")
    groups = [group for group, n in group_spans(grid) for _ in range(n)]
    for column, group in zip(grid.columns, groups, strict=True):
        words = "\n".join(heading_lines(column))
        title = Text(f"{group}\n{words}" if group else words)
        table.add_column(title, justify="right", max_width=_NUMBER_WIDTH, overflow="fold")
    for name in grid.remark_headings:
        table.add_column(name, justify="right", no_wrap=True)
    for row, labels in zip(grid.rows, label_texts(grid.rows), strict=True):
        table.add_row(
            *(Text(shortened(label, 2 * _LABEL_WIDTH)) for label in labels),
            *(_number(cell, with_interval=with_interval) for cell in row.cells),
            *map(Text, row.remarks),
        )
    return table


def _number(cell: GridCell | None, *, with_interval: bool) -> Text:
    from rich.text import Text

    shown = cell_text(cell)
    text = Text(f"{shown.value}*" if shown.marked else shown.value)
    if shown.marked:
        text.stylize("bold")
    if with_interval:
        for part in (shown.interval, shown.p_holm):
            if part is not None:
                text.append(f"\n{part.replace(', ', ',')}", style="not bold dim")
    return text
