"""What labels say about a gate: calibration, errors among its answers, slices."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from turnsure import metrics
from turnsure.calibration.drift.changes import Change, Measured, change
from turnsure.calibration.drift.findings import AnsweredError, DriftSlice, LabelledDrift
from turnsure.calibration.drift.gap import gap_test
from turnsure.calibration.drift.monitor import monitor_gap, monitor_rate, stream_units
from turnsure.calibration.drift.recalibration import Recalibration, recalibration
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.errors import UndefinedMetricError
from turnsure.core.results import Interval, Undefined
from turnsure.experiment.calibrating import statistics
from turnsure.experiment.calibrating.cells import Bootstrap, cells_of
from turnsure.experiment.calibrating.columns import CodedColumn
from turnsure.experiment.watching.reference import LEVEL, measured
from turnsure.experiment.watching.settings import WatchSettings
from turnsure.numerics.arrays import BoolArray, FloatArray, IntArray
from turnsure.numerics.binning import equal_width_bins
from turnsure.numerics.binomial import binomial_tail
from turnsure.numerics.inputs import clusters_of
from turnsure.numerics.intervals import clopper_pearson_bounds
from turnsure.numerics.resampling import interval_of_mean
from turnsure.numerics.tails import student_two_sided

_MOST_TURNS = 20
"""Turns that are slices."""

_CLIP = 1e-15
"""Of log loss, as in :func:`turnsure.metrics.log_loss`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """Labelled rows under a gate.

    Attributes
    ----------
    rows
        With the gate's probability as their score.
    answers
        Which rows are answers that the gate's promise counts, shape (n,).
    by_dialogue
        Whether it counts dialogues, so that each has one answer at most.
    target
        Share of answers that may be wrong, None for none.
    line
        Where a row stands in the file, by its number.
    slices
        Columns.
    """

    rows: LabelledScores
    answers: BoolArray
    by_dialogue: bool
    target: float | None
    line: Callable[[int], str]
    slices: Mapping[str, CodedColumn]


def judge_labels(
    given: Judged, before: Mapping[str, Measured], settings: WatchSettings, *, alpha: float
) -> LabelledDrift:
    """Judge.

    Parameters
    ----------
    given
        The rows.
    before
        Metrics of the evidence.
    settings
        What decides the numbers.
    alpha
        Level of each monitor.
    """
    rows = given.rows
    line: Recalibration | Undefined
    try:
        line = recalibration(rows.score, rows.correct, rows.group, level=LEVEL)
    except UndefinedMetricError as error:
        line = Undefined(name="line", reason=str(error), n_turns=len(rows))
    means, last = stream_units(rows.group, rows.correct - rows.score)
    monitor = monitor_gap(means, alpha=alpha)
    slices, n_small = _slices(given, settings)
    return LabelledDrift(
        n=len(rows),
        n_dialogues=len(rows.groups),
        gap=gap_test(rows.score, rows.correct, rows.group),
        line=line,
        changes=_changes(rows, before, settings),
        monitor=monitor,
        alarm_line=None if monitor.alarm is None else given.line(int(last[monitor.alarm])),
        answered=_answered(given, settings, alpha),
        slices=slices,
        n_small=n_small,
    )


def _changes(
    rows: LabelledScores, before: Mapping[str, Measured], settings: WatchSettings
) -> tuple[Change, ...]:
    cells = cells_of(rows.score, rows.correct, settings.bins, np.zeros(0))
    bootstrap = Bootstrap(
        cells=cells, rows=rows, resamples=settings.resamples, seed=settings.seed, level=LEVEL
    )
    score, bins = cells.score, equal_width_bins(cells.score, settings.bins)
    if_right, if_wrong = (-np.log(np.clip(one, _CLIP, 1.0 - _CLIP)) for one in (score, 1.0 - score))
    bounds = bootstrap.intervals(
        {
            "gap": statistics.gap(score),
            "ece": statistics.binned_error(score, bins, norm="l1", debias=False),
            "brier": statistics.mean_loss(np.square(1.0 - score), np.square(score)),
            "log_loss": statistics.mean_loss(if_right, if_wrong),
        }
    )
    values = {
        "gap": float((rows.correct - rows.score).mean()),
        "ece": metrics.ece(rows.score, rows.correct, settings.bins).value,
        "brier": metrics.brier(rows.score, rows.correct).value,
        "log_loss": metrics.log_loss(rows.score, rows.correct, _CLIP).value,
    }
    return tuple(
        change(name, before.get(name), measured(value, bounds[name][0], len(rows)))
        for name, value in values.items()
    )


