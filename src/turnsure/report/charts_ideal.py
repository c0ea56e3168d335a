"""The chart of a closed world: each method's confidence beside the one that the hints justify."""

from __future__ import annotations

from collections.abc import Sequence

from turnsure.core.closed_world import IdealRow
from turnsure.report import charts
from turnsure.report.charts import Plot
from turnsure.report.charts_turns import N_HEIGHT, short

CONFIDENCE, IDEAL = "mean confidence", "ideal"


def confidence_and_ideal(rows: Sequence[IdealRow], *, panels: bool = True) -> Plot:
    """Mean confidence with its band, and the mean ideal dashed, against the information level.

    Parameters
    ----------
    rows
        At least one, of different methods.
    panels
        True for a titled panel a method and a legend, False for the bare panel of one method.
    """
    lp = charts.library()
    labels = charts.safe_labels([row.method for row in rows])
    named = list(zip(labels, rows, strict=True))
    confidences = [(label, CONFIDENCE, row.confidence_by_level) for label, row in named]
    ideals = [(label, IDEAL, row.ideal_by_level) for label, row in named]
    counts = [(label, point) for label, _, curve in confidences for point in curve.points]
    colours, kinds = [charts.CONFIDENCE, charts.INK], [CONFIDENCE, IDEAL]
    # A band or a line over a single level has no width: there a bar and a point show it.
    single = any(len(row.confidence_by_level.points) == 1 for row in rows)
    band = charts.curve_columns(confidences)
    plot = (
        charts.canvas(
            charts.curve_columns([*confidences, *ideals]),
            lp.aes("level", "share", color="what", linetype="what"),
            labels,
        )
        + lp.geom_ribbon(
            lp.aes("level", ymin="low", ymax="high"),
            data=band,
            fill=charts.CONFIDENCE,
            alpha=0.16,
            size=0,
            inherit_aes=False,
            na_rm=True,
        )
        + lp.geom_linerange(
            lp.aes("level", ymin="low", ymax="high"),
            data=band,
            color=charts.CONFIDENCE,
            alpha=0.5,
            size=1.1 if single else 0,
            inherit_aes=False,
        )
        + lp.geom_line(size=1.3, na_rm=True)
        + lp.geom_point(
            lp.aes("level", "share"),
            data=band,
            shape=22,
            size=3,
            color="white",
            fill=charts.CONFIDENCE,
            stroke=0.8,
            inherit_aes=False,
        )
        + lp.geom_point(
            lp.aes("level", "share"),
            data=charts.curve_columns(ideals),
            shape=4,
            size=1.6,
            stroke=1.2,
            color=charts.INK,
            inherit_aes=False,
        )
        + lp.geom_text(
            data={
                "method": [label for label, _ in counts],
                "level": [point.x for _, point in counts],
                "n": [short(point.n) for _, point in counts],
                "height": [N_HEIGHT] * len(counts),
            },
            mapping=lp.aes("level", "height", label="n"),
            size=4,
            color=charts.MUTED,
            inherit_aes=False,
        )
        + lp.scale_color_manual(colours, limits=kinds)
        + lp.scale_linetype_manual(["solid", "dashed"], limits=kinds)
        + charts.level_axis()
        + lp.scale_y_continuous(limits=[-0.12, 1.02], breaks=charts.PERCENT_TICKS, expand=[0, 0])
        + lp.labs(x="information level")
        + charts.theme()
        + lp.theme(axis_title_y=lp.element_blank())
    )
    if not panels:
        return charts.alone(plot)
    empty = [label for label, row in named if not row.confidence_by_level.points]
    return charts.in_panels(plot, labels, empty)
