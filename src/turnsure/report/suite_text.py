"""A suite for the terminal and as Markdown: the verdict first, then tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnsure.core.grid import Grid, Tables
from turnsure.core.suite_confidence import AskingCost
from turnsure.core.suite_report import SuiteReport
from turnsure.report.grid_markdown import tables_markdown
from turnsure.report.suite_grids import (
    confidence_grid,
    confidence_sentences,
    cost_grid,
    cost_sentence,
    failure_grid,
    scenario_grid,
    undecided_grid,
)
from turnsure.report.suite_tables import folded_table
from turnsure.report.suite_words import cautions, headline, plain_words
from turnsure.report.text import count, printable

if TYPE_CHECKING:
    from rich.console import RenderableType

STYLES = {"passed": "bold green", "failed": "bold red"}


def suite_terminal(report: SuiteReport) -> RenderableType:
    """For a rich console."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    style = STYLES.get(report.outcome.ending, "bold yellow")
    parts: list[RenderableType] = [folded_table(scenario_grid(report))]
    for group in report.failures:
        place = "the whole conversation" if group.turn is None else f"turn {group.turn}"
        head = f"{plain_words(group.failure)}, {place}: {count(len(group.runs), 'run')}"
        parts.append(Text(printable(head), style="bold"))
        parts.append(Padding(Text(printable(group.example)), (0, 0, 0, 2), expand=False))
    for one in report.undecided:
        parts.append(Text(f"{one.verdict}: {count(len(one.runs), 'run')}", style="bold"))
        parts.append(Padding(Text(printable(one.reason)), (0, 0, 0, 2), expand=False))
    if report.failures or report.undecided:
        parts.append(Text(""))
    if report.confidence is not None:
        parts += [Text(f"• {printable(one)}") for one in confidence_sentences(report.confidence)]
        parts.append(Text(""))
    if report.result.cost is not None:
        cost = cost_grid(report.result.cost, _asking(report))
        parts += [] if cost is None else [folded_table(cost)]
        parts.append(Text(printable(cost_sentence(report.result.cost))))
    parts += [Text(f"! {printable(one)}", style="yellow") for one in cautions(report)]
    parts.append(Text(printable(headline(report)), style=style))
    return Group(*parts)


def _asking(report: SuiteReport) -> AskingCost | None:
    return None if report.confidence is None else report.confidence.cost


def suite_markdown(report: SuiteReport) -> str:
    """Everything but the transcripts."""
    grids: list[Grid] = [scenario_grid(report)]
    grids += [one for one in (failure_grid(report), undecided_grid(report)) if one is not None]
    notes = list(cautions(report))
    if report.confidence is not None:
        grids.append(confidence_grid(report.confidence))
        notes += confidence_sentences(report.confidence)
    if report.result.cost is not None:
        cost = cost_grid(report.result.cost, _asking(report))
        grids += [] if cost is None else [cost]
        notes.append(cost_sentence(report.result.cost))
    tables = tables_markdown(Tables(grids=tuple(grids), notes=tuple(notes)))
    title = f"## Test: {report.outcome.ending}\n\n"
    return f"{title}{tables_markdown(Tables(grids=(), notes=(headline(report),)))}\n{tables}"
