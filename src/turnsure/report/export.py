"""The charts as files, for papers and slides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from turnsure.core.errors import InputError
from turnsure.core.evaluation import ReportData
from turnsure.report import charts_scores, charts_turns
from turnsure.report.charts import Plot
from turnsure.report.charts_controls import control_charts
from turnsure.report.charts_dots import draw
from turnsure.report.charts_ideal import confidence_and_ideal
from turnsure.report.closed_world import own_rows
from turnsure.report.svg import standalone

FORMATS = ("png", "svg")

_PIXEL_SCALE = 2.0
"""Twice the size on the screen: sharp in print at a column's width."""


def write_charts(
    data: ReportData, folder: str | Path, formats: Sequence[str] = FORMATS
) -> list[Path]:
    """Draw every chart with a panel a method and write it in each format.

    The files are named after what they show: ``confidence_by_level``, ``reliability``,
    ``kendall_tau``, ``score_distribution`` and ``trajectories``; with controls also
    ``placebo_answer``, ``placebo_gold``, ``summary_confidence``, ``summary_info_ece``, the same of
    ``joined``, ``supplied_gap`` and ``protocols_`` with a metric, as far as they have values.  With
    candidates of closed worlds there is ``confidence_and_ideal`` too.

    Parameters
    ----------
    data
        What the report is drawn from.
    folder
        Made when missing; files of the same name are replaced.
    formats
        ``"png"``, ``"svg"`` or both.

    Returns
    -------
    The paths written; none when the evaluation has no method.

    Raises
    ------
    InputError
        When a format is not one of the two; nothing is written then.
    OSError
        When the folder cannot be written to.
    """
    unknown = [kind for kind in formats if kind not in FORMATS]
    if unknown:
        raise InputError(
            f"{unknown[0]!r} is no chart format", field="formats", expected=" or ".join(FORMATS)
        )
    methods = data.evaluation.methods
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    if not methods:
        return []
    plots = {
        "confidence_by_level": charts_turns.confidence_by_level(methods),
        "reliability": charts_scores.reliability(methods),
        "kendall_tau": charts_turns.kendall_tau(methods),
        "score_distribution": charts_scores.score_distribution(methods),
        "trajectories": charts_turns.trajectories(data.table, methods),
        **_closed_world(data),
        **{
            chart.name: draw(chart, legend=True)
            for chart in control_charts(data.evaluation.controls)
        },
    }
    written: list[Path] = []
    for name, plot in plots.items():
        for kind in formats:
            path = target / f"{name}.{kind}"
            if kind == "svg":
                path.write_text(standalone(plot, key=name), encoding="utf-8")
            else:
                plot.to_png(str(path), scale=_PIXEL_SCALE)
            written.append(path)
    return written


def _closed_world(data: ReportData) -> dict[str, Plot]:
    world = data.evaluation.closed_world
    rows = () if world is None else own_rows(world)
    return {"confidence_and_ideal": confidence_and_ideal(rows)} if rows else {}
