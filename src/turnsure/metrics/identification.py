"""Confidence against what the hints of a closed world justify, and what it does when they widen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from turnsure.core.errors import UndefinedMetricError
from turnsure.core.results import Curve, Direction, MetricResult
from turnsure.metrics.information_level import Binning, by_level
from turnsure.metrics.results import turn_result
from turnsure.numerics.arrays import BoolArray, FloatArray
from turnsure.numerics.few_clusters import cluster_means
from turnsure.numerics.inputs import (
    Ids,
    Kept,
    Numbers,
    clusters_of,
    dialogue_codes,
    require_length,
    resampling_clusters,
    scored_fractions,
)
from turnsure.numerics.resampling import interval_of_mean


def ideal_distance(
    confidence: Numbers,
    ideal: Numbers,
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Mean distance |confidence − ideal| between a confidence and the one that is justified.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    ideal
        What a perfect reasoner would say of the same answer at the same turn, in [0, 1], shape
        (n,); missing where that is not known.  Over the n candidates of a closed world that fit
        the hints it is 1/n for each of them and 0 for anything else.
    dialogue
        Id of the row's dialogue, shape (n,); with it the result carries a bootstrap interval over
        dialogues.
    resamples, seed, level
        Of the bootstrap.

    Returns
    -------
    The details ``mean_confidence`` and ``mean_ideal`` are over the same rows.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no row has both.
    """
    return _mean_gap(
        "ideal_distance", np.abs, confidence, ideal, dialogue, (resamples, seed, level), "lower"
    )


def ideal_bias(
    confidence: Numbers,
    ideal: Numbers,
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Mean of confidence − ideal: above 0 where a confidence is surer than the hints justify.

    Parameters, details and errors are those of :func:`ideal_distance`.  Gaps of either sign cancel,
    so 0 does not mean that the two agree anywhere.
    """
    return _mean_gap(
        "ideal_bias", np.positive, confidence, ideal, dialogue, (resamples, seed, level), "none"
    )


def ideal_distance_by_level(
    confidence: Numbers,
    ideal: Numbers,
    turn: Numbers,
    n_turns: Numbers,
    bins: int = 10,
    binning: Binning = "width",
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> Curve:
    """Mean distance |confidence − ideal| along the information level.

    ``confidence`` and ``ideal`` are those of :func:`ideal_distance`; everything else, and what is
    returned, as for :func:`turnsure.metrics.by_level`.
    """
    complete, scores, justified = _both(confidence, ideal, "confidence", "ideal")
    distances = np.full(len(complete), np.nan)
    distances[complete] = np.abs(scores - justified)
    return by_level(
        distances,
        turn,
        n_turns,
        bins,
        binning,
        dialogue=dialogue,
        name="distance to the ideal",
        resamples=resamples,
        seed=seed,
        level=level,
    )


def share_falling(
    before: Numbers,
    after: Numbers,
    dialogue: Ids,
    *,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Share of pairs in which a confidence is lower after than before; equal ones have not fallen.

    Parameters
    ----------
    before, after
        In [0, 1], shape (n,); None, NaN or masked where one is missing.  A pair with a missing half
        is left out and counted in ``n_failed``.
    dialogue
        Id of the pair's dialogue, shape (n,).
    resamples, seed, level
        Of the bootstrap over dialogues.

    Returns
    -------
    ``n_turns`` is the number of pairs.  The details count pairs that fell, rose and stayed
    (``n_fell``, ``n_rose``, ``n_stayed``), and dialogues whose mean change is below 0
    (``n_dialogues_fell``).

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no pair is complete.
    """
    complete, start, end = _both(before, after, "before", "after")
    kept = _kept(complete)
    codes, _ = dialogue_codes(dialogue, kept.n_given, "before")
    clusters = clusters_of(kept.pick(codes), resamples=resamples, seed=seed, level=level)
    falls = end < start
    means = cluster_means(clusters.codes, end - start)
    n_fell, n_rose = int(np.count_nonzero(falls)), int(np.count_nonzero(end > start))
    return turn_result(
        "share_falling",
        n_fell / kept.n,
        kept=kept,
        clusters=clusters,
        interval=interval_of_mean(clusters, falls.astype(np.float64)),
        direction="none",
        details={
            "n_fell": n_fell,
            "n_rose": n_rose,
            "n_stayed": kept.n - n_fell - n_rose,
            # Changes that cancel leave a mean that rounding alone puts below 0.
            "n_dialogues_fell": int(np.count_nonzero(np.round(means, 12) < 0.0)),
        },
    )


def _mean_gap(
    name: str,
    size: Callable[[FloatArray], FloatArray],
    confidence: Numbers,
    ideal: Numbers,
    dialogue: Ids | None,
    boot: tuple[int, int, float],
    direction: Direction,
) -> MetricResult:
    """Mean ``size`` of confidence − ideal; ``boot`` is resamples, seed and level."""
    complete, scores, justified = _both(confidence, ideal, "confidence", "ideal")
    kept = _kept(complete)
    resamples, seed, level = boot
    clusters = resampling_clusters(
        dialogue, kept, "confidence", resamples=resamples, seed=seed, level=level
    )
    gaps = size(scores - justified)
    return turn_result(
        name,
        float(gaps.mean()),
        kept=kept,
        clusters=clusters,
        interval=interval_of_mean(clusters, gaps),
        direction=direction,
        details={"mean_confidence": float(scores.mean()), "mean_ideal": float(justified.mean())},
    )


def _both(
    left: Numbers, right: Numbers, field: str, other: str
) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Which rows have both of two fractions, shape (n,), and the fractions of those that have."""
    (kept, values), (kept_other, values_other) = (
        scored_fractions(left, field),
        scored_fractions(right, other),
    )
    n_given = kept.n_given
    require_length(kept_other.n_given, other, n_given, field)
    complete = np.ones(n_given, dtype=np.bool_)
    for mask in (kept.mask, kept_other.mask):
        if mask is not None:
            complete &= mask
    if not complete.any():
        raise UndefinedMetricError(
            f"none of the {n_given} rows has a value in both {field!r} and {other!r}"
        )
    return complete, values[kept.pick(complete)], values_other[kept_other.pick(complete)]


def _kept(complete: BoolArray) -> Kept:
    n = int(np.count_nonzero(complete))
    return Kept(n, len(complete) - n, complete)
