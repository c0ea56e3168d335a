"""The charts of the page: one small drawing a method, so that they also fit a narrow screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from turnsure.core.evaluation import MethodEvaluation, ReportData, ScoreDistribution
from turnsure.core.results import MetricResult
from turnsure.report import charts_scores, charts_turns
from turnsure.report.charts import Plot
from turnsure.report.svg import inline
from turnsure.report.text import count, score

FEW_VALUES = 10
"""Up to this many distinct scores are buckets rather than a scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One drawing with its heading; ``svg`` is None when there is nothing to draw."""

    title: str
    svg: str | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All drawings of the page, the panels in the order of the methods."""

    levels: tuple[Panel, ...]
    reliability: tuple[Panel, ...]
    tau: str | None
    distributions: tuple[Panel, ...]
    trajectories: tuple[Panel, ...]


def figures(data: ReportData) -> Figures:
    """Draw everything that the page shows."""
    methods = data.evaluation.methods
    return Figures(
        levels=_panels(
            methods,
            key="levels",
            label="mean confidence and accuracy by information level",
            drawable=lambda method: bool(method.confidence_by_level.points),
            draw=lambda method: charts_turns.confidence_by_level([method], panels=False),
        )
        or _accuracy(data),
        reliability=_panels(
            methods,
            key="reliability",
            label="accuracy against mean confidence, by bins of confidence",
            drawable=lambda method: method.reliability.n_turns > 0,
            draw=lambda method: charts_scores.reliability([method], panels=False),
        ),
        tau=_tau(methods),
        distributions=_panels(
            methods,
            key="scores",
            label="how often each confidence occurs",
            drawable=lambda method: method.scores.n_turns > 0,
            draw=lambda method: charts_scores.score_distribution([method], panels=False),
            note=lambda method: bucket_note(method.scores),
        ),
        trajectories=_panels(
            methods,
            key="lines",
            label="confidence in the own answer by information level, a line a dialogue",
            drawable=lambda method: charts_turns.has_lines(data.table, method.method),
            draw=lambda method: charts_turns.trajectories(data.table, [method], panels=False),
        ),
    )


def bucket_note(scores: ScoreDistribution) -> str:
    """The remark about methods that use few values; empty for others."""
    if not 0 < scores.n_distinct <= FEW_VALUES:
        return ""
    common = ", ".join(f"{score(value)} ({n:,}×)" for value, n in scores.most_common)
    if scores.n_distinct == 1:
        return f"Takes a single value, {common}: it cannot tell any two turns apart."
    return (
        f"Takes only {count(scores.n_distinct, 'distinct value')}: treat it as "
        f"{scores.n_distinct} buckets, not as a fine scale. Most frequent: {common}."
    )


def _panels(
    methods: Sequence[MethodEvaluation],
    *,
    key: str,
    label: str,
    drawable: Callable[[MethodEvaluation], bool],
    draw: Callable[[MethodEvaluation], Plot],
    note: Callable[[MethodEvaluation], str] = lambda _: "",
) -> tuple[Panel, ...]:
    return tuple(
        Panel(
            title=method.method,
            svg=inline(draw(method), key=f"{key}-{k}", label=f"{method.method}: {label}")
            if drawable(method)
            else None,
            note=note(method),
        )
        for k, method in enumerate(methods, start=1)
    )


def _accuracy(data: ReportData) -> tuple[Panel, ...]:
    """For a run without methods: accuracy alone, where there is any."""
    curve = data.evaluation.accuracy_by_level
    if not curve.points:
        return ()
    plot = charts_turns.accuracy_by_level(curve)
    svg = inline(plot, key="levels-1", label="accuracy by information level")
    return (Panel(title="accuracy", svg=svg),)


def _tau(methods: Sequence[MethodEvaluation]) -> str | None:
    defined = any(
        isinstance(method.metrics.get(metric), MetricResult)
        for method in methods
        for metric in ("kendall_tau", "kendall_tau_gold")
    )
    if not defined:
        return None
    return inline(charts_turns.kendall_tau(methods), key="tau", label="Kendall's τ of each method")
