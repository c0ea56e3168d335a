"""Paired differences between two groups of rows, and which of several numbers is the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from turnsure import metrics
from turnsure.core.errors import UndefinedMetricError
from turnsure.core.grid import GridCell, ScoredGroup
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.tested import side_of_zero
from turnsure.core.turns import TurnColumns
from turnsure.experiment.columns import rows_where
from turnsure.experiment.compare_runs import RunRows, shared_dialogues
from turnsure.experiment.evaluate import Settings
from turnsure.metrics.paired_metrics import PairedMetric
from turnsure.metrics.pairing import pair_turns

ACCURACY = "accuracy"
TAU_GOLD = "kendall_tau_gold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A number of a run and what it was computed from.

    Attributes
    ----------
    rows
        The run.
    columns
        The rows behind the number.
    result
        The number.
    """

    rows: RunRows
    columns: TurnColumns
    result: MetricResult


def columns_for(group: ScoredGroup, metric: str) -> TurnColumns:
    """The rows that a metric of a method is computed from."""
    return group.gold if metric == TAU_GOLD else group.own


def difference(
    metric: str,
    left: tuple[RunRows, TurnColumns],
    right: tuple[RunRows, TurnColumns],
    settings: Settings,
) -> MetricResult | Undefined:
    """Right − left at the turns of shared dialogues that both scored.

    Parameters
    ----------
    metric
        By its name in a grid.
    left, right
        A run each, and those of its rows that count.
    settings
        Bins, resamples and seed.
    """
    try:
        return metrics.paired_metric_difference(
            _paired_name(metric),
            *_shared_rows(left, right),
            bins=settings.bins,
            resamples=settings.resamples,
            seed=settings.seed,
        )
    except UndefinedMetricError as error:
        return Undefined(name=f"{metric}_difference", reason=str(error))


def difference_cell(
    metric: str,
    left: tuple[RunRows, TurnColumns],
    right: tuple[RunRows, TurnColumns],
    settings: Settings,
) -> GridCell:
    """A difference, marked where its interval excludes 0.

    Accuracy and Kendall's τ, which are means, also have a sign-flip test over dialogues.  InfoECE
    and the like are no means: signs of single dialogues say nothing about them.
    """
    result = difference(metric, left, right, settings)
    if isinstance(result, Undefined):
        return GridCell(metric=metric, result=result)
    return GridCell(
        metric=metric,
        result=result,
        marked=_side(result) != 0,
        p_value=_p_value(_paired_name(metric), *_shared_rows(left, right), settings),
    )


def corrected(cells: Sequence[GridCell]) -> list[GridCell]:
    """The cells with Holm's correction over all that have a p-value."""
    adjusted = metrics.holm([cell.p_value for cell in cells])
    return [replace(cell, p_holm=p) for cell, p in zip(cells, adjusted, strict=True)]


def best_of(metric: str, entries: Sequence[Entry], settings: Settings) -> int | None:
    """Place of the entry that is better than every other one beyond chance.

    None unless the interval of its paired difference to each of the others lies on its better side
    of 0; two entries without common dialogues cannot be told apart.
    """
    signs = {"lower": -1, "higher": 1, "none": 0}
    sign = signs[entries[0].result.direction] if entries else 0
    if sign == 0 or len(entries) < 2:
        return None
    ordered = sorted(range(len(entries)), key=lambda place: -sign * entries[place].result.value)
    best, others = ordered[0], ordered[1:]
    for place in others:  # the closest first: it is the likeliest to end the search
        found = difference(
            metric,
            (entries[place].rows, entries[place].columns),
            (entries[best].rows, entries[best].columns),
            settings,
        )
        if isinstance(found, Undefined) or _side(found) != sign:
            return None
    return best


def _side(result: MetricResult) -> int:
    """On which side of 0 the interval lies; 0 where it holds it, or where there is none."""
    return 0 if result.interval is None else side_of_zero(result.interval)


def _paired_name(metric: str) -> PairedMetric:
    return cast("PairedMetric", "kendall_tau" if metric == TAU_GOLD else metric)


def _shared_rows(
    left: tuple[RunRows, TurnColumns], right: tuple[RunRows, TurnColumns]
) -> tuple[TurnColumns, TurnColumns]:
    import numpy as np

    if left[0] is right[0]:
        return left[1], right[1]
    shared = shared_dialogues(left[0], right[0])

    def of_shared(columns: TurnColumns) -> TurnColumns:
        keep = [name in shared for name in columns.dialogue.tolist()]
        return rows_where(columns, np.array(keep, dtype=np.bool_))

    return of_shared(left[1]), of_shared(right[1])


def _p_value(
    metric: PairedMetric, left: TurnColumns, right: TurnColumns, settings: Settings
) -> float | None:
    if metric == ACCURACY:
        pairs = pair_turns(left, right, "correct")
        changes = pairs.right.correct.astype(float) - pairs.left.correct.astype(float)
        return metrics.sign_flip_test(changes, pairs.dialogue, seed=settings.seed).p_value
    if metric == "kendall_tau":
        pairs = pair_turns(left, right, "confidence")
        before, after = (
            metrics.kendall_tau_by_dialogue(side.confidence, pairs.dialogue, pairs.turn)
            for side in (pairs.left, pairs.right)
        )
        taus = _changes(before, after)
        return metrics.sign_flip_test([*taus.values()], [*taus], seed=settings.seed).p_value
    return None


def _changes(
    before: Mapping[int, float | None], after: Mapping[int, float | None]
) -> dict[int, float]:
    """Change of each dialogue that has a value on both sides."""
    found: dict[int, float] = {}
    for dialogue, start in before.items():
        end = after[dialogue]
        if start is not None and end is not None:
            found[dialogue] = end - start
    return found
