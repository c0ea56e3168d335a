"""The audit of a judge, for the terminal and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnsure.core.grid import Grid, Tables
from turnsure.core.judge_audit import Agreement, JudgeAudit
from turnsure.core.results import MetricResult
from turnsure.core.tested import Found
from turnsure.report.bullets import bulleted
from turnsure.report.grid_markdown import tables_markdown
from turnsure.report.text import MISSING, Unit, interval, number, signed
from turnsure.report.text_grid import text_grid

if TYPE_CHECKING:
    from rich.console import RenderableType


def audit_grid(audit: JudgeAudit) -> Grid:
    """One line a number."""
    rows = [*_agreement("judge and human", audit.with_human)]
    if audit.between_humans is not None:
        rows += _agreement("human and human", audit.between_humans)
    for name, found in (
        ("position bias", audit.position),
        ("verbosity bias", audit.verbosity),
        ("self-preference", audit.self_preference),
    ):
        rows.append((name, *_cells(found, "percent", lead=True)))
    return text_grid("audit", "Judge against people", ("What",), ("value", "interval", "n"), rows)


def audit_notes(audit: JudgeAudit) -> tuple[str, ...]:
    """What stands behind the numbers, and what cannot be told."""
    labels = {"verdict": "verdicts", "preference": "preferences"}[audit.kind]
    notes = [
        f"{audit.n_rows:,} rows of {labels}; {audit.n_no_human:,} without a human label, "
        f"{audit.n_no_judge:,} without one of the judge.",
        "Agreement in %, kappa as a fraction. A bias is how many points more than people the judge "
        "leans to what was shown first, is longer, or is its own model's.",
    ]
    named = (
        ("judge and human", audit.with_human.kappa),
        ("position bias", audit.position),
        ("verbosity bias", audit.verbosity),
        ("self-preference", audit.self_preference),
    )
    notes += [
        f"{name}: {found.reason}." for name, found in named if not isinstance(found, MetricResult)
    ]
    return tuple(notes)


def audit_terminal(audit: JudgeAudit) -> RenderableType:
    """For a rich console."""
    from rich.console import Group

    from turnsure.report.grid_terminal import tables_terminal

    return Group(tables_terminal(Tables(grids=(audit_grid(audit),))), bulleted(audit_notes(audit)))


def audit_markdown(audit: JudgeAudit) -> str:
    """The same as Markdown."""
    return tables_markdown(Tables(grids=(audit_grid(audit),), notes=audit_notes(audit)))


def _agreement(name: str, found: Agreement) -> list[tuple[str, ...]]:
    return [
        (f"{name}: agreement", *_cells(found.raw, "percent")),
        (f"{name}: kappa", *_cells(found.kappa, "fraction")),
    ]


def _cells(found: Found, unit: Unit, *, lead: bool = False) -> tuple[str, str, str]:
    if not isinstance(found, MetricResult):
        return MISSING, MISSING, f"{found.n_turns:,}"
    bounds = MISSING if found.interval is None else interval(found.interval, unit)
    shown = signed(found.value, unit) if lead else number(found.value, unit)
    return shown, bounds, f"{found.n_turns:,}"
