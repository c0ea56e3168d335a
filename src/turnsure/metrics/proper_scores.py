"""Scores that only the true probability minimises: Brier and log loss."""

from __future__ import annotations

import numbers
from typing import Literal

import numpy as np

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.core.results import BrierDecomposition, Interval, MetricResult
from turnsure.metrics.results import turn_result
from turnsure.numerics.arrays import BoolArray, FloatArray, row_blocks, sum_of_squares
from turnsure.numerics.binning import MAX_BINS, bin_sums, equal_width_bins
from turnsure.numerics.inputs import (
    Ids,
    Numbers,
    check_resampling,
    choice,
    resampling_clusters,
    scored_pairs,
    whole_number,
)
from turnsure.numerics.isotonic import pool_adjacent_violators
from turnsure.numerics.pairs import Pairs, Tally
from turnsure.numerics.resampling import Clusters, interval_of_mean
from turnsure.numerics.tallies import SortedPairs

LOG_LOSS_CLIP = 1e-15


def brier(
    confidence: Numbers,
    correct: Numbers,
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Brier score: mean of (confidence − outcome)².

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
    Brier: Verification of forecasts expressed in terms of probability. Monthly Weather Review 78
    (1950); this is half of its two-class sum.
    """
    pairs = Pairs(confidence, correct)
    value, tally = _brier(pairs)
    interval, clusters = None, None
    check_resampling(resamples=resamples, seed=seed, level=level)
    if dialogue is not None:
        kept, scores, outcomes = scored_pairs(confidence, correct)
        clusters = resampling_clusters(
            dialogue, kept, "confidence", resamples=resamples, seed=seed, level=level
        )
        interval = interval_of_mean(clusters, np.square(scores - outcomes))
    return brier_result(value, kept=tally, clusters=clusters, interval=interval)


def brier_result(
    value: float,
    *,
    kept: Tally,
    clusters: Clusters | None = None,
    interval: Interval | None = None,
) -> MetricResult:
    """Brier score from its value."""
    return turn_result(
        "brier",
        value,
        kept=kept,
        clusters=clusters,
        interval=interval,
        direction="lower",
        definition={"form": "mean of (confidence - correct)**2"},
    )


def brier_decomposition(
    confidence: Numbers,
    correct: Numbers,
    by: Literal["value", "bins", "isotonic"] = "value",
    bins: int = 10,
) -> BrierDecomposition:
    """Brier score = reliability − resolution + uncertainty + within_group.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    correct
        0 or 1, shape (n,); missing where it is not graded.
    by
        ``"value"``: rows with one confidence are a group, and nothing is left within groups.
        ``"bins"``: ``bins`` bins [k/B, (k+1)/B), the last closed at 1; the group's confidence is
        its mean, and ``within_group`` is the mean over rows of (f − f_b)² − 2 (f − f_b)(y − y_b).
        ``"isotonic"``: against the least-squares rising fit of outcome on confidence, reliability
        is how much the fit improves the score and resolution how much the fit is better than the
        base rate.
    bins
        B, at least 1; used by ``"bins"``.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no row has both a confidence and an outcome.

    References
    ----------
    Murphy: A new vector partition of the probability score. J. Applied Meteorology 12 (1973).
    Within-bin terms: Stephenson, Coelho, Jolliffe: Two extra components in the Brier score
    decomposition. Weather and Forecasting 23 (2008).  Isotonic: Dimitriadis, Gneiting, Jordan:
    Stable reliability diagrams for probabilistic classifiers. PNAS 118 (2021).
    """
    choice(by, "by", ("value", "bins", "isotonic"))
    n_bins = whole_number(bins, "bins", minimum=1, maximum=MAX_BINS)
    kept, scores, outcomes = scored_pairs(confidence, correct)
    brier, _ = _brier(Pairs(scores, outcomes))
    n_right = int(np.count_nonzero(outcomes))
    base = n_right / kept.n
    uncertainty = base * (1.0 - base)
    within = 0.0
    if by == "isotonic":
        reliability, resolution = _against_isotonic_fit(scores, outcomes, brier, base)
    elif by == "value":
        reliability, resolution = _between_values(scores, outcomes, base)
    else:
        reliability, resolution, within = _between_and_within(scores, outcomes, n_bins, base)
    return BrierDecomposition(
        reliability=reliability,
        resolution=resolution,
        uncertainty=uncertainty,
        within_group=within,
        brier=brier,
        by=by,
        n_turns=kept.n,
        n_failed=kept.n_failed,
        definition={"by": by} | ({"bins": n_bins, "closure": "left"} if by == "bins" else {}),
    )


def log_loss(
    confidence: Numbers,
    correct: Numbers,
    clip: float | None = LOG_LOSS_CLIP,
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Log loss: mean of −ln p, where p is the confidence for a right answer, else 1 − confidence.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    correct
        0 or 1, shape (n,); missing where it is not graded.
    clip
        p is kept within [clip, 1 − clip], 0 ≤ clip < ½; 0 or None leaves it as it is.  The default,
        1e-15, makes a certain error cost 34.54.
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
        When no row has both a confidence and an outcome, or when without a clip the loss is
        infinite.

    References
    ----------
    Good: Rational decisions. J. Royal Statistical Society B 14 (1952).
    """
    limit = 0.0 if clip is None else clip
    if not isinstance(limit, numbers.Real) or not 0.0 <= limit < 0.5:
        raise InputError(f"it is {clip!r}", field="clip", expected="a number in [0, 0.5), or None")
    kept, scores, outcomes = scored_pairs(confidence, correct)
    clusters = resampling_clusters(
        dialogue, kept, "confidence", resamples=resamples, seed=seed, level=level
    )
    losses = np.empty(kept.n)
    n_clipped, n_impossible = 0, 0
    for rows in row_blocks(kept.n):
        given = np.where(outcomes[rows], scores[rows], 1.0 - scores[rows])
        n_clipped += int(np.count_nonzero((given < limit) | (given > 1.0 - limit)))
        n_impossible += int(np.count_nonzero(given == 0.0))
        with np.errstate(divide="ignore"):
            losses[rows] = 0.0 - np.log(np.clip(given, limit, 1.0 - limit))
    if not limit and n_impossible:
        raise UndefinedMetricError(
            f"{n_impossible} of {kept.n} answers got probability 0 for what happened,"
            " and without a clip their loss is infinite"
        )
    return turn_result(
        "log_loss",
        float(losses.mean()),
        kept=kept,
        clusters=clusters,
        interval=interval_of_mean(clusters, losses),
        direction="lower",
        definition={"clip": float(limit), "logarithm": "natural"},
        details={"n_clipped": n_clipped},
    )


def _brier(pairs: Pairs) -> tuple[float, Tally]:
    n, total = 0, 0.0
    for block in pairs.blocks():
        n += len(block.confidence)
        total += sum_of_squares(block.gaps())
    tally = pairs.tally(n)
    return total / n, tally


def _between_values(scores: FloatArray, outcomes: BoolArray, base: float) -> tuple[float, float]:
    """Reliability and resolution of rows with one confidence; nothing is left within them."""
    reliability, resolution = 0.0, 0.0
    for piece in SortedPairs(scores, outcomes).tallies():
        share_right = piece.right / piece.n
        reliability += float((piece.n * np.square(piece.value - share_right)).sum())
        resolution += float((piece.n * np.square(share_right - base)).sum())
    return reliability / len(scores), resolution / len(scores)


def _between_and_within(
    scores: FloatArray, outcomes: BoolArray, n_bins: int, base: float
) -> tuple[float, float, float]:
    """Reliability, resolution and what is left within bins of equal width."""
    sums = np.zeros((3, n_bins))
    for rows in row_blocks(len(scores)):
        bins = equal_width_bins(scores[rows], n_bins)
        sums += bin_sums(bins, scores[rows], outcomes[rows], n_bins)
    total, n = len(scores), sums[0]
    mean_score, share_right = sums[1:] / np.maximum(n, 1.0)
    reliability = (n * np.square(mean_score - share_right)).sum() / total
    resolution = (n * np.square(share_right - base)).sum() / total
    within = 0.0
    for rows in row_blocks(total):
        bins = equal_width_bins(scores[rows], n_bins)
        score_gaps = scores[rows] - mean_score[bins]
        outcome_gaps = outcomes[rows] - share_right[bins]
        within += float((np.square(score_gaps) - 2.0 * score_gaps * outcome_gaps).sum())
    return float(reliability), float(resolution), within / total


def _against_isotonic_fit(
    scores: FloatArray, outcomes: BoolArray, brier: float, base: float
) -> tuple[float, float]:
    """Miscalibration and discrimination; the fit is calibrated, so nothing is left over."""
    pieces = [
        pool_adjacent_violators(piece.right, piece.n)
        for piece in SortedPairs(scores, outcomes).tallies()
    ]
    pools = pool_adjacent_violators(
        np.concatenate([piece.sums for piece in pieces]),
        np.concatenate([piece.weights for piece in pieces]),
    )
    fit = pools.sums / pools.weights
    fit_brier = float((pools.weights * fit * (1.0 - fit)).sum() / len(scores))
    resolution = float((pools.weights * np.square(fit - base)).sum() / len(scores))
    return max(brier - fit_brier, 0.0), resolution
