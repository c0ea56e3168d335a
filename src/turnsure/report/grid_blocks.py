"""The parts that a table in the terminal is put together from: blocks of one column each."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from turnsure.core.grid import Grid, GridCell, GridRow
from turnsure.report.grid import cell_text, heading_lines, label_texts
from turnsure.report.text import printable

if TYPE_CHECKING:
    from rich.text import Text

_GAP = 2
_LONGEST_LABEL = 48
_LONGEST_GROUP_WORD = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A column.

    Attributes
    ----------
    group
        Heading that it shares with neighbours; empty for none.
    heading
        Lines of its own heading.
    cells
        Lines of each row.
    width
        Of the widest line, in character cells.
    is_number
        Whether it is set flush right.
    """

    group: str = ""
    heading: tuple[str, ...]
    cells: tuple[tuple[Text, ...], ...]
    width: int
    is_number: bool

    @property
    def span(self) -> int:
        """Width with the gap before the next column."""
        return self.width + _GAP


def label_blocks(
    headings: Sequence[str], rows: Sequence[GridRow], *, n_above: int, width: int | None
) -> list[Block]:
    """The names of the rows, folded, but for the first ones, which stand above the rows."""
    from rich.text import Text

    def folded(name: str) -> tuple[Text, ...]:
        lines = textwrap.wrap(name, width or _LONGEST_LABEL, break_on_hyphens=False)
        return tuple(map(Text, lines or [""]))

    labels = label_texts(rows)
    return [
        _block((headings[place],), [folded(names[place]) for names in labels])
        for place in range(n_above, len(headings))
    ]


def number_blocks(grid: Grid, with_interval: bool) -> list[Block]:
    """The numbers, each column wide enough for its share of the group's name."""
    blocks: list[Block] = []
    for place, column in enumerate(grid.columns):
        group = printable(column.group)
        n = sum(printable(one.group) == group for one in grid.columns)
        words = min(max(map(len, group.split()), default=0), _LONGEST_GROUP_WORD)
        name, unit = heading_lines(column)
        blocks.append(
            _block(
                (*name.split(" "), unit) if unit else tuple(name.split(" ")),
                [_lines(row.cells[place], with_interval=with_interval) for row in grid.rows],
                group=group,
                at_least=-(-(words - _GAP * (n - 1)) // n),
                is_number=True,
            )
        )
    return blocks


def remark_blocks(grid: Grid) -> list[Block]:
    """The closing words of the rows."""
    from rich.text import Text

    return [
        _block(
            tuple(name.split(" ", 1)),
            [(Text(row.remarks[place]),) for row in grid.rows],
            is_number=True,
        )
        for place, name in enumerate(grid.remark_headings)
    ]


def drawn(blocks: Sequence[Block], sections: Sequence[tuple[str, ...]]) -> Iterator[Text]:
    """Lines of a table.

    Parameters
    ----------
    blocks
        Columns, from the left.
    sections
        For each row the names that stand on a line above it, where they differ from those of the
        row before.
    """
    from rich.text import Text

    for line in _group_lines(blocks):
        yield Text(line.rstrip(), style="bold")
    height = max(len(block.heading) for block in blocks)
    for line in range(height):
        texts = [Text(_at_foot(block.heading, height)[line]) for block in blocks]
        yield _joined(blocks, texts, style="bold")
    width = sum(block.span for block in blocks) - _GAP
    yield Text(" " + "─" * width)
    above: tuple[str, ...] | None = None
    for row, section in enumerate(sections):
        if section and section != above:
            name = Text(f" {' · '.join(map(printable, section))} ", style="bold")
            yield name.append("┄" * max(0, width + 1 - name.cell_len), style="not bold dim")
        above = section
        for line in range(max(len(block.cells[row]) for block in blocks)):
            texts = [
                block.cells[row][line] if line < len(block.cells[row]) else Text("")
                for block in blocks
            ]
            yield _joined(blocks, texts)


def _block(
    heading: tuple[str, ...],
    cells: list[tuple[Text, ...]],
    *,
    group: str = "",
    at_least: int = 0,
    is_number: bool = False,
) -> Block:
    from rich.cells import cell_len

    widths = [*map(cell_len, heading), *(text.cell_len for lines in cells for text in lines)]
    return Block(
        group=group,
        heading=heading,
        cells=tuple(cells),
        width=max(at_least, *widths),
        is_number=is_number,
    )


def _lines(cell: GridCell | None, *, with_interval: bool) -> tuple[Text, ...]:
    from rich.text import Text

    shown = cell_text(cell)
    lines = [Text(f"{shown.value}*", style="bold") if shown.marked else Text(shown.value)]
    if with_interval:
        small = (shown.interval, shown.p_holm)
        lines += [Text(part.replace(", ", ","), style="dim") for part in small if part is not None]
    return tuple(lines)


def _group_lines(blocks: Sequence[Block]) -> list[str]:
    """The shared headings, each over its columns, folded to their width."""
    parts: list[tuple[int, list[str]]] = []
    for group, members in groupby(blocks, lambda block: block.group):
        width = sum(block.span for block in members) - _GAP
        parts.append((width, textwrap.wrap(group, width) if group else []))
    height = max(len(lines) for _, lines in parts)
    gap = " " * _GAP
    return [
        " " + gap.join(_at_foot(lines, height)[line].center(width) for width, lines in parts)
        for line in range(height)
    ]


def _at_foot(lines: Sequence[str], height: int) -> list[str]:
    return [*[""] * (height - len(lines)), *lines]


def _joined(blocks: Sequence[Block], texts: Sequence[Text], style: str = "") -> Text:
    from rich.text import Text

    line = Text(" ", style=style)
    for block, text in zip(blocks, texts, strict=True):
        space = " " * (block.width - text.cell_len)
        line.append_text(Text.assemble(space, text) if block.is_number else text)
        line.append("" if block.is_number else space)
        line.append(" " * _GAP)
    line.rstrip()
    return line
