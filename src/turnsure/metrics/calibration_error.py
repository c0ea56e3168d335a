"""Calibration error over bins of confidence, the table behind it, and the smooth version."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from turnsure.core.errors import InputError
from turnsure.core.results import Interval, MetricResult
from turnsure.metrics.results import turn_result
from turnsure.numerics.arrays import BoolArray, FloatArray
from turnsure.numerics.binning import MAX_BINS, bin_sums, confidence_bins, width_bin_sums
from turnsure.numerics.inputs import (
    Ids,
    Kept,
    Numbers,
    check_resampling,
    choice,
    resampling_clusters,
    scored_pairs,
    whole_number,
)
from turnsure.numerics.pairs import Pairs, Tally
from turnsure.numerics.resampling import Clusters, interval_of_rows, interval_of_sums
from turnsure.numerics.smoothing import Smoother

Binning = Literal["width", "mass"]
Norm = Literal["l1", "l2", "max"]


def ece(
    confidence: Numbers,
    correct: Numbers,
    bins: int = 10,
    binning: Binning = "width",
    norm: Norm = "l1",
    debias: bool = False,
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Expected calibration error over bins of confidence.

    With n_b rows, accuracy a_b and mean confidence c_b in bin b: ``"l1"`` is Σ n_b/n |a_b − c_b|,
    ``"l2"`` is √(Σ n_b/n (a_b − c_b)²), ``"max"`` is the largest |a_b − c_b|.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    correct
        0 or 1, shape (n,); missing where it is not graded.
    bins
        B, at least 1.
    binning
        ``"width"``: bins [k/B, (k+1)/B), the last closed at 1, with the double nearest to k/B as
        edge.  ``"mass"``: bin ``(B * #{confidences <= it} - 1) // n``; equal confidences stay
        together and the order of the rows does not matter.
    norm
        See above.
    debias
        With ``"l2"`` only: takes a_b (1 − a_b) / (n_b − 1) off each square, floors the sum at 0 and
        then takes the root.  A bin with a single row has no such estimate and counts with its plain
        square.
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

    References
    ----------
    Naeini, Cooper, Hauskrecht: Obtaining well calibrated probabilities using Bayesian binning
    (AAAI 2015).  The debiased estimate: Kumar, Liang, Ma: Verified uncertainty calibration
    (NeurIPS 2019).
    """
    choice(binning, "binning", ("width", "mass"))
    choice(norm, "norm", ("l1", "l2", "max"))
    if debias and norm != "l2":
        raise InputError(f"there is no debiased {norm!r}", field="debias", expected="norm 'l2'")
    n_bins = whole_number(bins, "bins", minimum=1, maximum=MAX_BINS)
    statistic = partial(calibration_error, norm=norm, debias=debias)
    interval, clusters = None, None
    if dialogue is None and binning == "width":
        check_resampling(resamples=resamples, seed=seed, level=level)
        pairs = Pairs(confidence, correct)
        sums = width_bin_sums(pairs.blocks(), n_bins)
        kept = pairs.tally(int(sums[0].sum()))
    else:
        kept, scores, outcomes = scored_pairs(confidence, correct)
        clusters = resampling_clusters(
            dialogue, kept, "confidence", resamples=resamples, seed=seed, level=level
        )
        places = confidence_bins(scores, n_bins, mass=binning == "mass")
        sums = bin_sums(places, scores, outcomes, n_bins)
        if clusters is not None:
            columns = [scores, outcomes.astype(np.float64)]
            interval = interval_of_sums(clusters, places, columns, statistic)
    return ece_result(
        float(statistic(sums)),
        sums[0],
        binning,
        norm,
        debias=debias,
        kept=kept,
        clusters=clusters,
        interval=interval,
    )


