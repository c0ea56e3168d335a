"""Grids in the terminal: the fullest of several layouts that the width has room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from turnsure.core.grid import Grid, Tables
from turnsure.report.grid import heading_lines
from turnsure.report.grid_blocks import Block, drawn, label_blocks, number_blocks, remark_blocks
from turnsure.report.grid_names import short_names
from turnsure.report.text import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.text import Text

T = TypeVar("T")

_NAME_WIDTHS = tuple(range(32, 7, -1))
"""Characters that names are shortened to; the first that has room is taken."""

_NO_INTERVALS = "Intervals have no room here: --format markdown shows them."


def tables_terminal(tables: Tables) -> RenderableType:
    """Grids and notes as something that a rich console prints.

    Intervals stand below their numbers where there is room for them.  Where there is less, the
    first names of a row stand on lines of their own above the rows they share; then names are
    shortened, and listed in full below the table; last, the columns go into several tables.
    Columns without any number are left out and named.
    """
    return _Tables(tables)


@dataclass(frozen=True, slots=True)
class _Tables:
    """Lays itself out for the width that the console offers."""

    tables: Tables

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        del console
        from rich.columns import Columns
        from rich.padding import Padding
        from rich.text import Text

        lack_intervals = False
        for given in self.tables.grids:
            grid, empty = _without_empty(given)
            layout = _fitting(grid, options.max_width)
            yield Text(printable(grid.title), style="italic")
            yield from _printed(grid, layout, options.max_width)
            legend = [Text(words, style="dim") for words in _legend(grid, layout)]
            if legend:
                yield Padding(Columns(legend, padding=(0, 3)), (0, 0, 0, 1))
            if empty:
                yield Padding(Text(empty, style="dim"), (0, 0, 0, 1))
            yield Text("")
            lack_intervals = lack_intervals or not layout.with_interval
        notes = [*self.tables.notes, *([_NO_INTERVALS] if lack_intervals else [])]
        for note in notes:
            yield Padding(Text(f"! {printable(note)}", style="yellow"), (0, 0, 0, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """How a grid is drawn.

    Attributes
    ----------
    n_above
        How many of the first names stand on lines above the rows.
    name_width
        What the other names are folded to, and words longer than this shortened to; None to leave
        them whole.
    with_interval
        Whether intervals stand below their numbers.
    """

    n_above: int
    name_width: int | None
    with_interval: bool


def _fitting(grid: Grid, width: int) -> _Layout:
    """The first layout that fits, else the narrowest, whose columns go into several tables."""
    n_names = len(grid.headings)
    whole = [(n_above, None) for n_above in range(max(1, n_names - 1))]
    # Two names on a line say which row it is without looking up; one alone comes last.
    short = [(max(0, n_names - 2), size) for size in _NAME_WIDTHS]
    single = [(n_names - 1, size) for size in (None, *_NAME_WIDTHS)]
    layout = _Layout(n_above=0, name_width=None, with_interval=True)
    for with_interval in (True, False) if grid.columns else (True,):
        room = width - _span([*number_blocks(grid, with_interval), *remark_blocks(grid)])
        for n_above, size in (*whole, *short, *single):
            layout = _Layout(n_above=n_above, name_width=size, with_interval=with_interval)
            if _span(_labels(grid, layout)) <= room:
                return layout
    return layout


def _span(blocks: Sequence[Block]) -> int:
    return sum(block.span for block in blocks)


def _labels(grid: Grid, layout: _Layout) -> list[Block]:
    words = [_short_words(grid, place, layout) for place in range(len(grid.headings))]
    rows = [
        replace(
            row,
            labels=tuple(
                " ".join(short[word] for word in name.split(" "))
                for short, name in zip(words, row.labels, strict=True)
            ),
        )
        for row in grid.rows
    ]
    return label_blocks(grid.headings, rows, n_above=layout.n_above, width=layout.name_width)


def _short_words(grid: Grid, place: int, layout: _Layout) -> dict[str, str]:
    """What is shown for each word of the names under a heading; those above the rows stay whole."""
    words = [*dict.fromkeys(word for row in grid.rows for word in row.labels[place].split(" "))]
    return short_names(words, None if place < layout.n_above else layout.name_width)


def _legend(grid: Grid, layout: _Layout) -> list[str]:
    """What shortened words stand for."""
    pairs = {
        short: printable(word)
        for place in range(layout.n_above, len(grid.headings))
        for word, short in _short_words(grid, place, layout).items()
    }
    return [f"{short} = {word}" for short, word in pairs.items() if short != word]


def _without_empty(grid: Grid) -> tuple[Grid, str]:
    """The grid without the columns in which no row has a number, and words that name these."""
    has_number = [
        any(cell is not None and not cell.is_empty for cell in cells)
        for cells in zip(*(row.cells for row in grid.rows), strict=True)
    ]
    if all(has_number) or not any(has_number):
        return grid, ""

    def kept(values: Sequence[T]) -> tuple[T, ...]:
        return tuple(value for value, keep in zip(values, has_number, strict=True) if keep)

    left_out = [
        f"{printable(column.group)} {heading_lines(column)[0]}".strip()
        for column, keep in zip(grid.columns, has_number, strict=True)
        if not keep
    ]
    rows = tuple(replace(row, cells=kept(row.cells)) for row in grid.rows)
    return (
        replace(grid, columns=kept(grid.columns), rows=rows),
        f"Left out, as no line has a value: {', '.join(left_out)}.",
    )


def _printed(grid: Grid, layout: _Layout, width: int) -> Iterator[Text]:
    """One table, or several with as many of the columns as there is room for."""
    labels = _labels(grid, layout)
    sections = [row.labels[: layout.n_above] for row in grid.rows]
    parts: list[list[Block]] = [[]]
    for block in (*number_blocks(grid, layout.with_interval), *remark_blocks(grid)):
        if parts[-1] and _span([*labels, *parts[-1], block]) > width:
            parts.append([])
        parts[-1].append(block)
    for part in parts:
        yield from drawn([*labels, *part], sections)