def _answered(given: Judged, settings: WatchSettings, alpha: float) -> AnsweredError | None:
    """Errors among the answers: of each dialogue's first one where the promise counts dialogues."""
    rows = given.rows
    places = np.flatnonzero(given.answers)
    if not len(places):
        return None
    wrong = (~rows.correct[places]).astype(np.float64)
    group = np.unique(rows.group[places], return_inverse=True)[1]
    n, n_wrong, n_groups = len(places), int(wrong.sum()), int(group.max()) + 1
    independent = n_groups == n
    if independent:
        low, high = clopper_pearson_bounds(n_wrong, n, LEVEL)
        bounds: Interval | None = Interval(
            low=low, high=high, level=LEVEL, method="clopper_pearson"
        )
    else:
        clusters = clusters_of(group, resamples=settings.resamples, seed=settings.seed, level=LEVEL)
        bounds = interval_of_mean(clusters, wrong)
    monitor = alarm = p_value = None
    if given.target is not None:
        if independent:
            p_value = _exact_p(n_wrong, n, given.target)
        elif n_groups > 1:
            p_value = _clustered_p(wrong, group, given.target)
        means, last = stream_units(group, wrong)
        monitor = monitor_rate(means, at_most=given.target, alpha=alpha)
        if monitor.alarm is not None:
            alarm = given.line(int(places[last[monitor.alarm]]))
    return AnsweredError(
        unit="dialogue" if given.by_dialogue else "row",
        n=n,
        n_wrong=n_wrong,
        target=given.target,
        interval=bounds,
        p_value=p_value,
        monitor=monitor,
        alarm_line=alarm,
    )


def _exact_p(n_wrong: int, n: int, target: float) -> float:
    """P(Binomial(n, target) ≥ n_wrong), as that of at most so many right ones."""
    return binomial_tail(n - n_wrong, n, 1.0 - target)


def _clustered_p(wrong: FloatArray, group: IntArray, target: float) -> float:
    """One-sided, by Student's t on the dialogues' sums of wrong − target.

    The variance is at least that of independent answers at the target, as for the gap.
    """
    spread = np.bincount(group, wrong - wrong.mean())
    n = len(spread)
    variance = max(
        n / (n - 1) * float(np.square(spread).sum()), len(wrong) * target * (1.0 - target)
    )
    total = float((wrong - target).sum())
    p = 0.5 * student_two_sided(total / math.sqrt(variance), n - 1)
    return p if total > 0.0 else 1.0 - p


def _slices(given: Judged, settings: WatchSettings) -> tuple[tuple[DriftSlice, ...], int]:
    rows = given.rows
    found: list[DriftSlice] = []
    n_small = 0
    for name, value, inside in _parts(given):
        n = int(np.count_nonzero(inside))
        part = rows.rows(inside)
        if n < settings.least_n or len(part.groups) < 2:
            n_small += 1
            continue
        tested = gap_test(part.score, part.correct, part.group)
        found.append(
            DriftSlice(
                name=name,
                value=value,
                n=n,
                n_dialogues=tested.n_dialogues,
                accuracy=tested.n_right / n,
                probability=tested.expected / n,
                gap=tested.gap,
                p_value=tested.p_value,
                p_holm=None,
                flagged=False,
            )
        )
    corrected = metrics.holm([one.p_value for one in found]) if found else ()
    limit = settings.alpha / 2.0
    return tuple(
        replace(one, p_holm=p, flagged=p is not None and p <= limit)
        for one, p in zip(found, corrected, strict=True)
    ), n_small


def _parts(given: Judged) -> Iterator[tuple[str, str, BoolArray]]:
    """Slice, value and rows; values without a labelled row are left out."""
    for name, column in given.slices.items():
        for code in np.unique(column.codes[column.codes >= 0]).tolist():
            yield name, column.names[code], column.codes == code
    turn = given.rows.turn
    if turn is not None and int(turn.max()) > 1:
        for place in range(1, min(int(turn.max()), _MOST_TURNS) + 1):
            if (turn == place).any():
                yield "turn", str(place), turn == place
