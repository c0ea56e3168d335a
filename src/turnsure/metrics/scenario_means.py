"""Means over scenarios, which weigh the same, with the bootstrap over scenarios."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from turnsure.core.results import Interval
from turnsure.metrics.paired import PAIRED_INTERVAL, resampled_mean
from turnsure.numerics.few_clusters import expanded_interval
from turnsure.numerics.inputs import clusters_of

SCENARIO_INTERVAL = PAIRED_INTERVAL.replace("dialogues", "scenarios")


def scenario_interval(
    values: Sequence[float], *, resamples: int = 2000, seed: int = 0, level: float = 0.95
) -> Interval | None:
    """Interval of the mean of one value a scenario, whole scenarios being drawn.

    Parameters
    ----------
    values
        One a scenario, all defined.
    resamples, seed, level
        Of the bootstrap.

    Returns
    -------
    The percentile interval, expanded for few scenarios.  None with a single scenario, and where all
    values are the same: resampling them would show no spread at all, which is no evidence that
    there is none.

    Raises
    ------
    InputError
        For settings out of range.
    """
    column = np.asarray(values, dtype=np.float64)
    clusters = clusters_of(np.arange(len(column)), resamples=resamples, seed=seed, level=level)
    if clusters.n < 2 or bool((column == column[0]).all()):
        return None
    return expanded_interval(resampled_mean(clusters, column), clusters.n, clusters.level)
