"""The tables behind a reliability diagram and a score histogram."""

from __future__ import annotations

from typing import Literal

import numpy as np

from turnsure.core.evaluation import ScoreCount, ScoreDistribution
from turnsure.core.results import Interval, ReliabilityBin, ReliabilityTable
from turnsure.numerics.arrays import FloatArray, IntArray, row_blocks
from turnsure.numerics.binning import (
    MAX_BINS,
    bin_sums,
    confidence_bins,
    equal_width_bins,
    equal_width_edges,
)
from turnsure.numerics.inputs import (
    Ids,
    Numbers,
    choice,
    resampling_clusters,
    scored_pairs,
    whole_number,
)
from turnsure.numerics.intervals import wilson_bounds
from turnsure.numerics.resampling import intervals_of_means
from turnsure.numerics.tallies import SortedPairs

_N_MOST_COMMON = 5


def reliability_table(
    confidence: Numbers,
    correct: Numbers,
    bins: int = 10,
    binning: Literal["width", "mass"] = "width",
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> ReliabilityTable:
    """Mean confidence and accuracy by bins of confidence.

    Parameters
    ----------
    confidence, correct, bins, binning
        As for :func:`~turnsure.metrics.calibration_error.ece`.
    dialogue
        Id of the row's dialogue, shape (n,).  With it the accuracies carry bootstrap intervals over
        dialogues, without it Wilson intervals, which take the turns to be independent.
    resamples, seed
        Of the bootstrap.
    level
        Nominal coverage of the intervals.

    Returns
    -------
    All bins, lowest first, empty ones included.  With ``binning="mass"`` the bounds of a bin are
    the smallest and the largest confidence in it; a bin is empty when the tied confidences at the
    start of the next one reach over it, and then has that confidence as both bounds.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no row has both a confidence and an outcome.
    """
    choice(binning, "binning", ("width", "mass"))
    n_bins = whole_number(bins, "bins", minimum=1, maximum=MAX_BINS)
    kept, scores, outcomes = scored_pairs(confidence, correct)
    clusters = resampling_clusters(
        dialogue, kept, "confidence", resamples=resamples, seed=seed, level=level
    )
    every_bin = confidence_bins(scores, n_bins, mass=binning == "mass")
    n, summed, n_right = bin_sums(every_bin, scores, outcomes, n_bins)
    if binning == "mass":
        lower, upper = _mass_bounds(scores, every_bin, n_bins)
    else:
        edges = equal_width_edges(n_bins)
        lower, upper = edges[:-1], edges[1:]

    if clusters is None:
        intervals = _wilson_intervals(n_right[n > 0], n[n > 0], level)
    else:
        intervals = intervals_of_means(clusters, every_bin, outcomes.astype(np.float64))
    interval_of = dict(zip(np.flatnonzero(n).tolist(), intervals, strict=True))
    return ReliabilityTable(
        bins=tuple(
            _reliability_bin(
                lower=float(lower[place]),
                upper=float(upper[place]),
                n=int(n[place]),
                confidence=float(summed[place]),
                n_right=float(n_right[place]),
                interval=interval_of.get(place),
            )
            for place in range(n_bins)
        ),
        n_turns=kept.n,
        n_failed=kept.n_failed,
        definition={
            "bins": n_bins,
            "binning": binning,
            "closure": "left" if binning == "width" else None,
            "level": level,
        },
    )


def score_distribution(confidence: Numbers, correct: Numbers, bars: int = 50) -> ScoreDistribution:
    """How the confidences of the scored rows are spread.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    correct
        0 or 1, shape (n,); missing where it is not graded.
    bars
        Bars [k/B, (k+1)/B) of equal width, the last closed at 1.

    Returns
    -------
    All bars, lowest first, and the most common values; equally common ones lowest first.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no row has both a confidence and an outcome.
    """
    n_bars = whole_number(bars, "bars", minimum=1, maximum=MAX_BINS)
    kept, scores, outcomes = scored_pairs(confidence, correct)
    n, n_right = (np.zeros(n_bars, dtype=np.intp) for _ in range(2))
    for rows in row_blocks(kept.n):
        bar_of = equal_width_bins(scores[rows], n_bars)
        n += np.bincount(bar_of, minlength=n_bars)
        n_right += np.bincount(bar_of[outcomes[rows]], minlength=n_bars)
    edges = equal_width_edges(n_bars).tolist()
    n_distinct, most_common = _most_common(SortedPairs(scores, outcomes))
    return ScoreDistribution(
        bars=tuple(
            ScoreCount(lower=lower, upper=upper, n=count, n_correct=correct_count)
            for lower, upper, count, correct_count in zip(
                edges[:-1], edges[1:], n.tolist(), n_right.tolist(), strict=True
            )
        ),
        n_distinct=n_distinct,
        most_common=most_common,
        n_turns=kept.n,
    )


def _most_common(pairs: SortedPairs) -> tuple[int, tuple[tuple[float, int], ...]]:
    """How many values there are, and the most common with their rows; ties lowest first."""
    n_distinct = 0
    value, n = np.zeros(0), np.zeros(0)
    for piece in pairs.tallies():
        n_distinct += len(piece.n)
        value, n = np.concatenate([value, piece.value]), np.concatenate([n, piece.n])
        # In rising order among equals, since later pieces hold higher values.
        first = np.argsort(-n, kind="stable")[:_N_MOST_COMMON]
        value, n = value[first], n[first]
    return n_distinct, tuple(zip(value.tolist(), n.astype(np.intp).tolist(), strict=True))


def _reliability_bin(
    *,
    lower: float,
    upper: float,
    n: int,
    confidence: float,
    n_right: float,
    interval: Interval | None,
) -> ReliabilityBin:
    """A row of the table from the bin's sums."""
    return ReliabilityBin(
        lower=lower,
        upper=upper,
        n=n,
        mean_confidence=confidence / n if n else None,
        accuracy=n_right / n if n else None,
        gap=(n_right - confidence) / n if n else None,
        accuracy_interval=interval,
    )


def _wilson_intervals(passes: FloatArray, runs: FloatArray, level: float) -> list[Interval | None]:
    bounds = [wilson_bounds(int(c), int(n), level) for c, n in zip(passes, runs, strict=True)]
    return [Interval(low=low, high=high, level=level, method="wilson") for low, high in bounds]


def _mass_bounds(scores: FloatArray, bins: IntArray, n_bins: int) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest confidence of each bin; an empty one lies at the start of the next."""
    lower, upper = np.full(n_bins, np.inf), np.full(n_bins, -np.inf)
    np.minimum.at(lower, bins, scores)
    np.maximum.at(upper, bins, scores)
    # The last bin is never empty: the highest confidence is in it.
    lower = np.minimum.accumulate(lower[::-1])[::-1]
    return lower, np.maximum(upper, lower)
