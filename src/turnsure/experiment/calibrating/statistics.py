"""Statistics of resampled counts of scores: what intervals are made of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from turnsure.experiment.calibrating.cells import Counts, Statistic
from turnsure.metrics.calibration_error import Norm, calibration_error, weighted_smooth_ece
from turnsure.metrics.ranking import weighted_auroc
from turnsure.numerics.arrays import FloatArray, IntArray


def accuracy(counts: Counts) -> FloatArray:
    """Share of right rows, shape (r,)."""
    return counts.right.sum(axis=1) / counts.total


def mean_score(score: FloatArray) -> Statistic:
    """Mean of the scores."""
    return lambda counts: (counts.n * score).sum(axis=1) / counts.total


def gap(score: FloatArray) -> Statistic:
    """Accuracy − mean score."""
    mean = mean_score(score)
    return lambda counts: accuracy(counts) - mean(counts)


def mean_loss(if_right: FloatArray, if_wrong: FloatArray) -> Statistic:
    """Mean over the rows of a loss that is given for each cell, shape (k,) each."""
    return lambda counts: (
        ((counts.right * if_right).sum(axis=1) + (counts.wrong * if_wrong).sum(axis=1))
        / counts.total
    )


def base_rate_brier(counts: Counts) -> FloatArray:
    """Brier score of predicting the resample's own base rate for every row."""
    share = accuracy(counts)
    return share * (1.0 - share)


def binned_error(score: FloatArray, bins: IntArray, *, norm: Norm, debias: bool) -> Statistic:
    """ECE over bins of cells; ``bins`` has shape (k,) and rises."""
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    error = partial(calibration_error, norm=norm, debias=debias)

    def of(counts: Counts) -> FloatArray:
        n = counts.n
        sums = [np.add.reduceat(one, starts, axis=1) for one in (n, n * score, counts.right)]
        return error(np.stack(sums, axis=1))

    return of


def bin_accuracies(starts: IntArray) -> Statistic:
    """Accuracy of each run of cells; ``starts`` says where each begins.  Shape (r, m)."""

    def of(counts: Counts) -> FloatArray:
        right, n = (np.add.reduceat(one, starts, axis=1) for one in (counts.right, counts.n))
        return np.where(n > 0.0, right / np.maximum(n, 1.0), np.nan)

    return of


def accepted(starts: Sequence[int]) -> Statistic:
    """Share of the rows from each cell upwards, then their accuracies; shape (r, 2m)."""
    places = np.asarray(starts, dtype=np.intp)

    def of(counts: Counts) -> FloatArray:
        n, right = (_from_above(one)[:, places] for one in (counts.n, counts.right))
        quality = np.where(n > 0.0, right / np.maximum(n, 1.0), np.nan)
        return np.concatenate((n / counts.total[:, np.newaxis], quality), axis=1)

    return of


def _from_above(counts: FloatArray) -> FloatArray:
    """Sums from each cell upwards and, last, of no cell; shape (r, k + 1)."""
    sums = np.zeros((len(counts), counts.shape[1] + 1))
    sums[:, :-1] = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]
    return sums


def smooth_error(score: FloatArray) -> Statistic:
    """Smooth ECE."""
    outcomes = np.concatenate((np.ones(len(score)), np.zeros(len(score)))).astype(np.bool_)
    errors = weighted_smooth_ece(np.concatenate((score, score)), outcomes)
    return lambda counts: errors(np.concatenate((counts.right, counts.wrong), axis=1))


def auroc(counts: Counts) -> FloatArray:
    """AUROC; not finite with one class."""
    n_cells = counts.right.shape[1]
    rows = np.stack((counts.right, counts.wrong), axis=2).reshape(len(counts.right), -1)
    right = np.tile([True, False], n_cells)
    starts = np.flatnonzero(right)
    areas, defined = weighted_auroc(rows, right, starts)
    return np.where(defined, areas, np.nan)


def average_precision(counts: Counts) -> FloatArray:
    """Average precision for right answers; not finite without any."""
    right, n = (np.cumsum(one[:, ::-1], axis=1) for one in (counts.right, counts.n))
    steps = np.diff(right, axis=1, prepend=0.0)
    total = right[:, -1]
    area = (steps * right / np.maximum(n, 1.0)).sum(axis=1) / np.maximum(total, 1.0)
    return np.where(total > 0.0, area, np.nan)


def aurc(counts: Counts) -> FloatArray:
    """AURC: mean over k of the error among the k surest, expected over the orders of equal scores.

    Of s rows with one score, e of them wrong, after A surer ones with E errors, the j-th has the
    risk (E + e j/s) / (A + j) behind it; these add up to e + (E − e A/s) (H(A + s) − H(A)) with
    the harmonic numbers H.
    """
    n, wrong = counts.n[:, ::-1], counts.wrong[:, ::-1]
    ends = np.cumsum(n, axis=1)
    before = ends - n
    errors_before = np.cumsum(wrong, axis=1) - wrong
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1.0, ends.max() + 1.0))))
    span = harmonic[ends.astype(np.intp)] - harmonic[before.astype(np.intp)]
    excess = errors_before - wrong * before / np.maximum(n, 1.0)
    return (wrong + excess * span).sum(axis=1) / ends[:, -1]


def risk_at(coverages: Sequence[float]) -> Statistic:
    """Error among the surest share of the rows, shape (r, m).

    Of n rows these are the ⌈c n⌉ surest; where that cuts rows of one score, as many of them as are
    needed count with their share of errors.
    """

    def of(counts: Counts) -> FloatArray:
        n, wrong = counts.n[:, ::-1], counts.wrong[:, ::-1]
        ends, errors = np.cumsum(n, axis=1), np.cumsum(wrong, axis=1)
        found: list[FloatArray] = []
        every = np.arange(len(n))
        for coverage in coverages:
            # What rounding adds to a whole number must not ask for one row more.
            wanted = np.ceil(coverage * ends[:, -1] * (1.0 - 1e-12))
            cell = (ends < wanted[:, np.newaxis]).sum(axis=1)
            inside = wanted - (ends - n)[every, cell]
            share = wrong[every, cell] / np.maximum(n[every, cell], 1.0)
            found.append(((errors - wrong)[every, cell] + inside * share) / wanted)
        return np.stack(found, axis=1)

    return of
