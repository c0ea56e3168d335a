"""Plain means over turns."""

from __future__ import annotations

import numpy as np

from turnsure.core.results import MetricResult
from turnsure.metrics.results import turn_result
from turnsure.numerics.inputs import (
    Ids,
    Numbers,
    resampling_clusters,
    scored_fractions,
    scored_outcomes,
)
from turnsure.numerics.resampling import interval_of_mean


def mean_confidence(
    confidence: Numbers,
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Mean of the confidences that are there.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    dialogue
        Id of the row's dialogue, shape (n,); with it the result carries a bootstrap interval over
        dialogues.
    resamples, seed, level
        Of the bootstrap.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When every confidence is missing.
    """
    kept, scores = scored_fractions(confidence, "confidence")
    clusters = resampling_clusters(
        dialogue, kept, "confidence", resamples=resamples, seed=seed, level=level
    )
    return turn_result(
        "mean_confidence",
        float(scores.mean()),
        kept=kept,
        clusters=clusters,
        interval=interval_of_mean(clusters, scores),
        direction="none",
    )


def accuracy(
    correct: Numbers,
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Share of right answers among the graded ones.

    Parameters
    ----------
    correct
        0 or 1, shape (n,); None, NaN or masked where it is not graded.
    dialogue, resamples, seed, level
        As for :func:`mean_confidence`.

    Raises
    ------
    InputError
        For columns of different lengths and for values that are neither 0 nor 1.
    UndefinedMetricError
        When nothing is graded.
    """
    kept, outcomes = scored_outcomes(correct)
    clusters = resampling_clusters(
        dialogue, kept, "correct", resamples=resamples, seed=seed, level=level
    )
    return turn_result(
        "accuracy",
        np.count_nonzero(outcomes) / kept.n,
        kept=kept,
        clusters=clusters,
        interval=interval_of_mean(clusters, outcomes),
        direction="higher",
        details={"n_correct": int(np.count_nonzero(outcomes))},
    )
