"""Aptitude and unreliability: how good the best runs of a task are, and how far runs lie apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.core.results import Detail, Direction, Interval, MetricResult
from turnsure.metrics.agreement import spread_interval
from turnsure.numerics.arrays import FloatArray
from turnsure.numerics.inputs import choice, clusters_of, scored_fractions

HIGH, LOW = 90.0, 10.0
"""Percentiles, by linear interpolation between the sorted scores (definition 7 of Hyndman and Fan,
numpy's own): of n scores the q-th lies at place (n − 1)q/100, counted from 0."""

_LEAST_RUNS = 2

Scores = Mapping[str, Sequence[float]]
"""The scores of each task's runs, in [0, 1]."""

_STATISTICS: Mapping[str, tuple[Callable[[FloatArray], float], Direction]] = {
    "mean": (lambda scores: float(scores.mean()), "higher"),
    "aptitude": (lambda scores: float(np.percentile(scores, HIGH)), "higher"),
    "unreliability": (
        lambda scores: float(np.percentile(scores, HIGH) - np.percentile(scores, LOW)),
        "lower",
    ),
}
STATISTICS: tuple[str, ...] = tuple(_STATISTICS)


def over_tasks(
    statistic: str,
    scores: Scores,
    *,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Mean over tasks of the mean, the aptitude or the unreliability of a task's runs.

    Parameters
    ----------
    statistic
        ``"mean"``, ``"aptitude"`` (A90, the 90th percentile of the runs) or ``"unreliability"`` (U,
        the 90th minus the 10th).
    scores
        At least one a task, and for unreliability two.
    resamples, seed, level
        Of the bootstrap over tasks.

    Returns
    -------
    A fraction.  The interval is the percentile one, expanded for few tasks; None with a single
    task and where the tasks are all alike.

    Raises
    ------
    InputError
        For an unknown statistic and scores out of range.
    UndefinedMetricError
        With no task, and where a task has too few runs.

    References
    ----------
    Laban, Hayashi, Zhou, Neville: LLMs get lost in multi-turn conversation (2025), section 4.3.
    """
    values = _values(statistic, scores)
    return MetricResult(
        name=statistic,
        value=float(values.mean()),
        interval=_interval([values], lambda means: means[:, 0], resamples, seed, level),
        n_turns=sum(len(runs) for runs in scores.values()),
        n_dialogues=len(values),
        direction=_STATISTICS[statistic][1],
        definition=_definition(statistic),
    )


def drop(
    statistic: str,
    full: Scores,
    other: Scores,
    *,
    relative: bool = False,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """How much of a statistic is lost from the full version to another, over their common tasks.

    Parameters
    ----------
    statistic, resamples, seed, level
        As for :func:`over_tasks`; a resample draws the same tasks for both versions.
    full, other
        Scores of either version.
    relative
        Whether it is divided by the value of the full version.

    Raises
    ------
    InputError
        As for :func:`over_tasks`.
    UndefinedMetricError
        No task has runs of both, or the value to divide by is 0.
    """
    common = [task for task in full if task in other]
    if not common:
        raise UndefinedMetricError("no task has runs of both versions")
    columns = [
        _values(statistic, {task: scores[task] for task in common}) for scores in (full, other)
    ]
    before, after = (float(column.mean()) for column in columns)
    if relative and before == 0.0:
        raise UndefinedMetricError(f"the {statistic} of the full version is 0")

    def lost(means: FloatArray) -> FloatArray:
        if not relative:
            return means[:, 0] - means[:, 1]
        there = means[means[:, 0] > 0.0]
        return 1.0 - there[:, 1] / there[:, 0]

    return MetricResult(
        name=f"{'relative_' if relative else ''}drop_in_{statistic}",
        value=1.0 - after / before if relative else before - after,
        interval=_interval(columns, lost, resamples, seed, level),
        n_turns=sum(len(scores[task]) for scores in (full, other) for task in common),
        n_dialogues=len(common),
        direction="none" if statistic == "unreliability" else "lower",
        definition={**_definition(statistic), "difference": "full - other"},
        details={
            "full": before,
            "other": after,
            "n_one_side": len(full.keys() ^ other.keys()),
        },
    )


def _definition(statistic: str) -> dict[str, Detail]:
    return {
        "average": "tasks weigh the same",
        "interval": "percentile, expanded for few tasks",
        **({} if statistic == "mean" else {"percentile": "linear interpolation"}),
    }


def _values(statistic: str, scores: Scores) -> FloatArray:
    """The statistic of each task, shape (n_tasks,)."""
    choice(statistic, "statistic", STATISTICS)
    if not scores:
        raise UndefinedMetricError("there is no task")
    compute, _ = _STATISTICS[statistic]
    least = _LEAST_RUNS if statistic == "unreliability" else 1
    values: list[float] = []
    for task, runs in scores.items():
        if len(runs) < least:
            raise UndefinedMetricError(
                f"task {task!r} has {len(runs)} runs, and {statistic} takes {least}"
            )
        kept, given = scored_fractions(runs, f"scores of {task}")
        if kept.n_failed:
            raise InputError(
                "a score is missing", field=f"scores of {task}", expected="numbers in [0, 1]"
            )
        values.append(compute(given))
    return np.array(values)


def _interval(
    columns: Sequence[FloatArray],
    statistic: Callable[[FloatArray], FloatArray],
    resamples: int,
    seed: int,
    level: float,
) -> Interval | None:
    """Interval of a statistic of the resampled means of the columns, shape (r, n_columns)."""
    n = len(columns[0])
    clusters = clusters_of(np.arange(n), resamples=resamples, seed=seed, level=level)
    if all((column == column[0]).all() for column in columns):
        return None  # every resample is the same, whatever rounding makes of it
    return spread_interval(
        clusters,
        np.zeros(n, dtype=np.intp),
        columns,
        lambda sums: statistic(sums[:, 1:, 0] / sums[:, :1, 0]),
    )
