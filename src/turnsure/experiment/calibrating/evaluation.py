"""Everything about the scores of one method: calibration, discrimination, thresholds, slices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from turnsure import metrics
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.calibration import Baseline, BaselineName, ScoresCalibration
from turnsure.core.errors import UndefinedMetricError
from turnsure.core.results import Curve, CurvePoint, Interval, MetricResult, Undefined
from turnsure.core.tested import LEAST_DIALOGUES, Found, Verdict, side_of_zero
from turnsure.experiment.calibrating import statistics
from turnsure.experiment.calibrating.cells import (
    Bootstrap,
    Cells,
    Statistic,
    cells_of,
    mass_bins_of_cells,
)
from turnsure.experiment.calibrating.predictions import PredictionGroup
from turnsure.experiment.calibrating.settings import CalibrationSettings
from turnsure.experiment.calibrating.slices import gap_of, slice_tables
from turnsure.experiment.calibrating.tables import (
    THRESHOLDS,
    accepted_places,
    granularity,
    reliability,
    threshold_points,
    unless_alike,
)
from turnsure.metrics.calibration_error import Binning, Norm
from turnsure.metrics.proper_scores import LOG_LOSS_CLIP
from turnsure.numerics.binning import equal_width_bins
from turnsure.numerics.intervals import wilson_bounds

_BINNINGS: tuple[Binning, ...] = ("width", "mass")
_NORMS: tuple[tuple[Norm, bool], ...] = (("l1", False), ("l2", False), ("l2", True), ("max", False))

ERRORS: tuple[tuple[Binning, Norm, bool], ...] = tuple(
    (binning, norm, debias) for binning in _BINNINGS for norm, debias in _NORMS
)
"""Variants of ECE that stand side by side: binning, norm, debiased."""


def evaluate_scores(group: PredictionGroup, settings: CalibrationSettings) -> ScoresCalibration:
    """All numbers of one group but those of maps and of the choice of a threshold.

    Values are those of :mod:`turnsure.metrics`; their intervals come from one bootstrap over
    dialogues (:mod:`turnsure.experiment.calibrating.cells`), but for rates of rows that are
    dialogues of their own, which have Wilson or Clopper–Pearson intervals.
    """
    rows = group.rows
    cells = cells_of(rows.score, rows.correct, settings.bins, np.array(THRESHOLDS))
    bootstrap = Bootstrap(
        cells=cells,
        rows=rows,
        resamples=settings.resamples,
        seed=settings.seed,
        level=settings.level,
    )
    places = accepted_places(cells)
    found = bootstrap.intervals(_statistics(rows, cells, settings, places))

    def judged(key: str, compute: Callable[[], MetricResult]) -> Found:
        return _with_interval(key, compute, rows, found[key][0])

    scores, correct = rows.score, rows.correct
    brier = judged("brier", partial(metrics.brier, scores, correct))
    accuracy = judged("accuracy", partial(metrics.accuracy, correct))
    gap = judged("gap", partial(gap_of, rows))
    if bootstrap.is_plain:
        accuracy, gap = _with_wilson(accuracy, gap, rows, settings.level)
    elif isinstance(accuracy, MetricResult):
        every = np.ones(len(rows), dtype=np.bool_)
        bounds = unless_alike(accuracy.interval, rows, every, settings.level)
        accuracy = replace(accuracy, interval=bounds)
    return ScoresCalibration(
        model=group.model,
        method=group.method,
        n_rows=group.n_rows,
        n_scored=len(rows),
        n_no_score=group.n_no_score,
        n_no_label=group.n_no_label,
        n_dialogues=len(rows.groups),
        resamples=bootstrap.n_resamples,
        accuracy=accuracy,
        mean_confidence=judged("mean_confidence", partial(metrics.mean_confidence, scores)),
        gap=gap,
        brier=brier,
        log_loss=judged("log_loss", partial(metrics.log_loss, scores, correct)),
        decompositions=(
            metrics.brier_decomposition(scores, correct, "value"),
            metrics.brier_decomposition(scores, correct, "bins", settings.bins),
            metrics.brier_decomposition(scores, correct, "isotonic"),
        ),
        baselines=tuple(_baselines(brier, rows, settings, found)),
        errors=tuple(
            judged(
                f"ece {place}",
                partial(metrics.ece, scores, correct, settings.bins, binning, norm, debias),
            )
            for place, (binning, norm, debias) in enumerate(ERRORS)
        ),
        smooth_ece=judged("smooth_ece", partial(metrics.smooth_ece, scores, correct)),
        reliability=reliability(rows, settings, found["reliability"], plain=bootstrap.is_plain),
        auroc=judged("auroc", partial(metrics.auroc, scores, correct)),
        average_precision=judged(
            "average_precision", partial(metrics.average_precision, scores, correct)
        ),
        aurc=judged("aurc", partial(metrics.aurc, scores, correct)),
        risk_coverage=_risk_coverage(cells, found["risk_coverage"], settings),
        thresholds=threshold_points(
            rows, cells, places, found["accepted"], plain=bootstrap.is_plain, level=settings.level
        ),
        granularity=granularity(cells, found["cells"], rows, bootstrap.is_plain, settings.level),
        scores=metrics.score_distribution(scores, correct),
        slices=slice_tables(group, settings),
        costs=group.costs,
    )


def _statistics(
    rows: LabelledScores, cells: Cells, settings: CalibrationSettings, places: list[int]
) -> dict[str, Statistic]:
    score = cells.score
    widths = equal_width_bins(score, settings.bins)
    masses = mass_bins_of_cells(cells, rows.score, settings.bins)
    squares = (np.square(1.0 - score), np.square(score))
    brier = statistics.mean_loss(*squares)
    every_cell = np.arange(len(score))
    return {
        "accuracy": statistics.accuracy,
        "mean_confidence": statistics.mean_score(score),
        "gap": statistics.gap(score),
        "brier": brier,
        "base_rate": lambda counts: brier(counts) - statistics.base_rate_brier(counts),
        "log_loss": statistics.mean_loss(*_cell_losses(rows, cells)),
        "smooth_ece": statistics.smooth_error(score),
        "auroc": statistics.auroc,
        "average_precision": statistics.average_precision,
        "aurc": statistics.aurc,
        "reliability": statistics.bin_accuracies(np.flatnonzero(np.diff(widths, prepend=-1))),
        "cells": statistics.bin_accuracies(every_cell),
        "accepted": statistics.accepted(places),
        "risk_coverage": statistics.accepted(every_cell[::-1].tolist()),
        **{
            f"ece {place}": statistics.binned_error(
                score, widths if binning == "width" else masses, norm=norm, debias=debias
            )
            for place, (binning, norm, debias) in enumerate(ERRORS)
        },
    }


def _cell_losses(rows: LabelledScores, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Mean log loss of the rows of each cell, if they are right and if they are wrong."""
    k = len(cells.score)
    clipped = np.clip(rows.score, LOG_LOSS_CLIP, 1.0 - LOG_LOSS_CLIP)
    losses = (-np.log(clipped), -np.log1p(-clipped))
    means = [np.bincount(cells.cell_of_row, loss, k) / cells.n for loss in losses]
    return means[0], means[1]


