"""Grids as CSV: one number a line, with everything needed to quote it."""

from __future__ import annotations

import csv
import io
import re

from turnsure.core.grid import Grid, GridCell, GridColumn, GridRow, Tables
from turnsure.core.results import MetricResult, Undefined

_NUMBER_FIELDS = (
    "group", "metric", "value", "low", "high", "level", "n_turns", "n_dialogues", "n_failed",
    "marked", "p_value", "p_holm", "undefined",
)  # fmt: skip


def tables_csv(tables: Tables) -> str:
    """All numbers of all grids; fractions, in full precision.

    ``table`` says which grid a line is of, and ``undefined`` why a number is missing.
    """
    grids = [grid for grid in tables.grids if grid.columns]
    labels = dict.fromkeys(_field(name) for grid in grids for name in grid.headings)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, ["table", *labels, *_NUMBER_FIELDS], lineterminator="\n")
    writer.writeheader()
    for grid in grids:
        for row in grid.rows:
            for column, cell in zip(grid.columns, row.cells, strict=True):
                if cell is not None:
                    writer.writerow(_record(grid, row, column, cell))
    return out.getvalue()


def _field(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", heading.casefold()).strip("_")


def _record(grid: Grid, row: GridRow, column: GridColumn, cell: GridCell) -> dict[str, object]:
    record: dict[str, object] = {
        "table": grid.key,
        **dict(zip(map(_field, grid.headings), row.labels, strict=True)),
        "group": column.group,
        "metric": cell.metric,
        "marked": int(cell.marked),
        "p_value": cell.p_value,
        "p_holm": cell.p_holm,
    }
    if isinstance(cell.result, MetricResult):
        bounds = cell.result.interval
        record |= {
            "value": cell.result.value,
            "n_turns": cell.result.n_turns,
            "n_dialogues": cell.result.n_dialogues,
            "n_failed": cell.result.n_failed,
        }
        if bounds is not None:
            record |= {"low": bounds.low, "high": bounds.high, "level": bounds.level}
    else:
        reason = cell.result.reason if isinstance(cell.result, Undefined) else "not measured"
        record["undefined"] = reason
    return record
