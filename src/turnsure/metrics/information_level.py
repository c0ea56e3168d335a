"""Calibration and means along the information level s = turn / n_turns."""

from __future__ import annotations

from typing import Literal

import numpy as np

from turnsure.core.results import Curve, CurvePoint, Interval, MetricResult
from turnsure.metrics.results import turn_result
from turnsure.numerics.arrays import FloatArray
from turnsure.numerics.binning import MAX_BINS, sums_by
from turnsure.numerics.inputs import (
    Ids,
    Kept,
    Numbers,
    check_resampling,
    choice,
    resampling_clusters,
    scored_fractions,
    scored_pairs,
    whole_number,
)
from turnsure.numerics.levels import Levels, LevelSums
from turnsure.numerics.pairs import Pairs, Tally
from turnsure.numerics.resampling import Clusters, interval_of_sums, intervals_of_means

Binning = Literal["width", "mass"]


def info_ece(
    confidence: Numbers,
    correct: Numbers,
    turn: Numbers,
    n_turns: Numbers,
    bins: int = 10,
    binning: Binning = "width",
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Calibration error at equal information: mean over non-empty bins of |accuracy − confidence|.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    correct
        0 or 1, shape (n,); missing where it is not graded.
    turn
        Counts from 1, shape (n,).
    n_turns
        Length L of the row's dialogue, shape (n,).
    bins
        B, at least 1.
    binning
        ``"width"``: bin (k/B, (k+1)/B] of the information level turn/L, found in whole numbers as
        ``(turn * B - 1) // L``.  ``"mass"``: bin ``(B * #{levels <= it} - 1) // n`` over the scored
        rows, so that equal levels stay together.
    dialogue
        Id of the row's dialogue, shape (n,).  With it the result carries a bootstrap interval over
        dialogues; the bins of the full data are kept in every resample.
    resamples, seed, level
        Of the bootstrap.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no row has both a confidence and an outcome.
    """
    choice(binning, "binning", ("width", "mass"))
    n_bins = whole_number(bins, "bins", minimum=1, maximum=MAX_BINS)
    check_resampling(resamples=resamples, seed=seed, level=level)
    pairs = Pairs(confidence, correct)
    levels = Levels(turn, n_turns, pairs.n_given, "confidence")
    interval, clusters = None, None
    if dialogue is None and binning == "width":
        gathered = LevelSums(levels, n_bins)
        for block in pairs.blocks():
            gathered.add(block, block.gaps())
        sums = gathered.total()
        kept = pairs.tally(int(sums[0].sum()))
    else:
        kept, scores, outcomes = scored_pairs(confidence, correct)
        clusters = resampling_clusters(
            dialogue, kept, "confidence", resamples=resamples, seed=seed, level=level
        )
        places, gaps = levels.bins(kept, n_bins, mass=binning == "mass"), outcomes - scores
        sums = sums_by(places, gaps, n_bins)
        interval = interval_of_sums(clusters, places, [gaps], mean_gap)
    return info_ece_result(sums, binning, kept=kept, clusters=clusters, interval=interval)


def info_ece_result(
    sums: FloatArray,
    binning: Binning,
    *,
    kept: Kept | Tally,
    clusters: Clusters | None = None,
    interval: Interval | None = None,
) -> MetricResult:
    """InfoECE from rows and summed gaps by bin, shape (2, n_bins)."""
    return turn_result(
        "info_ece",
        float(mean_gap(sums)),
        kept=kept,
        clusters=clusters,
        interval=interval,
        direction="lower",
        definition={
            "bins": sums.shape[1],
            "binning": binning,
            "closure": "right" if binning == "width" else None,
            "average": "non-empty bins weigh the same",
        },
        details={"n_empty_bins": int(np.count_nonzero(sums[0] == 0))},
    )


def mean_gap(sums: FloatArray) -> FloatArray:
    """From rows and summed gaps, shape (..., 2, n_bins), the mean over bins of |gap / rows|."""
    n, gaps = sums[..., 0, :], sums[..., 1, :]
    rates = np.abs(gaps) / np.maximum(n, 1)
    return rates.sum(axis=-1) / np.count_nonzero(n, axis=-1)


def by_level(
    values: Numbers,
    turn: Numbers,
    n_turns: Numbers,
    bins: int = 10,
    binning: Binning = "width",
    *,
    dialogue: Ids | None = None,
    name: str = "confidence",
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> Curve:
    """Mean of ``values`` (confidences or outcomes) along the information level.

    Parameters
    ----------
    values
        In [0, 1], shape (n,); None, NaN or masked where missing.
    name
        What the values are; names the curve and its y axis.
    turn, n_turns, bins, binning, dialogue, resamples, seed, level
        As for :func:`info_ece`.

    Returns
    -------
    One point a non-empty bin: x is the bin's upper edge (b + 1)/B, or for ``binning="mass"`` the
    highest level in the bin; y the mean; low and high the bootstrap interval of the mean.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no value is there.
    """
    choice(binning, "binning", ("width", "mass"))
    n_bins = whole_number(bins, "bins", minimum=1, maximum=MAX_BINS)
    kept, scores = scored_fractions(values, "values")
    clusters = resampling_clusters(
        dialogue, kept, "values", resamples=resamples, seed=seed, level=level
    )
    levels = Levels(turn, n_turns, kept.n_given, "values")
    every_bin = levels.bins(kept, n_bins, mass=binning == "mass")

    n, totals = np.bincount(every_bin), np.bincount(every_bin, scores)
    occupied = np.flatnonzero(n)
    upper = (occupied + 1) / n_bins
    if binning == "mass":
        highest = np.zeros(len(n))
        np.maximum.at(highest, every_bin, levels.of(kept))
        upper = highest[occupied]
    intervals = intervals_of_means(clusters, every_bin, scores)
    points = tuple(
        CurvePoint(
            x=float(x),
            y=float(totals[place] / n[place]),
            low=None if interval is None else interval.low,
            high=None if interval is None else interval.high,
            n=int(n[place]),
        )
        for x, place, interval in zip(upper, occupied, intervals, strict=True)
    )
    return Curve(
        name=name,
        x_label="information level",
        y_label=f"mean {name}",
        points=points,
        n_turns=kept.n,
        n_failed=kept.n_failed,
        definition={"bins": n_bins, "binning": binning, "level": level},
    )
