"""The evaluation as words: the main table, the InfoECE table and the warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from turnsure.core.evaluation import Evaluation, LabelMass, MethodEvaluation
from turnsure.core.results import MetricResult, Undefined
from turnsure.report.text import (
    MISSING,
    Unit,
    count,
    interval,
    kinds,
    number,
    printable,
    provenance,
)

FEW_DIALOGUES = 30
"""Below this many, intervals are wide and the page says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A metric's column: key in ``MethodEvaluation.metrics``, heading, unit and better side."""

    key: str
    heading: str
    unit: Unit
    arrow: Literal["↓", "↑", ""]


COLUMNS = (
    Column(key="info_ece", heading="InfoECE", unit="percent", arrow="↓"),
    Column(key="kendall_tau", heading="τ", unit="percent", arrow="↑"),
    Column(key="kendall_tau_gold", heading="τ gold", unit="percent", arrow="↑"),
    Column(key="ece", heading="ECE", unit="percent", arrow="↓"),
    Column(key="smooth_ece", heading="smooth ECE", unit="percent", arrow="↓"),
    Column(key="brier", heading="Brier", unit="fraction", arrow="↓"),
    Column(key="auroc", heading="AUROC", unit="fraction", arrow="↑"),
    Column(key="mean_confidence", heading="mean confidence", unit="percent", arrow=""),
)

METRICS = {column.key: column for column in COLUMNS}
"""The same by key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A number as text, its interval where it has one, and where it comes from."""

    value: str
    interval: str | None
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """InfoECE of every method under every number of bins and binning."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


def cell(result: MetricResult | Undefined | None, unit: Unit) -> Cell:
    """A result, its absence with the reason, or a metric that was not computed."""
    if result is None:
        return Cell(value=MISSING, interval=None, note="not computed")
    if isinstance(result, Undefined):
        return Cell(value=MISSING, interval=None, note=provenance(result))
    bounds = None if result.interval is None else interval(result.interval, unit)
    return Cell(value=number(result.value, unit), interval=bounds, note=provenance(result))


def metric_cells(method: MethodEvaluation, columns: Sequence[Column] = COLUMNS) -> tuple[Cell, ...]:
    """One method's line of the main table."""
    return tuple(cell(method.metrics.get(column.key), column.unit) for column in columns)


def gaps(methods: Sequence[MethodEvaluation]) -> tuple[tuple[str, str, str], ...]:
    """Why values of the main table are missing, as (method, headings, reason)."""
    found: dict[tuple[str, str], list[str]] = {}
    for method in methods:
        for column, shown in zip(COLUMNS, metric_cells(method), strict=True):
            if shown.value == MISSING:
                found.setdefault((method.method, shown.note), []).append(column.heading)
    return tuple((method, ", ".join(headings), note) for (method, note), headings in found.items())


def sensitivity(methods: Sequence[MethodEvaluation]) -> Sensitivity:
    """The InfoECE table.  A heading comes from the first method whose value is defined there."""
    width = max((len(method.sensitivity) for method in methods), default=0)
    headings = ["not defined"] * width
    for method in reversed(methods):
        for place, result in enumerate(method.sensitivity):
            if isinstance(result, MetricResult):
                bins, binning = result.definition.get("bins"), result.definition.get("binning")
                headings[place] = f"{bins} bins, equal {binning}"
    return Sensitivity(
        headings=tuple(headings),
        rows=tuple(
            (method.method, tuple(cell(result, "percent") for result in method.sensitivity))
            for method in methods
        ),
    )


def warnings(evaluation: Evaluation) -> tuple[str, ...]:
    """What a reader must know before trusting the numbers, one sentence or two an item."""
    found: list[str] = []
    if evaluation.n_dialogues < FEW_DIALOGUES:
        found.append(
            f"Only {count(evaluation.n_dialogues, 'dialogue')}: the intervals are wide, and "
            "differences between methods may be chance."
        )
    if not evaluation.methods:
        found.append("No method was run, so there is no confidence to judge.")
    if evaluation.ungraded:
        n = sum(evaluation.ungraded.values())
        found.append(
            f"{count(n, 'turn')} without a graded answer ({kinds(evaluation.ungraded)}), left out "
            "of accuracy and of every metric that needs it."
        )
    for method in evaluation.methods:
        found += _failure_lines(method)
        if method.label_mass is not None:
            found += _label_lines(printable(method.method), method.label_mass)
    return tuple(found)


def _failure_lines(method: MethodEvaluation) -> list[str]:
    parts = [
        f"in the {target} answer on {count(sum(counts.values()), 'turn')} ({kinds(counts)})"
        for counts, target in ((method.failures, "own"), (method.gold_failures, "gold"))
        if any(counts.values())
    ]
    return [f"{printable(method.method)}: no confidence {', '.join(parts)}."] if parts else []


def _label_lines(method: str, mass: LabelMass) -> list[str]:
    lines: list[str] = []
    if mass.n_low:
        lines.append(
            f"{method}: on {mass.n_low:,} of {count(mass.n_turns, 'turn')} the labels got less "
            f"than half of the probability (lowest {number(mass.lowest, 'percent')} %). The model "
            "did not follow the format there; read these values with care."
        )
    if mass.n_truncated:
        lines.append(
            f"{method}: on {count(mass.n_truncated, 'turn')} a label was outside the listed top "
            "tokens, so its probability is an upper bound."
        )
    return lines
