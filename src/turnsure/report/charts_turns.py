"""Charts of what happens as information arrives: by level, Kendall's τ, single dialogues."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from turnsure.core.confidence import Confidence
from turnsure.core.evaluation import MethodEvaluation
from turnsure.core.results import Curve, MetricResult
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.report import charts
from turnsure.report.charts import Plot

MAX_LINES = 200
"""More dialogues than this in one panel cannot be told apart."""

N_HEIGHT = -0.09
"""Where the numbers of turns stand, below the axis at 0."""


def confidence_by_level(methods: Sequence[MethodEvaluation], *, panels: bool = True) -> Plot:
    """Mean confidence and accuracy against the information level, with their bands.

    Parameters
    ----------
    methods
        At least one.
    panels
        True for a titled panel a method and a legend, False for the bare panel of one method.
    """
    labels = charts.safe_labels([method.method for method in methods])
    named = list(zip(labels, methods, strict=True))
    curves = [
        (label, what, curve)
        for label, method in named
        for what, curve in (
            ("accuracy", method.accuracy_by_level),
            ("mean confidence", method.confidence_by_level),
        )
    ]
    plot = _levels(curves, labels)
    if not panels:
        return charts.alone(plot)
    empty = [label for label, method in named if not method.confidence_by_level.points]
    return charts.in_panels(plot, labels, empty)


def accuracy_by_level(curve: Curve) -> Plot:
    """Accuracy alone against the information level, over all graded turns."""
    return charts.alone(_levels([("", "accuracy", curve)], [""]))


def _levels(curves: Sequence[tuple[str, str, Curve]], labels: Sequence[str]) -> Any:
    lp = charts.library()
    data = charts.curve_columns(curves)
    sizes = {
        (label, point.x): short(point.n) for label, _, curve in curves for point in curve.points
    }
    counts = {
        "method": [label for label, _ in sizes],
        "level": [level for _, level in sizes],
        "n": list(sizes.values()),
        "height": [N_HEIGHT] * len(sizes),
    }
    colours = [charts.ACCURACY, charts.CONFIDENCE]
    # A band over a single level has no width: there a bar shows the interval.
    bar_width = 1.1 if any(len(curve.points) == 1 for _, _, curve in curves) else 0
    return (
        charts.canvas(
            data, lp.aes("level", "share", color="what", fill="what", shape="what"), labels
        )
        + lp.geom_ribbon(
            lp.aes(ymin="low", ymax="high"), alpha=0.16, size=0, show_legend=False, na_rm=True
        )
        + lp.geom_linerange(
            lp.aes(ymin="low", ymax="high"), size=bar_width, alpha=0.5, show_legend=False
        )
        + lp.geom_line(size=1.1, na_rm=True)
        + lp.geom_point(size=3, color="white", stroke=0.8)
        + lp.geom_text(
            data=counts,
            mapping=lp.aes("level", "height", label="n"),
            size=4,
            color=charts.MUTED,
            inherit_aes=False,
        )
        + lp.scale_color_manual(colours, limits=["accuracy", "mean confidence"])
        + lp.scale_fill_manual(colours, limits=["accuracy", "mean confidence"])
        + lp.scale_shape_manual([21, 22], limits=["accuracy", "mean confidence"])
        + charts.level_axis()
        + lp.scale_y_continuous(limits=[-0.12, 1.02], breaks=charts.PERCENT_TICKS, expand=[0, 0])
        + lp.labs(x="information level")
        + charts.theme()
        + lp.theme(axis_title_y=lp.element_blank())
    )


def kendall_tau(methods: Sequence[MethodEvaluation]) -> Plot:
    """Kendall's τ of the confidence in the answer and in the gold answer, with intervals.

    A method without a value keeps its line, empty.
    """
    lp = charts.library()
    labels = charts.safe_labels([method.method for method in methods])
    rows: list[tuple[str, float, MetricResult]] = []
    for place, method in enumerate(reversed(methods)):
        for target, metric, offset in (
            ("own answer", "kendall_tau", 0.14),
            ("gold answer", "kendall_tau_gold", -0.14),
        ):
            result = method.metrics.get(metric)
            if isinstance(result, MetricResult):
                rows.append((target, place + offset, result))
    data = {
        "target": [target for target, _, _ in rows],
        "place": [place for _, place, _ in rows],
        "tau": [result.value for _, _, result in rows],
        "low": [_bounds(result)[0] for _, _, result in rows],
        "high": [_bounds(result)[1] for _, _, result in rows],
    }
    least = math.floor(4 * min([0.0, *(_bounds(result)[0] for _, _, result in rows)])) / 4
    targets = ["own answer", "gold answer"]
    return (
        lp.ggplot(data, lp.aes("tau", "place", color="target", shape="target"))
        + lp.geom_vline(xintercept=0, color=charts.MUTED, size=0.7)
        + lp.geom_segment(lp.aes(x="low", xend="high", yend="place"), size=1.1)
        + lp.geom_point(size=3.5)
        + lp.scale_color_manual([charts.ANSWER, charts.GOLD], limits=targets)
        + lp.scale_shape_manual([16, 15], limits=targets)
        + lp.scale_x_continuous(
            limits=[least - 0.03, 1.03],
            breaks={"−100": -1.0, "−50": -0.5, "0": 0.0, "50": 0.5, "100 %": 1.0},
            expand=[0, 0],
        )
        + lp.scale_y_continuous(
            limits=[-0.5, len(methods) - 0.5],
            breaks=list(range(len(methods))),
            labels=list(reversed(labels)),
            expand=[0, 0],
        )
        + lp.labs(x="Kendall's τ")
        + charts.theme()
        + lp.theme(
            axis_title_y=lp.element_blank(),
            panel_grid_major_y=lp.element_blank(),
            axis_text_y=lp.element_text(color=charts.INK, size=13),
        )
        + lp.ggsize(480, 110 + 34 * len(methods))
    )


def shown_dialogues(table: TurnsTable) -> tuple[list[str], int]:
    """Ids whose lines are drawn, evenly spaced through the data, and how many there are."""
    ids = table.select(target="answer").dialogues
    n = min(len(ids), MAX_LINES)
    return [ids[k * len(ids) // n] for k in range(n)], len(ids)


def has_lines(table: TurnsTable, method: str) -> bool:
    """Whether ``trajectories`` has anything to draw for ``method``."""
    return any(
        isinstance(row.confidence, Confidence)
        for row in table.select(target="answer", method=method).rows
    )


def trajectories(
    table: TurnsTable, methods: Sequence[MethodEvaluation], *, panels: bool = True
) -> Plot:
    """Confidence in the own answer over the information level, a line a dialogue.

    Lines are coloured by whether the last answer was right; they break where a turn has no score.
    At most ``MAX_LINES`` dialogues are drawn.
    """
    lp = charts.library()
    labels = charts.safe_labels([method.method for method in methods])
    ids = set(shown_dialogues(table)[0])
    pieces = [
        (label, end, points)
        for label, method in zip(labels, methods, strict=True)
        for end, points in _pieces(
            [
                *table.select(target="answer", method=method.method).packed.where(
                    "dialogue", ids.__contains__
                )
            ]
        )
    ]
    drawn = {label for label, _, _ in pieces}
    empty = [label for label in labels if label not in drawn]
    ends = ["last answer right", "last answer wrong", "not graded"]
    plot = (
        charts.canvas(
            _columns(pieces), lp.aes("level", "confidence", color="end", group="line"), labels
        )
        + lp.geom_line(size=0.6, alpha=0.45, sampling="none", na_rm=True)
        + lp.geom_point(size=1.3, alpha=0.45, sampling="none", show_legend=False)
        + lp.scale_color_manual([charts.RIGHT, charts.WRONG, charts.UNGRADED], limits=ends)
        + charts.level_axis()
        + lp.scale_y_continuous(limits=[-0.03, 1.03], breaks=charts.PERCENT_TICKS, expand=[0, 0])
        + lp.guides(color=lp.guide_legend(override_aes={"alpha": 1, "size": 1.5}))
        + lp.labs(x="information level")
        + charts.theme()
        + lp.theme(axis_title_y=lp.element_blank())
    )
    return charts.in_panels(plot, labels, empty) if panels else charts.alone(plot)


_Piece = tuple[str, str, list[tuple[float, float]]]


def _columns(pieces: Sequence[_Piece]) -> dict[str, list[Any]]:
    """The points of (label, colour class, points) pieces as columns."""
    rows = [
        (label, level, value, end, k)
        for k, (label, end, points) in enumerate(pieces)
        for level, value in points
    ]
    names = ("method", "level", "confidence", "end", "line")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _pieces(rows: Sequence[TurnRow]) -> list[tuple[str, list[tuple[float, float]]]]:
    """Unbroken runs of scored turns as (level, confidence) points, each with its colour class."""
    names = {True: "last answer right", False: "last answer wrong", None: "not graded"}
    pieces: list[tuple[str, list[tuple[float, float]]]] = []
    ordered = sorted(rows, key=lambda row: (row.condition, row.dialogue, row.turn))
    for _, group in groupby(ordered, key=lambda row: (row.condition, row.dialogue)):
        turns = list(group)
        end = names[turns[-1].outcome.correct]
        piece: list[tuple[float, float]] = []
        before = 0
        for row in turns:
            if not isinstance(row.confidence, Confidence):
                continue
            if piece and row.turn != before + 1:
                pieces.append((end, piece))
                piece = []
            piece.append((row.turn / row.n_turns, row.confidence.value))
            before = row.turn
        if piece:
            pieces.append((end, piece))
    return pieces


def _bounds(result: MetricResult) -> tuple[float, float]:
    if result.interval is None:
        return result.value, result.value
    return result.interval.low, result.interval.high


def short(n: int) -> str:
    """A count that fits under a point."""
    return str(n) if n < 10_000 else f"{n // 1000}k"
