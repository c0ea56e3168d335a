"""Charts of the scores themselves: reliability diagrams and distributions."""

from __future__ import annotations

from collections.abc import Sequence

from turnsure.core.evaluation import MethodEvaluation
from turnsure.core.results import ReliabilityBin
from turnsure.report import charts
from turnsure.report.charts import Plot

_LEAST_HEIGHT = 5
"""Turns on the axis of a distribution at least, so that its ticks are whole numbers."""

_LARGEST_POINT, _SMALLEST_POINT = 7.0, 1.6


def reliability(methods: Sequence[MethodEvaluation], *, panels: bool = True) -> Plot:
    """Accuracy against mean confidence by bins of confidence; the area of a point shows its n.

    Parameters
    ----------
    methods
        At least one.
    panels
        True for a titled panel a method, False for the bare panel of one method.
    """
    lp = charts.library()
    labels = charts.safe_labels([method.method for method in methods])
    named = list(zip(labels, methods, strict=True))
    filled = [
        (label, bin_, bin_.mean_confidence, bin_.accuracy)
        for label, method in named
        for bin_ in method.reliability.bins
        if bin_.mean_confidence is not None and bin_.accuracy is not None
    ]
    most = max((bin_.n for _, bin_, _, _ in filled), default=1)
    data = {
        "method": [label for label, _, _, _ in filled],
        "confidence": [confidence for _, _, confidence, _ in filled],
        "accuracy": [accuracy for _, _, _, accuracy in filled],
        "low": [_bounds(bin_, accuracy)[0] for _, bin_, _, accuracy in filled],
        "high": [_bounds(bin_, accuracy)[1] for _, bin_, _, accuracy in filled],
        "size": [
            max(_SMALLEST_POINT, _LARGEST_POINT * (bin_.n / most) ** 0.5)
            for _, bin_, _, _ in filled
        ],
    }
    diagonal = {"x": [0.0], "y": [0.0], "xend": [1.0], "yend": [1.0]}
    plot = (
        charts.canvas(data, lp.aes("confidence", "accuracy"), labels)
        + lp.geom_segment(
            data=diagonal,
            mapping=lp.aes("x", "y", xend="xend", yend="yend"),
            color=charts.MUTED,
            linetype="dashed",
            size=0.8,
            inherit_aes=False,
        )
        + lp.geom_linerange(lp.aes(ymin="low", ymax="high"), color=charts.ACCURACY, size=0.8)
        + lp.geom_point(lp.aes(size="size"), color=charts.ACCURACY)
        + lp.scale_size_identity()
        + lp.scale_x_continuous(limits=[-0.05, 1.05], breaks=charts.BARE_TICKS, expand=[0, 0])
        + lp.scale_y_continuous(limits=[-0.05, 1.05], breaks=charts.PERCENT_TICKS, expand=[0, 0])
        + lp.labs(x="mean confidence, %", y="accuracy")
        + charts.theme()
    )
    if not panels:
        return charts.alone(plot)
    empty = [label for label, method in named if not method.reliability.n_turns]
    return charts.in_panels(plot, labels, empty)


def score_distribution(methods: Sequence[MethodEvaluation], *, panels: bool = True) -> Plot:
    """How often each raw score occurs, wrong answers stacked on right ones."""
    lp = charts.library()
    labels = charts.safe_labels([method.method for method in methods])
    named = list(zip(labels, methods, strict=True))
    parts = [
        (label, grade, bar, bottom, top)
        for label, method in named
        for bar in method.scores.bars
        for grade, bottom, top in (
            ("right", 0, bar.n_correct),
            ("wrong", bar.n_correct, bar.n),
        )
        if top > bottom
    ]
    data = {
        "method": [label for label, _, _, _, _ in parts],
        "grade": [grade for _, grade, _, _, _ in parts],
        "left": [bar.lower for _, _, bar, _, _ in parts],
        "right": [bar.upper for _, _, bar, _, _ in parts],
        "bottom": [bottom for _, _, _, bottom, _ in parts],
        "top": [top for _, _, _, _, top in parts],
    }
    plot = (
        charts.canvas(data, lp.aes(), labels)
        + lp.geom_rect(
            lp.aes(xmin="left", xmax="right", ymin="bottom", ymax="top", fill="grade"),
            color="white",
            size=0.3,
        )
        + lp.scale_fill_manual([charts.RIGHT, charts.WRONG], limits=["right", "wrong"])
        + lp.scale_x_continuous(limits=[-0.01, 1.01], breaks=charts.BARE_TICKS, expand=[0, 0])
        + lp.scale_y_continuous(limits=[0, None], expand=[0.03, 0], format="d")
        + lp.expand_limits(y=_LEAST_HEIGHT)
        + lp.labs(x="confidence, %", y="turns")
        + charts.theme()
    )
    if not panels:
        return charts.alone(plot)
    empty = [label for label, method in named if not method.scores.n_turns]
    return charts.in_panels(plot, labels, empty, free_height=_LEAST_HEIGHT / 2)


def _bounds(bin_: ReliabilityBin, accuracy: float) -> tuple[float, float]:
    if bin_.accuracy_interval is None:
        return accuracy, accuracy
    return bin_.accuracy_interval.low, bin_.accuracy_interval.high
