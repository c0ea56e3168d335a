"""Tables over scores: by bins, by thresholds, and by the scores themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from turnsure import metrics
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.calibration import Granularity, ScoreBucket, ThresholdPoint
from turnsure.core.results import Interval, ReliabilityTable
from turnsure.experiment.calibrating.cells import Cells
from turnsure.experiment.calibrating.settings import CalibrationSettings
from turnsure.numerics.arrays import BoolArray
from turnsure.numerics.binning import equal_width_bins
from turnsure.numerics.intervals import clopper_pearson_bounds, wilson_bounds

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Looked at whatever the scores are."""

FEW_VALUES = 20
"""Up to so many different scores are buckets, and so are as many that hold most rows."""

MOST_ROWS = 0.9
"""What counts as most."""

_ROWS_A_VALUE = 3
"""So few rows a score do not make a bucket: ten rows with ten scores are no buckets."""

_FEW_THRESHOLDS = 12


def reliability(
    rows: LabelledScores,
    settings: CalibrationSettings,
    bounds: Sequence[Interval | None],
    *,
    plain: bool,
) -> ReliabilityTable:
    """The table behind the diagram, by bins of equal width.

    Parameters
    ----------
    rows
        What is judged.
    settings
        Bins and level.
    bounds
        Bootstrap intervals of the accuracies of the bins that are not empty, lowest first.
    plain
        Whether every row is a dialogue of its own, so that Wilson's intervals hold.
    """
    table = metrics.reliability_table(rows.score, rows.correct, settings.bins, level=settings.level)
    if plain:
        return table
    given = iter(bounds)
    place = equal_width_bins(rows.score, settings.bins)
    bins = tuple(
        replace(
            one,
            accuracy_interval=unless_alike(next(given), rows, place == number, settings.level),
        )
        if one.n
        else one
        for number, one in enumerate(table.bins)
    )
    return replace(table, bins=bins)


def unless_alike(
    bounds: Interval | None, rows: LabelledScores, inside: BoolArray, level: float
) -> Interval | None:
    """A bootstrap's interval of an accuracy, or Wilson's where all rows have the same label.

    Whatever is drawn of such rows is the same again, so that a bootstrap's interval would have no
    width and claim certainty.  Rows of a dialogue count as one in Wilson's.

    Parameters
    ----------
    bounds
        The bootstrap's; None, with a single dialogue, stays None.
    rows, inside
        Which of the rows the accuracy is of, shape (n,).
    level
        Nominal coverage.
    """
    right = rows.correct[inside]
    if bounds is None or not right.size or right.any() != right.all():
        return bounds
    n = len(np.unique(rows.group[inside]))
    low, high = wilson_bounds(n if right.all() else 0, n, level)
    return Interval(low=low, high=high, level=level, method="wilson")


def accepted_places(cells: Cells) -> list[int]:
    """The first cell that each threshold accepts; as many as there are cells for none.

    Thresholds are :data:`THRESHOLDS` and, where they are few, the scores themselves.
    """
    return sorted({int(place) for place in np.searchsorted(cells.lowest, _thresholds(cells))})


def threshold_points(
    rows: LabelledScores,
    cells: Cells,
    places: Sequence[int],
    bounds: Sequence[Interval | None],
    *,
    plain: bool,
    level: float,
) -> tuple[ThresholdPoint, ...]:
    """What is answered at each threshold, and how well.

    Parameters
    ----------
    rows, cells
        What is judged.
    places
        From :func:`accepted_places`.
    bounds
        Bootstrap intervals of the coverages, then of the accuracies.
    plain
        Whether every row is a dialogue of its own, so that exact binomial intervals hold.
    level
        Nominal coverage.
    """
    found: list[ThresholdPoint] = []
    n = len(rows)
    for threshold in _thresholds(cells):
        place = int(np.searchsorted(cells.lowest, threshold))
        n_accepted = int(cells.n[place:].sum())
        n_right = int(cells.n_right[place:].sum())
        if plain:
            coverage = _exact(n_accepted, n, level)
            accuracy = _exact(n_right, n_accepted, level)
        else:
            which = places.index(place)
            coverage = bounds[which]
            accuracy = unless_alike(
                bounds[len(places) + which], rows, rows.score >= threshold, level
            )
        found.append(
            ThresholdPoint(
                threshold=threshold,
                n=n,
                n_accepted=n_accepted,
                n_right=n_right,
                coverage=n_accepted / n,
                accuracy=n_right / n_accepted if n_accepted else None,
                coverage_interval=coverage,
                accuracy_interval=accuracy if n_accepted else None,
            )
        )
    return tuple(found)


def granularity(
    cells: Cells,
    bounds: Sequence[Interval | None],
    rows: LabelledScores,
    plain: bool,
    level: float,
) -> Granularity:
    """How fine the scores are, with the scores that occur most."""
    values, counts = np.unique(rows.score, return_counts=True)
    most_first = np.argsort(-counts, kind="stable")[:FEW_VALUES]
    n_in_buckets = int(counts[most_first].sum())
    is_coarse = n_in_buckets >= MOST_ROWS * len(rows) and (
        n_in_buckets >= _ROWS_A_VALUE * len(most_first)
    )
    buckets: list[ScoreBucket] = []
    if is_coarse:
        of_value = np.searchsorted(cells.lowest, values, side="right") - 1
        for place in np.sort(most_first).tolist():
            score = float(values[place])
            inside = rows.score == score
            n, n_right = int(counts[place]), int(np.count_nonzero(rows.correct & inside))
            interval = bounds[int(of_value[place])] if cells.exact else None
            if plain:
                low, high = wilson_bounds(n_right, n, level)
                interval = Interval(low=low, high=high, level=level, method="wilson")
            else:
                interval = unless_alike(interval, rows, inside, level)
            buckets.append(
                ScoreBucket(
                    score=score,
                    n=n,
                    n_right=n_right,
                    accuracy=n_right / n,
                    gap=n_right / n - score,
                    accuracy_interval=interval,
                )
            )
    return Granularity(
        n_distinct=len(values),
        is_coarse=is_coarse,
        buckets=tuple(buckets),
        n_in_buckets=n_in_buckets if is_coarse else 0,
        n=len(rows),
    )


def _thresholds(cells: Cells) -> list[float]:
    thresholds = set(THRESHOLDS)
    if len(cells.lowest) <= _FEW_THRESHOLDS:
        scores: list[float] = cells.lowest.tolist()
        thresholds.update(scores)
    return sorted(thresholds)


def _exact(passes: int, runs: int, level: float) -> Interval | None:
    if not runs:
        return None
    low, high = clopper_pearson_bounds(passes, runs, level)
    return Interval(low=low, high=high, level=level, method="clopper_pearson")
