"""What is gained by answering only when sure."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from turnsure.core.results import Curve, CurvePoint, Interval, MetricResult
from turnsure.metrics.results import turn_result
from turnsure.numerics.arrays import BoolArray, FloatArray, IntArray, row_blocks
from turnsure.numerics.inputs import Ids, Numbers, resampling_clusters, scored_pairs
from turnsure.numerics.ranks import tie_groups
from turnsure.numerics.resampling import (
    Clusters,
    interval_of_rows,
    percentile_intervals,
    resampled_running_sums,
)
from turnsure.numerics.tallies import SortedPairs, Tally


def aurc(
    confidence: Numbers,
    correct: Numbers,
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Area under the risk–coverage curve: mean over k = 1..n of the error among the k surest rows.

    Where ties are cut, the error is the expected one for a random order of the tied rows, so the
    order of the rows does not matter.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    correct
        0 or 1, shape (n,); missing where it is not graded.
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
        When no row has both a confidence and an outcome.

    References
    ----------
    Geifman, Uziel, El-Yaniv: Bias-reduced uncertainty estimation for deep neural classifiers
    (ICLR 2019).
    """
    kept, scores, outcomes = scored_pairs(confidence, correct)
    clusters = resampling_clusters(
        dialogue, kept, "confidence", resamples=resamples, seed=seed, level=level
    )
    n_thresholds, n_accepted, errors, risks = 0, 0, 0.0, 0.0
    for piece in SortedPairs(scores, outcomes).tallies(descending=True):
        n_thresholds += len(piece.n)
        for expected in _expected_errors(piece):
            running = errors + np.cumsum(expected)
            risks += float(
                (running / np.arange(n_accepted + 1, n_accepted + len(running) + 1)).sum()
            )
            n_accepted, errors = n_accepted + len(running), float(running[-1])
    return turn_result(
        "aurc",
        risks / kept.n,
        kept=kept,
        clusters=clusters,
        interval=_aurc_interval(clusters, scores, outcomes),
        direction="lower",
        definition={"ties": "expected error of a random order"},
        details={"n_thresholds": n_thresholds},
    )


def _expected_errors(piece: Tally) -> Iterator[FloatArray]:
    """The error to be expected of each row, in blocks, however many rows are tied."""
    expected, ends = (piece.n - piece.right) / piece.n, np.cumsum(piece.n).astype(np.intp)
    for rows in row_blocks(int(ends[-1])):
        here = np.clip(ends, rows.start, rows.stop)
        yield np.repeat(expected, np.diff(here, prepend=rows.start))


def _aurc_interval(
    clusters: Clusters | None, scores: FloatArray, outcomes: BoolArray
) -> Interval | None:
    if clusters is None:
        return None
    groups = tie_groups(scores, descending=True)
    wrong = (~outcomes[groups.order]).astype(np.float64)
    return interval_of_rows(
        clusters, groups.order, lambda weights: _weighted_aurc(weights, wrong, groups.starts)
    )


def risk_coverage(
    confidence: Numbers,
    correct: Numbers,
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> Curve:
    """Error rate of the accepted rows against their share, one point a distinct threshold.

    Parameters
    ----------
    confidence, correct, dialogue, resamples, seed, level
        As for :func:`aurc`.

    Returns
    -------
    Points from the highest threshold to the lowest.  A threshold accepts the rows with at least
    that confidence: x is their share of the scored rows, y their error rate, n their number.  With
    ``dialogue``, low and high are the bootstrap interval of the error rate at that threshold, from
    the resamples that accept a row.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no row has both a confidence and an outcome.
    """
    kept, scores, outcomes = scored_pairs(confidence, correct)
    clusters = resampling_clusters(
        dialogue, kept, "confidence", resamples=resamples, seed=seed, level=level
    )
    groups = tie_groups(scores, descending=True)
    accepted = groups.last + 1
    wrong = np.cumsum(~outcomes[groups.order])[groups.last]

    intervals: list[Interval | None] = [None] * len(accepted)
    if clusters is not None and clusters.n > 1:
        errors = (~outcomes).astype(np.float64)
        intervals = [
            interval
            for n, total in resampled_running_sums(clusters, groups.order, errors, groups.last)
            for interval in percentile_intervals(
                total / np.maximum(n, 1.0), n > 0.0, clusters.level
            )
        ]
    points = tuple(
        CurvePoint(
            x=float(n / kept.n),
            y=float(n_wrong / n),
            low=None if interval is None else interval.low,
            high=None if interval is None else interval.high,
            n=int(n),
            threshold=float(threshold),
        )
        for n, n_wrong, threshold, interval in zip(
            accepted, wrong, scores[groups.order[groups.last]], intervals, strict=True
        )
    )
    return Curve(
        name="risk_coverage",
        x_label="coverage",
        y_label="error rate",
        points=points,
        n_turns=kept.n,
        n_failed=kept.n_failed,
        definition={"coverage": "of the scored turns", "accepts": "confidence >= threshold"},
    )


def _weighted_aurc(weights: FloatArray, wrong: FloatArray, starts: IntArray) -> FloatArray:
    """AURC of rows that each count a whole number of times, shape (r,).

    With E errors among the A rows before a group of s tied rows of which e are wrong, the risks
    inside the group are (E + e j/s) / (A + j), j = 1..s.  They add up to
    e + (E − e A/s) (H(A + s) − H(A)), where H are the harmonic numbers.
    """
    size = np.add.reduceat(weights, starts, axis=1)
    errors = np.add.reduceat(weights * wrong, starts, axis=1)
    end = np.cumsum(size, axis=1)
    reciprocals = 1.0 / np.arange(1.0, end.max() + 1.0)
    harmonic = np.concatenate(([0.0], np.cumsum(reciprocals)))[end.astype(np.intp)]
    span = np.diff(harmonic, axis=1, prepend=0.0)
    excess = np.cumsum(errors, axis=1) - errors * (end / np.maximum(size, 1.0))
    return (errors + excess * span).sum(axis=1) / end[:, -1]
