"""Why numbers of a grid are missing."""

from __future__ import annotations

from turnsure.core.grid import Grid
from turnsure.core.results import Undefined


def missing_notes(grid: Grid) -> tuple[str, ...]:
    """One sentence a metric that is not defined somewhere, with the first reason."""
    reasons: dict[str, list[str]] = {}
    for row in grid.rows:
        for cell in row.cells:
            if cell is not None and isinstance(cell.result, Undefined):
                reasons.setdefault(cell.metric, []).append(cell.result.reason)
    return tuple(
        f"{metric} has no value in {len(found):,} place{'' if len(found) == 1 else 's'}: {found[0]}"
        + (" (and the like)." if len(set(found)) > 1 else ".")
        for metric, found in reasons.items()
    )
