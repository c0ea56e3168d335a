"""What is known of scores, for the terminal and as Markdown: sentences first, then tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from turnsure.core.calibration import CalibrationEvaluation
from turnsure.core.grid import Grid, Tables
from turnsure.core.results import Undefined
from turnsure.report.bullets import bulleted
from turnsure.report.calibration_grids import group_grids, overview
from turnsure.report.calibration_more_grids import cost_grid
from turnsure.report.calibration_sentences import verdict_sentences
from turnsure.report.grid_markdown import tables_markdown
from turnsure.report.grid_terminal import tables_terminal
from turnsure.report.text import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_DETAILED = 3
"""With more scores than this the terminal shows sentences for each and one table for all."""


def calibration_markdown(evaluation: CalibrationEvaluation) -> str:
    """Everything, a heading a score."""
    parts: list[str] = []
    if len(evaluation.groups) > 1:
        parts.append(_markdown(overview(evaluation)))
    for judged in evaluation.groups:
        name = printable(judged.name).replace("`", "'")
        parts.append(f"## `{name}`\n")
        parts.append(_listed(verdict_sentences(judged)))
        parts += map(_markdown, group_grids(judged).values())
    cost = evaluation.cost
    if cost is not None and not isinstance(cost, Undefined):
        parts.append(_markdown(cost_grid(cost)))
    notes = all_notes(evaluation)
    if notes:
        parts.append(_listed(notes))
    return "\n".join(parts)


def calibration_terminal(evaluation: CalibrationEvaluation) -> RenderableType:
    """The same for a rich console; of many scores only what they amount to."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = []
    many = len(evaluation.groups) > MOST_DETAILED
    for judged in evaluation.groups:
        parts.append(Text(printable(judged.name), style="bold"))
        parts.append(bulleted(verdict_sentences(judged)))
        parts.append(Text(""))
        if not many:
            grids = tuple(group_grids(judged).values())
            parts.append(tables_terminal(Tables(grids=grids)))
    last: list[Grid] = [overview(evaluation)] if len(evaluation.groups) > 1 else []
    if evaluation.cost is not None and not isinstance(evaluation.cost, Undefined):
        last.append(cost_grid(evaluation.cost))
    notes = all_notes(evaluation)
    if many:
        notes = (*notes, "The tables of every score are in --format markdown, and in -o FOLDER.")
    parts.append(tables_terminal(Tables(grids=tuple(last), notes=notes)))
    return Group(*parts)


def all_notes(evaluation: CalibrationEvaluation) -> tuple[str, ...]:
    """What must be said beside the numbers."""
    notes = [*evaluation.notes]
    if evaluation.empty:
        names = ", ".join(one.name for one in evaluation.empty)
        notes.append(f"Without any row that has both a score and a label, and left out: {names}.")
    if isinstance(evaluation.cost, Undefined):
        notes.append(f"What the signals cost is not known: {evaluation.cost.reason}.")
    return tuple(notes)


def _markdown(grid: Grid) -> str:
    return tables_markdown(Tables(grids=(grid,)))


def _listed(sentences: Sequence[str]) -> str:
    return tables_markdown(Tables(grids=(), notes=tuple(sentences)))
