"""How much more than people a judge leans to one side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from turnsure.core.errors import UndefinedMetricError
from turnsure.core.results import MetricResult
from turnsure.metrics.agreement import spread_interval
from turnsure.numerics.arrays import BoolArray, FloatArray
from turnsure.numerics.inputs import Ids, clusters_of, dialogue_codes, require_length


def leaning(
    name: str,
    judge: Sequence[float],
    human: Sequence[float],
    *,
    cluster: Ids,
    beside: Sequence[bool] | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Mean of judge − human, which people's own preference for what is better cancels.

    Parameters
    ----------
    name
        Of the result.
    judge, human
        How far each went for the side in question: 1 for it, 0 against it, ½ for a tie; shape (n,).
    cluster
        What rows belong to, shape (n,).
    beside
        True for rows of the other kind, shape (n,): then the mean over the rows of this kind minus
        that over the others.  None without such rows.
    resamples, seed, level
        Of the bootstrap over clusters.

    Returns
    -------
    0 where the judge does as people do, positive where it leans to the side.  No interval with a
    single cluster and where resamples show no spread.

    Raises
    ------
    InputError
        For columns of different lengths.
    UndefinedMetricError
        There is no row, or none of either kind.
    """
    require_length(len(human), "human", len(judge), "judge")
    other = np.zeros(len(judge), dtype=np.bool_)
    if beside is not None:
        require_length(len(beside), "beside", len(judge), "judge")
        other = np.asarray(beside, dtype=np.bool_)
    if not len(judge) or other.all() or (beside is not None and not other.any()):
        raise UndefinedMetricError("there is no row of one kind")
    codes, _ = dialogue_codes(cluster, len(judge), "judge")
    clusters = clusters_of(codes, resamples=resamples, seed=seed, level=level)
    lead = np.asarray(judge, dtype=np.float64) - np.asarray(human, dtype=np.float64)
    bins = other.astype(np.intp)
    return MetricResult(
        name=name,
        value=_difference(lead, other),
        interval=spread_interval(clusters, bins, [lead], _differences),
        n_turns=len(lead),
        n_dialogues=clusters.n,
        direction="none",
        definition={"difference": "judge - human", "tie": 0.5},
        details={"n_beside": int(other.sum())},
    )


def _difference(lead: FloatArray, other: BoolArray) -> float:
    own = float(lead[~other].mean())
    return own - float(lead[other].mean()) if other.any() else own


def _differences(sums: FloatArray) -> FloatArray:
    """The same in each resample that has rows of every kind."""
    n, total = sums[:, 0], sums[:, 1]
    there = (n > 0.0).all(axis=1)
    means = total[there] / n[there]
    return means[:, 0] - means[:, 1] if means.shape[1] > 1 else means[:, 0]