def ece_result(
    value: float,
    rows: FloatArray,
    binning: Binning = "width",
    norm: Norm = "l1",
    *,
    debias: bool = False,
    kept: Kept | Tally,
    clusters: Clusters | None = None,
    interval: Interval | None = None,
) -> MetricResult:
    """ECE from its value and the rows of each bin, shape (n_bins,)."""
    return turn_result(
        "ece",
        value,
        kept=kept,
        clusters=clusters,
        interval=interval,
        direction="lower",
        definition={
            "bins": len(rows),
            "binning": binning,
            "closure": "left" if binning == "width" else None,
            "norm": norm,
            "debias": debias,
        },
        details={
            "n_empty_bins": int(np.count_nonzero(rows == 0)),
            "n_bins_of_one": int(np.count_nonzero(rows == 1)),
        },
    )


def smooth_ece(
    confidence: Numbers,
    correct: Numbers,
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Calibration error without bins: residuals are smoothed, and the width chooses itself.

    With the Gaussian kernel K_σ reflected at 0 and 1, the error at width σ is
    ∫₀¹ |Σ (y_i − f_i) K_σ(t, f_i)| dt / n; reported is the one σ* at which it equals σ*.
    Right to 1e-6; resampled values to 1e-5 where they are above 1e-3.

    Parameters
    ----------
    confidence
        f, in [0, 1], shape (n,); None, NaN or masked where it is missing.
    correct
        y, 0 or 1, shape (n,); missing where it is not graded.
    dialogue
        Id of the row's dialogue, shape (n,); with it the result carries a bootstrap interval over
        dialogues.
    resamples, seed, level
        Of the bootstrap.

    Returns
    -------
    The detail ``sigma`` is the width, equal to the value.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no row has both a confidence and an outcome.

    References
    ----------
    Błasiok, Nakkiran: Smooth ECE: principled reliability diagrams via kernel smoothing (ICLR 2024).
    """
    kept, scores, outcomes = scored_pairs(confidence, correct)
    clusters = resampling_clusters(
        dialogue, kept, "confidence", resamples=resamples, seed=seed, level=level
    )
    residuals = outcomes - scores
    smoother = Smoother(scores, error=1e-7, narrowest=1e-9)
    residuals /= kept.n
    [sigma] = smoother.fixed_points(residuals[np.newaxis]).tolist()
    interval = None
    if clusters is not None:
        every_row = np.arange(kept.n)
        interval = interval_of_rows(clusters, every_row, weighted_smooth_ece(scores, outcomes))
    return turn_result(
        "smooth_ece",
        sigma,
        kept=kept,
        clusters=clusters,
        interval=interval,
        direction="lower",
        definition={"kernel": "gaussian, reflected at 0 and 1"},
        details={"sigma": sigma},
    )


def weighted_smooth_ece(
    scores: FloatArray, outcomes: BoolArray
) -> Callable[[FloatArray], FloatArray]:
    """Smooth ECE as a function of the rows' weights, shape (r, n), coarser and faster."""
    residuals = outcomes - scores
    smoother = Smoother(scores, error=1e-5, narrowest=1e-3)

    def errors(weights: FloatArray) -> FloatArray:
        return smoother.fixed_points(residuals * weights / weights.sum(axis=1, keepdims=True))

    return errors


def calibration_error(sums: FloatArray, *, norm: Norm, debias: bool) -> FloatArray:
    """From rows, summed confidences and right answers, shape (..., 3, n_bins)."""
    n, confidence, correct = sums[..., 0, :], sums[..., 1, :], sums[..., 2, :]
    total = n.sum(axis=-1)
    if norm == "l1":
        return np.abs(correct - confidence).sum(axis=-1) / total
    rows = np.maximum(n, 1.0)
    gaps = np.abs(correct - confidence) / rows
    if norm == "max":
        return gaps.max(axis=-1)
    squares = np.square(gaps)
    if debias:
        accuracy = correct / rows
        squares -= accuracy * (1.0 - accuracy) / np.maximum(n - 1.0, 1.0)
    return np.sqrt(np.maximum((n * squares).sum(axis=-1) / total, 0.0))
