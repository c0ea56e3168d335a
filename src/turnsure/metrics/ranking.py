"""Whether confidence puts right answers before wrong ones."""

from __future__ import annotations

import numpy as np

from turnsure.core.errors import UndefinedMetricError
from turnsure.core.results import Interval, MetricResult
from turnsure.metrics.results import turn_result
from turnsure.numerics.arrays import BoolArray, FloatArray, IntArray
from turnsure.numerics.inputs import Ids, Numbers, resampling_clusters, scored_pairs
from turnsure.numerics.ranks import tie_groups
from turnsure.numerics.resampling import Clusters, interval_of_rows
from turnsure.numerics.tallies import SortedPairs


def auroc(
    confidence: Numbers,
    correct: Numbers,
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Probability that a right answer has a higher confidence than a wrong one, ties counting ½.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    correct
        0 or 1, shape (n,); missing where it is not graded.
    dialogue
        Id of the row's dialogue, shape (n,); with it the result carries a bootstrap interval over
        dialogues, from the resamples that have both right and wrong answers.
    resamples, seed, level
        Of the bootstrap.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no row has both a confidence and an outcome, or all outcomes are the same.

    References
    ----------
    Mann, Whitney: On a test of whether one of two random variables is stochastically larger than
    the other. Annals of Mathematical Statistics 18 (1947): U / (n₁ n₀).
    """
    kept, scores, outcomes = scored_pairs(confidence, correct)
    clusters = resampling_clusters(
        dialogue, kept, "confidence", resamples=resamples, seed=seed, level=level
    )
    n_right = int(np.count_nonzero(outcomes))
    if n_right in (0, kept.n):
        state = "right" if n_right else "wrong"
        raise UndefinedMetricError(f"all {kept.n} answers are {state}, so there are no pairs")
    wrong_below, doubled = 0.0, 0.0
    for piece in SortedPairs(scores, outcomes).tallies():
        wrong = piece.n - piece.right
        # Twice the pairs in the right order, ties once: whole numbers, so that nothing is rounded.
        doubled += float((piece.right * (2.0 * (wrong_below + np.cumsum(wrong)) - wrong)).sum())
        wrong_below += float(wrong.sum())
    return turn_result(
        "auroc",
        doubled / (2.0 * n_right * (kept.n - n_right)),
        kept=kept,
        clusters=clusters,
        interval=_auroc_interval(clusters, scores, outcomes),
        direction="higher",
        definition={"ties": 0.5},
        details={"n_correct": n_right, "n_wrong": kept.n - n_right},
    )


def _auroc_interval(
    clusters: Clusters | None, scores: FloatArray, outcomes: BoolArray
) -> Interval | None:
    if clusters is None:
        return None
    groups = tie_groups(scores)
    right_in_order = outcomes[groups.order]

    def area(weights: FloatArray) -> FloatArray:
        areas, defined = weighted_auroc(weights, right_in_order, groups.starts)
        return areas[defined]

    return interval_of_rows(clusters, groups.order, area)


def weighted_auroc(
    weights: FloatArray, right: BoolArray, starts: IntArray
) -> tuple[FloatArray, BoolArray]:
    """AUROC of rows that each count a whole number of times, and where there is one; shape (r,).

    ``weights``, shape (r, n), and ``right`` are in rising order of confidence; tied rows are a
    group, and ``starts`` says where each begins.
    """
    n_right = np.add.reduceat(weights * right, starts, axis=1)
    n_wrong = np.add.reduceat(weights, starts, axis=1) - n_right
    # Twice the pairs in the right order, ties once: whole numbers, so that nothing is rounded.
    wrong_below = 2.0 * np.cumsum(n_wrong, axis=1) - n_wrong
    pairs = n_right.sum(axis=1) * n_wrong.sum(axis=1)
    doubled = (n_right * wrong_below).sum(axis=1)
    return doubled / (2.0 * np.maximum(pairs, 1.0)), pairs > 0.0


def average_precision(
    confidence: Numbers,
    correct: Numbers,
    *,
    dialogue: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Average precision for right answers: Σ (R_k − R_{k−1}) P_k over the distinct confidences.

    P_k and R_k are precision and recall among the rows with a confidence of at least the k-th
    highest value; tied rows are accepted together and nothing is interpolated.

    Parameters, errors and interval are those of :func:`auroc`, except that right answers alone are
    enough; without any it is undefined.

    References
    ----------
    The step-wise area under the precision–recall curve: Zhu: Recall, precision and average
    precision (University of Waterloo, 2004).
    """
    kept, scores, outcomes = scored_pairs(confidence, correct)
    clusters = resampling_clusters(
        dialogue, kept, "confidence", resamples=resamples, seed=seed, level=level
    )
    n_right = int(np.count_nonzero(outcomes))
    if not n_right:
        raise UndefinedMetricError(f"none of the {kept.n} answers is right, so there is no recall")
    n_accepted, right_so_far, area = 0.0, 0.0, 0.0
    for piece in SortedPairs(scores, outcomes).tallies(descending=True):
        accepted = n_accepted + np.cumsum(piece.n)
        right = right_so_far + np.cumsum(piece.right)
        area += float((piece.right * (right / accepted)).sum())
        n_accepted, right_so_far = float(accepted[-1]), float(right[-1])
    return turn_result(
        "average_precision",
        area / n_right,
        kept=kept,
        clusters=clusters,
        interval=_precision_interval(clusters, scores, outcomes),
        direction="higher",
        definition={"ties": "one threshold", "interpolation": "none"},
        details={"n_correct": n_right, "n_wrong": kept.n - n_right},
    )


def _precision_interval(
    clusters: Clusters | None, scores: FloatArray, outcomes: BoolArray
) -> Interval | None:
    if clusters is None:
        return None
    groups = tie_groups(scores, descending=True)
    right_in_order = outcomes[groups.order]

    def area(weights: FloatArray) -> FloatArray:
        accepted = np.cumsum(np.add.reduceat(weights, groups.starts, axis=1), axis=1)
        right = np.add.reduceat(weights * right_in_order, groups.starts, axis=1)
        precision = np.cumsum(right, axis=1) / np.maximum(accepted, 1.0)
        total = right.sum(axis=1)
        return (right * precision).sum(axis=1)[total > 0.0] / total[total > 0.0]

    return interval_of_rows(clusters, groups.order, area)
