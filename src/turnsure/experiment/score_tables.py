"""The numbers of a file of scores, laid out as tables."""

from __future__ import annotations

from collections.abc import Sequence

from turnsure.core.errors import InputError
from turnsure.core.grid import (
    Grid,
    GridCell,
    GridColumn,
    GridRow,
    MethodScores,
    ScoreEvaluation,
    Tables,
)
from turnsure.core.results import MetricResult
from turnsure.core.turns import PLAIN
from turnsure.experiment.evaluate import METHOD_METRICS
from turnsure.experiment.grid_notes import missing_notes

SCORE_METRICS = tuple(name for name in METHOD_METRICS if name not in ("mean_confidence",))
"""Metrics of the table, in order; accuracy stands before them."""


def score_tables(evaluation: ScoreEvaluation) -> Tables:
    """All rows, the common rows where coverage differs, and how InfoECE moves with its bins.

    Lines on which nothing was scored are left out, and so is the metric of the gold answer where no
    row is about it.
    """
    shown = [one for one in evaluation.groups if one.n_scored]
    if not shown:
        raise InputError(
            "no row has both a confidence and an outcome",
            file=evaluation.source,
            expected="one row or more with both",
        )
    names = [name for name in SCORE_METRICS if name != "kendall_tau_gold" or _has_gold(shown)]
    grids = [_grid("scores", "All turns", shown, names)]
    if evaluation.common:
        title = "Common turns only: those that every method of a model and data set scored"
        common_names = [name for name in names if name != "kendall_tau_gold"]
        grids.append(_grid("common", title, evaluation.common, common_names))
    if any(one.sensitivity for one in shown):
        grids.append(_sensitivity(shown))
    return Tables(grids=tuple(grids), notes=(*evaluation.notes, *missing_notes(grids[0])))


def _has_gold(scores: Sequence[MethodScores]) -> bool:
    return any(isinstance(one.metrics["kendall_tau_gold"], MetricResult) for one in scores)


def _grid(key: str, title: str, scores: Sequence[MethodScores], names: Sequence[str]) -> Grid:
    headings, ordered = _labelled(scores)
    return Grid(
        key=key,
        title=title,
        headings=headings,
        columns=tuple(GridColumn(group="", metric=name) for name in ("accuracy", *names)),
        rows=tuple(
            GridRow(
                labels=labels,
                cells=(
                    GridCell(metric="accuracy", result=one.accuracy),
                    *(GridCell(metric=name, result=one.metrics[name]) for name in names),
                ),
                remarks=(_scored(one),),
            )
            for labels, one in ordered
        ),
        remark_headings=("scored / rows",),
    )


def _scored(scores: MethodScores) -> str:
    """How many rows are scored, and of how many where that is not all."""
    scored = f"{scores.n_scored:,}"
    return scored if scores.n_scored == scores.n_rows else f"{scored} / {scores.n_rows:,}"


def _sensitivity(scores: Sequence[MethodScores]) -> Grid:
    headings, ordered = _labelled([one for one in scores if one.sensitivity])
    definitions = next(
        [result.definition for result in one.sensitivity if isinstance(result, MetricResult)]
        for one in scores
        if one.sensitivity
    )
    return Grid(
        key="sensitivity",
        title="InfoECE by number of bins and binning",
        headings=headings,
        columns=tuple(
            GridColumn(group=f"{one['bins']} bins, equal {one['binning']}", metric="info_ece")
            for one in definitions
        ),
        rows=tuple(
            GridRow(
                labels=labels,
                cells=tuple(GridCell(metric="info_ece", result=one) for one in scored.sensitivity),
            )
            for labels, scored in ordered
        ),
    )


def _labelled(
    scores: Sequence[MethodScores],
) -> tuple[tuple[str, ...], list[tuple[tuple[str, ...], MethodScores]]]:
    """Headings, and the numbers with their labels: by data, model and condition, then method.

    What no row names has no heading.
    """
    parts = {
        "Data": [one.data or "" for one in scores],
        "Model": [one.model or "" for one in scores],
        "Condition": [one.condition for one in scores],
        "Method": [one.method for one in scores],
    }
    empty = {"Condition": PLAIN}
    kept = [
        name
        for name, values in parts.items()
        if name == "Method" or set(values) != {empty.get(name, "")}
    ]
    rank = {name: {value: place for place, value in enumerate(dict.fromkeys(values))}
            for name, values in parts.items()}  # fmt: skip
    places = sorted(
        range(len(scores)),
        key=lambda place: [rank[name][parts[name][place]] for name in parts],
    )
    rows = [(tuple(parts[name][place] for name in kept), scores[place]) for place in places]
    return tuple(kept), rows
