"""Why numbers are missing, in words."""

from __future__ import annotations

from turnsure.core.grid import Grid, GridCell, GridColumn, GridRow
from turnsure.core.results import MetricResult, Undefined
from turnsure.experiment.grid_notes import missing_notes


def missing(reason, metric="auroc"):
    return GridCell(metric=metric, result=Undefined(name=metric, reason=reason))


def grid(*lines):
    columns = tuple(GridColumn(group="", metric="auroc") for _ in lines[0])
    rows = tuple(GridRow(labels=("x",), cells=cells) for cells in lines)
    return Grid(key="g", title="", headings=("Method",), columns=columns, rows=rows)


def test_each_metric_has_one_sentence_with_its_first_reason():
    there = GridCell(
        metric="auroc", result=MetricResult(name="auroc", value=0.5, n_turns=1, direction="higher")
    )
    assert missing_notes(grid((there, None))) == ()
    assert missing_notes(grid((missing("all wrong"), missing("no turn", "kendall_tau")))) == (
        "auroc has no value in 1 place: all wrong.",
        "kendall_tau has no value in 1 place: no turn.",
    )
    assert missing_notes(grid((missing("all wrong"),), (missing("all right"),))) == (
        "auroc has no value in 2 places: all wrong (and the like).",
    )
