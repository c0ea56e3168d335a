"""Every metric that two conditions can be compared by, and its difference in every resample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from turnsure.core.results import MetricResult
from turnsure.metrics.averages import accuracy, mean_confidence
from turnsure.metrics.calibration_error import (
    calibration_error,
    ece,
    smooth_ece,
    weighted_smooth_ece,
)
from turnsure.metrics.information_level import Binning, info_ece, mean_gap
from turnsure.metrics.monotonicity import kendall_tau, kendall_tau_by_dialogue
from turnsure.metrics.paired import resampled_mean
from turnsure.metrics.pairing import Needs, Pairs, Scores, naming
from turnsure.metrics.proper_scores import brier
from turnsure.metrics.ranking import auroc, weighted_auroc
from turnsure.numerics.arrays import FloatArray, IntArray
from turnsure.numerics.binning import confidence_bins, information_bins
from turnsure.numerics.ranks import tie_groups
from turnsure.numerics.resampling import Clusters, resampled_sums

PairedMetric = Literal[
    "accuracy",
    "auroc",
    "brier",
    "ece",
    "info_ece",
    "kendall_tau",
    "mean_confidence",
    "smooth_ece",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A metric on both sides, and how to get its difference in every resample.

    Attributes
    ----------
    left, right
        The metric of either side.
    dialogue
        Number of the dialogue of every row that ``resampled`` weighs, shape (n,).
    resampled
        Gives the differences of the resamples in which both sides have a value.
    """

    left: MetricResult
    right: MetricResult
    dialogue: IntArray
    resampled: Callable[[Clusters], FloatArray]


def _on_sides(
    pairs: Pairs, compute: Callable[[Scores], MetricResult]
) -> tuple[MetricResult, MetricResult]:
    with naming("left"):
        left = compute(pairs.left)
    with naming("right"):
        right = compute(pairs.right)
    return left, right


def _of_rows(
    compute: Callable[[Scores], MetricResult],
    value_of_rows: Callable[[Scores], FloatArray],
    pairs: Pairs,
    bins: int,
    binning: Binning,
) -> Compared:
    """For a plain mean over rows: its difference is the mean of the rows' differences."""
    del bins, binning
    left, right = _on_sides(pairs, compute)
    differences = value_of_rows(pairs.right) - value_of_rows(pairs.left)
    return Compared(
        left=left,
        right=right,
        dialogue=pairs.dialogue,
        resampled=lambda clusters: resampled_mean(clusters, differences),
    )


def _kendall_tau(pairs: Pairs, bins: int, binning: Binning) -> Compared:
    del bins, binning

    def of_side(scores: Scores) -> MetricResult:
        # Its own interval is not read; the resamples below are those of the difference.
        return kendall_tau(scores.confidence, pairs.dialogue, pairs.turn, resamples=1)

    def taus(scores: Scores) -> FloatArray:
        each = kendall_tau_by_dialogue(scores.confidence, pairs.dialogue, pairs.turn).values()
        return np.array([tau for tau in each if tau is not None])

    left, right = _on_sides(pairs, of_side)
    differences = taus(pairs.right) - taus(pairs.left)
    return Compared(
        left=left,
        right=right,
        dialogue=np.arange(len(differences)),
        resampled=lambda clusters: resampled_mean(clusters, differences),
    )


def _info_ece(pairs: Pairs, bins: int, binning: Binning) -> Compared:
    left, right = _on_sides(
        pairs,
        lambda scores: info_ece(
            scores.confidence, scores.correct, pairs.turn, pairs.n_turns, bins, binning
        ),
    )
    places = information_bins(pairs.turn, pairs.n_turns, bins, mass=binning == "mass")

    def resampled(clusters: Clusters) -> FloatArray:
        gaps = [pairs.left.gaps, pairs.right.gaps]
        blocks = resampled_sums(clusters, places, gaps)
        differences = [mean_gap(sums[:, [0, 2]]) - mean_gap(sums[:, [0, 1]]) for sums in blocks]
        return np.concatenate(differences)

    return Compared(left=left, right=right, dialogue=pairs.dialogue, resampled=resampled)


def _ece(pairs: Pairs, bins: int, binning: Binning) -> Compared:
    def of_side(clusters: Clusters, scores: Scores) -> FloatArray:
        places = confidence_bins(scores.confidence, bins, mass=binning == "mass")
        columns = [scores.confidence, scores.correct.astype(np.float64)]
        blocks = resampled_sums(clusters, places, columns)
        return np.concatenate([calibration_error(sums, norm="l1", debias=False) for sums in blocks])

    left, right = _on_sides(
        pairs, lambda scores: ece(scores.confidence, scores.correct, bins, binning)
    )
    return Compared(
        left=left,
        right=right,
        dialogue=pairs.dialogue,
        resampled=lambda clusters: of_side(clusters, pairs.right) - of_side(clusters, pairs.left),
    )


def _smooth_ece(pairs: Pairs, bins: int, binning: Binning) -> Compared:
    del bins, binning

    def of_side(clusters: Clusters, scores: Scores) -> FloatArray:
        errors = weighted_smooth_ece(scores.confidence, scores.correct)
        every_row = np.arange(len(pairs.dialogue))
        return np.concatenate([errors(weights) for weights in clusters.row_weights(every_row)])

    left, right = _on_sides(pairs, lambda scores: smooth_ece(scores.confidence, scores.correct))
    return Compared(
        left=left,
        right=right,
        dialogue=pairs.dialogue,
        resampled=lambda clusters: of_side(clusters, pairs.right) - of_side(clusters, pairs.left),
    )


def _auroc(pairs: Pairs, bins: int, binning: Binning) -> Compared:
    del bins, binning
    sides = [(scores, tie_groups(scores.confidence)) for scores in (pairs.left, pairs.right)]

    def resampled(clusters: Clusters) -> FloatArray:
        differences: list[FloatArray] = []
        for weights in clusters.weights(len(clusters.codes)):
            (one, on_left), (other, on_right) = (
                weighted_auroc(
                    weights[:, clusters.codes[groups.order]],
                    scores.correct[groups.order],
                    groups.starts,
                )
                for scores, groups in sides
            )
            differences.append((other - one)[on_left & on_right])
        return np.concatenate(differences)

    left, right = _on_sides(pairs, lambda scores: auroc(scores.confidence, scores.correct))
    return Compared(left=left, right=right, dialogue=pairs.dialogue, resampled=resampled)


COMPARISONS: dict[str, tuple[Needs, Callable[[Pairs, int, Binning], Compared]]] = {
    "accuracy": (
        "correct",
        partial(
            _of_rows,
            lambda scores: accuracy(scores.correct),
            lambda scores: scores.correct.astype(np.float64),
        ),
    ),
    "auroc": ("both", _auroc),
    "brier": (
        "both",
        partial(
            _of_rows,
            lambda scores: brier(scores.confidence, scores.correct),
            lambda scores: np.square(scores.gaps),
        ),
    ),
    "ece": ("both", _ece),
    "info_ece": ("both", _info_ece),
    "kendall_tau": ("confidence", _kendall_tau),
    "mean_confidence": (
        "confidence",
        partial(
            _of_rows,
            lambda scores: mean_confidence(scores.confidence),
            lambda scores: scores.confidence,
        ),
    ),
    "smooth_ece": ("both", _smooth_ece),
}