def _with_interval(
    key: str, compute: Callable[[], MetricResult], rows: LabelledScores, bounds: Interval | None
) -> Found:
    """A number with its interval, its dialogues and what is missing; or why there is none."""
    try:
        result = compute()
    except UndefinedMetricError as error:
        return Undefined(name=key, reason=str(error), n_turns=len(rows))
    return replace(result, interval=bounds, n_dialogues=len(rows.groups))


def _with_wilson(
    accuracy: Found, gap: Found, rows: LabelledScores, level: float
) -> tuple[Found, Found]:
    """Accuracy with Wilson's interval; that of the gap is the same, less the mean score."""
    low, high = wilson_bounds(int(rows.correct.sum()), len(rows), level)
    mean = float(rows.score.mean())
    bounds = Interval(low=low, high=high, level=level, method="wilson")
    if isinstance(accuracy, MetricResult) and isinstance(gap, MetricResult):
        accuracy = replace(accuracy, interval=bounds)
        gap = replace(gap, interval=replace(bounds, low=low - mean, high=high - mean))
    return accuracy, gap


def _baselines(
    brier: Found,
    rows: LabelledScores,
    settings: CalibrationSettings,
    found: Mapping[str, tuple[Interval | None, ...]],
) -> list[Baseline]:
    """The baselines, each with the difference of Brier scores on the same rows."""
    if isinstance(brier, Undefined):
        return []
    share = float(rows.correct.mean())
    constants: list[tuple[BaselineName, float]] = [("half", 0.25)]
    if settings.options is not None:
        constants.append(("uniform_guess", (settings.options - 1) / settings.options**2))
    base = share * (1.0 - share)
    baselines = [_baseline("base_rate", base, brier, found["base_rate"][0])]
    for name, value in constants:
        bounds = brier.interval
        if bounds is not None:
            bounds = replace(bounds, low=bounds.low - value, high=bounds.high - value)
        baselines.append(_baseline(name, value, brier, bounds))
    return baselines


def _baseline(
    name: BaselineName, value: float, brier: MetricResult, bounds: Interval | None
) -> Baseline:
    verdict: Verdict = "open"
    if bounds is not None and (brier.n_dialogues or 0) >= LEAST_DIALOGUES:
        side = side_of_zero(bounds)
        verdict = "passed" if side < 0 else "failed" if side > 0 else "open"
    return Baseline(
        name=name,
        brier=value,
        difference=replace(
            brier,
            name="brier_difference",
            value=brier.value - value,
            interval=bounds,
            definition={"difference": "scores - baseline, on the same rows"},
        ),
        verdict=verdict,
    )


def _risk_coverage(
    cells: Cells, bounds: tuple[Interval | None, ...], settings: CalibrationSettings
) -> Curve:
    """One point a cell, from the highest scores down; each is a threshold that occurs."""
    n = np.cumsum(cells.n[::-1])
    wrong = np.cumsum(cells.n_wrong[::-1])
    thresholds = cells.lowest[::-1]
    k = len(thresholds)
    points: list[CurvePoint] = []
    for place in range(k):
        interval = bounds[k + place]
        points.append(
            CurvePoint(
                x=float(n[place] / n[-1]),
                y=float(wrong[place] / n[place]),
                low=None if interval is None else 1.0 - interval.high,
                high=None if interval is None else 1.0 - interval.low,
                n=int(n[place]),
                threshold=float(thresholds[place]),
            )
        )
    return Curve(
        name="risk_coverage",
        x_label="coverage",
        y_label="error rate",
        points=tuple(points),
        n_turns=int(n[-1]),
        definition={
            "coverage": "of the scored turns",
            "accepts": "confidence >= threshold",
            "points": "every distinct score" if cells.exact else "thinned",
            "level": settings.level,
        },
    )
