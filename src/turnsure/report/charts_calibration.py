"""Charts about one score: reliability, distribution, and error against coverage."""

from __future__ import annotations

from typing import Any

from turnsure.core.calibration import ScoresCalibration
from turnsure.core.evaluation import MethodEvaluation
from turnsure.core.results import Curve
from turnsure.report import charts, charts_scores
from turnsure.report.charts import Plot
from turnsure.report.figures import Panel, bucket_note
from turnsure.report.svg import inline

_MOST_POINTS = 200
"""More cannot be told apart at this size."""

_FEW_POINTS = 25
"""Up to so many, each is marked."""

_NO_CURVE = Curve(name="", x_label="", y_label="", points=(), n_turns=0)


def score_panels(judged: ScoresCalibration, *, key: str) -> tuple[Panel, ...]:
    """The drawings of one score; ``key`` is unique within the page."""
    method = _as_method(judged)
    name = judged.name
    return (
        Panel(
            title="Reliability",
            svg=inline(
                charts_scores.reliability([method], panels=False),
                key=f"{key}-reliability",
                label=f"{name}: accuracy against mean score, by bins of score",
            ),
            note="On the dashed line, scores are as high as accuracy; below it they are too high. "
            "The area of a point shows its rows.",
        ),
        Panel(
            title="Scores",
            svg=inline(
                charts_scores.score_distribution([method], panels=False),
                key=f"{key}-scores",
                label=f"{name}: how often each score occurs",
            ),
            note=bucket_note(judged.scores) or "Right answers below, wrong ones on top of them.",
        ),
        Panel(
            title="Error against coverage",
            svg=inline(
                risk_coverage(judged.risk_coverage),
                key=f"{key}-coverage",
                label=f"{name}: error rate of the answered rows against their share",
            ),
            note="From left to right, ever lower scores are answered. The dashed line is the error "
            "if all are.",
        ),
    )


def risk_coverage(curve: Curve) -> Plot:
    """Error rate of the rows from each threshold on, against their share, with its band."""
    lp = charts.library()
    step = max(1, -(-len(curve.points) // _MOST_POINTS))
    # The last point, at which all is answered, is always among them.
    points = curve.points[::-1][::step][::-1]
    data = {
        "x": [point.x for point in points],
        "y": [point.y for point in points],
        "low": [point.y if point.low is None else point.low for point in points],
        "high": [point.y if point.high is None else point.high for point in points],
    }
    overall = curve.points[-1].y
    plot = (
        lp.ggplot(data, lp.aes("x", "y"))
        + _band(single=len(points) == 1)
        + lp.geom_segment(
            data={"x": [0.0], "y": [overall], "xend": [1.0], "yend": [overall]},
            mapping=lp.aes("x", "y", xend="xend", yend="yend"),
            color=charts.MUTED,
            linetype="dashed",
            size=0.8,
            inherit_aes=False,
        )
        + lp.geom_point(color=charts.WRONG, size=2.0 if len(points) <= _FEW_POINTS else 0.0)
        + lp.scale_x_continuous(limits=[-0.02, 1.02], breaks=charts.BARE_TICKS, expand=[0, 0])
        + lp.scale_y_continuous(limits=[-0.02, 1.02], breaks=charts.PERCENT_TICKS, expand=[0, 0])
        + lp.labs(x="coverage, %", y="error")
        + charts.theme()
    )
    return charts.alone(plot)


def _band(*, single: bool) -> Any:
    """The line with its band; of one point, through which there is no line, a bar."""
    lp = charts.library()
    bounds = lp.aes(ymin="low", ymax="high")
    if single:
        return lp.geom_linerange(bounds, color=charts.WRONG, size=0.8)
    band = lp.geom_ribbon(bounds, fill=charts.WRONG, alpha=0.25, size=0)
    return band + lp.geom_line(color=charts.WRONG, size=1.1)


def _as_method(judged: ScoresCalibration) -> MethodEvaluation:
    """What the charts of a run's methods draw of a score; what they do not draw is empty."""
    return MethodEvaluation(
        method=judged.name,
        n_rows=judged.n_rows,
        n_scored=judged.n_scored,
        failures={},
        gold_failures={},
        metrics={},
        sensitivity=(),
        confidence_by_level=_NO_CURVE,
        accuracy_by_level=_NO_CURVE,
        reliability=judged.reliability,
        scores=judged.scores,
    )
