"""A drift report for the terminal and as Markdown: the verdict, why, and the tables behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from turnsure.calibration.drift.changes import Change, Measured
from turnsure.calibration.drift.findings import (
    AnsweredError,
    DriftReport,
    LabelledDrift,
    LabelsNeeded,
)
from turnsure.calibration.drift.monitor import Monitor
from turnsure.calibration.drift.recalibration import Coefficient, Recalibration
from turnsure.calibration.drift.shift import LARGE_SHIFT, SOME_SHIFT, Shift
from turnsure.core.digest import SHORT
from turnsure.core.grid import Grid, GridRow, Tables
from turnsure.report.bullets import bulleted
from turnsure.report.grid_markdown import tables_markdown
from turnsure.report.grid_terminal import tables_terminal
from turnsure.report.text import MISSING, count, number, p_value, printable, signed

if TYPE_CHECKING:
    from rich.console import RenderableType

_METRICS = {
    "gap": "accuracy − probability",
    "ece": "ECE",
    "brier": "Brier",
    "log_loss": "log loss",
}
_STYLE = {"ok": "bold green", "recalibrate": "bold yellow", "stop": "bold red"}


def drift_terminal(report: DriftReport) -> RenderableType:
    """Everything, for a rich console."""
    from rich.console import Group
    from rich.text import Text

    verdict = (report.verdict.upper(), _STYLE[report.verdict])
    return Group(
        Text.assemble(verdict, f"  {_subject(report)}"),
        bulleted(_sentences(report)),
        Text(""),
        tables_terminal(drift_tables(report)),
    )


def drift_markdown(report: DriftReport) -> str:
    """The same as Markdown."""
    listed = "\n".join(f"- {printable(one)}" for one in _sentences(report))
    head = f"## Drift: {report.verdict}\n\n{_subject(report)}\n\n{listed}\n"
    return f"{head}\n{tables_markdown(drift_tables(report))}"


def drift_tables(report: DriftReport) -> Tables:
    """The tables behind the verdict, and what must be known beside them."""
    grids: list[Grid] = []
    labels = report.labels
    if labels is not None:
        grids.append(_tests(report, labels))
        grids.append(_monitors(labels))
        grids.append(_changes("Against the evidence", labels.changes, _METRICS))
        if labels.slices:
            grids.append(_slices(labels))
    if report.shares:
        grids.append(_changes("What the gate does, shares of the rows", report.shares, {}))
    if report.shift is not None:
        grids.append(_shift(report.shift))
    return Tables(grids=tuple(grids), notes=report.notes)


def _subject(report: DriftReport) -> str:
    labels = report.labels
    labelled = "no labels" if labels is None else (
        f"{labels.n:,} labelled in {count(labels.n_dialogues, 'dialogue')}"
    )  # fmt: skip
    return (
        f"gate {report.gate[:SHORT]} on {printable(report.method)}: "
        f"{count(report.n_rows, 'row')} of {printable(report.source)}, {labelled}"
    )


def _sentences(report: DriftReport) -> list[str]:
    said = [*report.reasons]
    if report.protocol == "same":
        said.append("The protocol is the one that the gate was measured under.")
    if report.labels is not None and report.labels.answered is not None:
        said.append(_answered(report.labels.answered))
    return [*said, *_needed(report.needed, is_labelled=report.labels is not None)]


def _answered(answered: AnsweredError) -> str:
    bounds = answered.interval
    interval = "" if bounds is None else f" [{bounds.low:.1%}, {bounds.high:.1%}]"
    what = "first answers of dialogues" if answered.unit == "dialogue" else "answers"
    target = "" if answered.target is None else f"; the target is {answered.target:.4g}"
    return (
        f"Wrong among {answered.n:,} labelled {what}: {answered.n_wrong:,}, "
        f"{answered.n_wrong / answered.n:.1%}{interval}{target}."
    )


def _needed(needed: LabelsNeeded, *, is_labelled: bool) -> list[str]:
    said: list[str] = []
    how = f"at level {needed.alpha:g} with a probability of {needed.power:.0%}"
    if needed.rows is not None:
        effect = needed.design_effect
        alike = "" if effect <= 1.0 else f" (rows of a dialogue are alike: × {effect:.1f})"
        said.append(
            f"To notice that accuracy is {100.0 * needed.drop:.4g} points below the probability, "
            f"{how}, {count(needed.rows, 'labelled row')} are needed{alike}."
        )
    if needed.seen is not None:
        said.append(
            f"The labels at hand notice a drop of {100.0 * needed.seen:.1f} points or more."
        )
    elif needed.rows is not None and is_labelled:
        said.append("The labels at hand are too few to notice any drop.")
    if needed.answers is not None:
        said.append(
            f"To notice that the error of the answers is {100.0 * needed.drop:.4g} points above "
            f"the target, {count(needed.answers, 'labelled answer')} are needed."
        )
    return said


def _tests(report: DriftReport, labels: LabelledDrift) -> Grid:
    holm = {one.name: one.p_holm for one in report.tests}
    gap, line, answered = labels.gap, labels.line, labels.answered
    rows = [
        (
            "accuracy is as announced",
            f"{signed(gap.gap, 'percent')} points",
            gap.p_value,
            holm.get("gap"),
        )
    ]
    if isinstance(line, Recalibration):
        rows += [
            ("slope 1 and intercept 0", "", line.p_value, holm.get("line")),
            ("  slope 1", _coefficient(line.slope), line.slope.p_value, None),
            ("  intercept 0 at slope 1", _coefficient(line.large), line.large.p_value, None),
            ("  intercept 0 at this slope", _coefficient(line.intercept),
             line.intercept.p_value, None),
        ]  # fmt: skip
    else:
        rows.append((f"slope and intercept: {line.reason}", "", None, None))
    if answered is not None and answered.target is not None:
        share = f"{number(answered.n_wrong / answered.n, 'percent')} %"
        rows.append(
            (f"answers wrong ≤ {answered.target:.4g}", share, answered.p_value, holm.get("answers"))
        )
    kind = "cluster-robust" if labels.n_dialogues < labels.n else "independent rows"
    return _grid(
        "tests",
        f"Does the probability hold? ({kind})",
        "If it holds",
        ("found", "p", "corrected p"),
        [(name, (found, p_value(p), p_value(corrected))) for name, found, p, corrected in rows],
    )


def _coefficient(one: Coefficient) -> str:
    return f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]".replace("-", "−")


def _monitors(labels: LabelledDrift) -> Grid:
    rows = [("accuracy is as announced", _monitor(labels.monitor, labels.alarm_line))]
    answered = labels.answered
    if answered is not None and answered.monitor is not None:
        rows.append(
            (
                f"answers wrong ≤ {answered.target:.4g}",
                _monitor(answered.monitor, answered.alarm_line),
            )
        )
    return _grid(
        "monitors",
        "Row by row, valid at every moment (an alarm is an e-value at the limit)",
        "If it holds",
        ("units", "e-value", "largest", "limit", "alarm"),
        rows,
    )


def _monitor(one: Monitor, line: str | None) -> tuple[str, ...]:
    return (
        f"{one.n:,}", _e(one.e_value), _e(one.largest), f"{one.limit:,.4g}", line or "none"
    )  # fmt: skip


def _e(value: float) -> str:
    return f"{value:.2f}" if 0.01 <= value < 1000.0 else f"{value:.1e}"


def _changes(title: str, changes: Sequence[Change], names: dict[str, str]) -> Grid:
    rows = [
        (
            names.get(one.name, one.name),
            (
                MISSING if one.before is None else _measured(one.before),
                _measured(one.now),
                _difference(one),
            ),
        )
        for one in changes
    ]
    return _grid("changes", title, "", ("evidence", "new", "new − evidence"), rows)


def _measured(one: Measured) -> str:
    value = number(one.value, "fraction")
    if one.low is None or one.high is None:
        return value
    return f"{value} [{number(one.low, 'fraction')}, {number(one.high, 'fraction')}]"


def _difference(one: Change) -> str:
    if one.difference is None:
        return MISSING
    value = signed(one.difference, "fraction")
    if one.low is None or one.high is None:
        return value
    return f"{value} [{signed(one.low, 'fraction')}, {signed(one.high, 'fraction')}]"


def _slices(labels: LabelledDrift) -> Grid:
    rows = [
        (
            f"{one.name} {one.value}",
            (
                f"{one.n:,}",
                number(one.accuracy, "percent"),
                number(one.probability, "percent"),
                signed(one.gap, "percent"),
                f"{p_value(one.p_holm)}{' *' if one.flagged else ''}",
            ),
        )
        for one in labels.slices
    ]
    small = "" if not labels.n_small else f"; {labels.n_small:,} with too few rows left out"
    return _grid(
        "slices",
        f"Slices (in percent; * deviates{small})",
        "Slice",
        ("n", "accuracy", "probability", "gap", "corrected p"),
        rows,
    )


def _shift(shift: Shift) -> Grid:
    test = shift.test
    exact = "exact" if test.exact else "the limit for large samples"
    empty = ", ½ added to each" if shift.smoothed else ""
    return _grid(
        "shift",
        f"Scores of the evidence ({shift.n_before:,}) and new ones ({shift.n_now:,}): "
        f"Kolmogorov–Smirnov ({exact}), and stability index ({shift.n_bins} bins{empty}; by custom "
        f"{SOME_SHIFT:g} is some and {LARGE_SHIFT:g} a large shift)",
        "",
        ("distance", "p", "at score", "index", "by chance"),
        [
            (
                "scores",
                (
                    number(test.statistic, "fraction"),
                    p_value(test.p_value),
                    number(test.at, "fraction"),
                    number(shift.psi, "fraction"),
                    f"about {number(shift.by_chance, 'fraction')}",
                ),
            )
        ],
    )


def _grid(
    key: str,
    title: str,
    heading: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
) -> Grid:
    return Grid(
        key=key,
        title=title,
        headings=(heading,),
        columns=(),
        rows=tuple(GridRow(labels=(name,), cells=(), remarks=tuple(cells)) for name, cells in rows),
        remark_headings=tuple(columns),
    )
