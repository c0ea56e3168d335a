"""Tables whose every cell is text: what number tables of one metric a column cannot hold."""

from __future__ import annotations

from collections.abc import Sequence

from turnsure.core.grid import Grid, GridRow
from turnsure.core.results import Interval, MetricResult
from turnsure.core.tested import Found
from turnsure.report.text import MISSING, Unit, interval, number, signed


def text_grid(
    key: str,
    title: str,
    labels: Sequence[str],
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
) -> Grid:
    """A grid of text.

    Parameters
    ----------
    key, title
        Of the grid.
    labels
        Headings of the first columns, which name a row.
    headings
        Of the others.
    rows
        A text a column.
    """
    n = len(labels)
    return Grid(
        key=key,
        title=title,
        headings=tuple(labels),
        columns=(),
        rows=tuple(
            GridRow(labels=tuple(row[:n]), cells=(), remarks=tuple(row[n:])) for row in rows
        ),
        remark_headings=tuple(headings),
    )


def shown(found: Found | None, unit: Unit, *, bounds: bool = True) -> str:
    """A number, with its interval behind it."""
    if not isinstance(found, MetricResult):
        return MISSING
    return with_bounds(number(found.value, unit), found.interval if bounds else None, unit)


def with_bounds(value: str, bounds: Interval | None, unit: Unit) -> str:
    """A text with an interval behind it, where there is one."""
    return value if bounds is None else f"{value} {interval(bounds, unit)}"


def gap_text(found: Found | None, *, bounds: bool = True) -> str:
    """A difference in percentage points, with its sign."""
    if not isinstance(found, MetricResult):
        return MISSING
    return with_bounds(
        signed(found.value, "percent"), found.interval if bounds else None, "percent"
    )
