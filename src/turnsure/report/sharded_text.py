"""Sharded instructions, for the terminal and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnsure.core.grid import Grid, Tables
from turnsure.core.results import MetricResult
from turnsure.core.sharded import ShardedResult
from turnsure.core.tested import Found
from turnsure.report.bullets import bulleted
from turnsure.report.grid_markdown import tables_markdown
from turnsure.report.text import count
from turnsure.report.text_grid import gap_text, shown, text_grid

if TYPE_CHECKING:
    from rich.console import RenderableType


def sharded_grids(result: ShardedResult) -> tuple[Grid, ...]:
    """One line a version, and one a drop."""
    versions = text_grid(
        "versions",
        "How well each version is solved",
        ("Version",),
        ("mean %", "aptitude (A90) %", "unreliability (U) %", "failed", "no answer"),
        [
            (
                name,
                shown(scores.mean, "percent"),
                shown(scores.aptitude, "percent"),
                shown(scores.unreliability, "percent"),
                f"{result.n_failed[name]:,}",
                f"{result.n_no_answer[name]:,}",
            )
            for name, scores in result.versions.items()
        ],
    )
    drops = text_grid(
        "drops",
        "What is lost from the full task (full − version, in points)",
        ("To",),
        ("mean", "of the mean, %", "aptitude", "unreliability"),
        [
            (
                name,
                gap_text(drop.mean),
                shown(drop.relative, "percent"),
                gap_text(drop.aptitude),
                gap_text(drop.unreliability),
            )
            for name, drop in result.drops.items()
        ],
    )
    return (versions, drops) if result.drops else (versions,)


def sharded_notes(result: ShardedResult) -> tuple[str, ...]:
    """What the numbers are, and the findings in words."""
    counted = {
        "final": "The answer of the last reply counts.",
        "any": "A right answer at any turn counts.",
    }[result.scoring]
    found = [_lost(name, drop.mean) for name, drop in result.drops.items()]
    return (
        *found,
        f"{counted} A90 is the 90th percentile of a task's runs and U the 90th less the 10th, both "
        "averaged over tasks; intervals come from a bootstrap over tasks.",
        *(
            f"{name}: {count(n, 'run')} came to no end and count nowhere."
            for name, n in result.n_failed.items()
            if n
        ),
    )


def sharded_terminal(result: ShardedResult) -> RenderableType:
    """For a rich console."""
    from rich.console import Group

    from turnsure.report.grid_terminal import tables_terminal

    return Group(
        tables_terminal(Tables(grids=sharded_grids(result))), bulleted(sharded_notes(result))
    )


def sharded_markdown(result: ShardedResult) -> str:
    """The same as Markdown."""
    return tables_markdown(Tables(grids=sharded_grids(result), notes=sharded_notes(result)))


def _lost(version: str, found: Found) -> str:
    if not isinstance(found, MetricResult):
        return f"Whether {version} is harder than full cannot be told: {found.reason}."
    if found.interval is None and found.value == 0.0:
        return f"On these tasks the {version} version is solved exactly as well as the full one."
    if found.interval is None or found.interval.low <= 0.0 <= found.interval.high:
        return f"Whether {version} is harder than full cannot be told from these tasks."
    word = "harder" if found.value > 0.0 else "easier"
    return f"The {version} version is {word} than the full one, by {gap_text(found)} points."
