"""Slope and intercept of the recalibration line, with their tests.

logit P(right) = a + b logit p, fitted by maximum likelihood.  A probability that holds has b = 1
and a = 0.  b < 1: too extreme; b > 1: not extreme enough; a: surer (below 0) or less sure (above 0)
than it is right, with b fixed at 1 "calibration-in-the-large".

Rows that are dialogues of their own are judged by likelihood-ratio tests: jointly (χ², two degrees
of freedom), a = 0 given b = 1, and b = 1 given a free a (one each); the latter two statistics add
up to the first.  Where dialogues have several rows the likelihood is not theirs, and Wald's tests
with the cluster-robust variance H⁻¹ (G/(G − 1) Σ s sᵀ) H⁻¹ take their place, s being the score of
each of the G dialogues; they are compared with Student's t and Hotelling's T² with G − 1 degrees of
freedom.

0 and 1 have no logit.  Where all that they announce comes true they fit every line that rises and
say nothing about it, so that they are left out: clipped, they would speak against a probability
that holds.  Where one does not, the probability does not hold anyway, and all are clipped as
:func:`turnsure.calibration.maps.logits.clip_for` says; those strictly between are never changed.

References
----------
Cox: Two further applications of a model for binary regression. Biometrika 45 (1958), the line and
the joint test.  Miller, Hui, Tierney: Validation techniques for logistic regression models.
Statistics in Medicine 10 (1991), the three tests.  Liang, Zeger: Longitudinal data analysis using
generalized linear models. Biometrika 73 (1986), the robust variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from turnsure.calibration.maps.logits import clip_for, logit
from turnsure.core.errors import UndefinedMetricError
from turnsure.numerics.arrays import BoolArray, FloatArray, IntArray
from turnsure.numerics.few_clusters import student_quantile
from turnsure.numerics.likelihood import (
    NoMaximum,
    gradient_and_curvature,
    maximise_likelihood,
    sigmoid,
)
from turnsure.numerics.tails import (
    chi_square_one,
    chi_square_two,
    hotelling_two,
    student_two_sided,
)

LEAST_CLUSTERS = 3
"""With fewer dialogues a robust joint test has no degrees of freedom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """A number of the line.

    Attributes
    ----------
    value, standard_error
        The estimate and its error: from the curvature, or cluster-robust.
    low, high
        Value ± quantile × standard error (Wald), the quantile normal or Student's.
    statistic, p_value
        Of the test that it is what it should be: the likelihood ratio, or Wald's t².
    """

    value: float
    standard_error: float
    low: float
    high: float
    statistic: float
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration:
    """The line.

    Attributes
    ----------
    slope
        b, tested against 1 with a free.
    intercept
        a beside this b; its test is Wald's, against 0.
    large
        a with b fixed at 1, tested against 0: calibration-in-the-large.
    statistic, p_value
        Of the joint test of a = 0 and b = 1.
    robust
        Whether errors and tests are cluster-robust.
    clip
        Probabilities are kept within [clip, 1 − clip].
    n, n_dialogues
        Rows and dialogues behind the line.
    n_certain
        Rows left out because their probability is 0 or 1.
    """

    slope: Coefficient
    intercept: Coefficient
    large: Coefficient
    statistic: float
    p_value: float
    robust: bool
    clip: float
    n: int
    n_dialogues: int
    n_certain: int


def recalibration(
    probability: FloatArray, correct: BoolArray, group: IntArray, *, level: float = 0.95
) -> Recalibration:
    """Fit and test the line.

    Parameters
    ----------
    probability
        In [0, 1], shape (n,).
    correct
        Shape (n,).
    group
        Dialogue of each row, 0..G − 1, shape (n,).
    level
        Of the intervals.

    Raises
    ------
    UndefinedMetricError
        There is no line: one class only, right and wrong answers separated, one probability only,
        or too few dialogues.
    """
    n_given = len(probability)
    probability, correct, group = _uncertain(probability, correct, group)
    n, n_dialogues = len(probability), int(group.max()) + 1
    clip = clip_for(probability)
    z = logit(probability, clip)
    right = correct.astype(np.float64)
    one = np.ones(n)
    design = np.stack((one, z))
    if correct.all() or not correct.any():
        raise UndefinedMetricError(
            f"all {n:,} answers are {'right' if correct.any() else 'wrong'}, so that there is no "
            "recalibration line"
        )
    weights = _maximum(design, right)
    shift = _offset(z, right)
    robust = n_dialogues < n
    if robust and n_dialogues < LEAST_CLUSTERS:
        raise UndefinedMetricError(
            f"{n_dialogues} dialogues are too few for a cluster-robust recalibration line"
        )
    clusters = group if robust else None
    variance = _variance(design, right, weights, clusters)
    variance_of_shift = _shift_variance(z, right, shift, clusters)
    away = weights - np.array([0.0, 1.0])
    degrees = n_dialogues - 1
    if robust:
        joint = float(away @ np.linalg.solve(variance, away))
        p_joint = hotelling_two(joint, degrees)
        wald = [
            float(value * value / square)
            for value, square in (
                (away[1], variance[1, 1]), (away[0], variance[0, 0]), (shift, variance_of_shift)
            )
        ]  # fmt: skip
        p_values = [student_two_sided(math.sqrt(square), degrees) for square in wald]
        quantile = student_quantile(1.0 - level, degrees)
    else:
        null, partly = _loss(z, right), _loss(z + shift, right)
        free = _loss(weights[0] + weights[1] * z, right)
        joint = max(2.0 * (null - free), 0.0)
        p_joint = chi_square_two(joint)
        wald_intercept = float(away[0] * away[0] / variance[0, 0])
        wald = [max(2.0 * (partly - free), 0.0), wald_intercept, max(2.0 * (null - partly), 0.0)]
        p_values = [chi_square_one(one) for one in wald]
        quantile = -NormalDist().inv_cdf((1.0 - level) / 2.0)
    estimates = [
        (float(weights[1]), float(variance[1, 1])),
        (float(weights[0]), float(variance[0, 0])),
        (shift, variance_of_shift),
    ]
    slope, intercept, large = (
        Coefficient(
            value=value,
            standard_error=math.sqrt(square),
            low=value - quantile * math.sqrt(square),
            high=value + quantile * math.sqrt(square),
            statistic=statistic,
            p_value=p,
        )
        for (value, square), statistic, p in zip(estimates, wald, p_values, strict=True)
    )
    return Recalibration(
        slope=slope,
        intercept=intercept,
        large=large,
        statistic=joint,
        p_value=p_joint,
        robust=robust,
        clip=clip,
        n=n,
        n_dialogues=n_dialogues,
        n_certain=n_given - n,
    )


def _uncertain(
    probability: FloatArray, correct: BoolArray, group: IntArray
) -> tuple[FloatArray, BoolArray, IntArray]:
    """The rows without those of probability 0 or 1, if all of these are as announced."""
    is_open = (probability > 0.0) & (probability < 1.0)
    if is_open.all() or ((probability == 1.0) != correct)[~is_open].any():
        return probability, correct, group
    if not is_open.any():
        raise UndefinedMetricError(
            f"all {len(probability):,} probabilities are 0 or 1 and came true, so that there is no "
            "recalibration line"
        )
    kept = np.unique(group[is_open], return_inverse=True)[1]
    return probability[is_open], correct[is_open], kept


def _maximum(design: FloatArray, right: FloatArray) -> FloatArray:
    found = maximise_likelihood(design, np.ones(len(right)), right)
    if not isinstance(found, NoMaximum):
        return found
    why = (
        "there is one probability only"
        if found.reason == "collinear"
        else "a threshold parts right and wrong answers"
    )
    raise UndefinedMetricError(
        f"there is no recalibration line for these {len(right):,} rows: {why}"
    )


def _offset(z: FloatArray, right: FloatArray) -> float:
    """The a for which Σ sigmoid(z + a) is the number of right answers, both classes given.

    The sum rises in a, so that bisection brackets the root and Newton's method ends at it.  Every
    step parts the bracket, so that rounding cannot lead to and fro without end.
    """
    wanted = float(right.sum())
    base = math.log(wanted) - math.log(len(right) - wanted)
    low, high = base - float(z.max()), base - float(z.min())
    shift = 0.5 * (low + high)
    while True:
        chance = sigmoid(z + shift)
        excess = float((chance - right).sum())
        low, high = (low, shift) if excess > 0.0 else (shift, high)
        step = excess / float((chance * (1.0 - chance)).sum())
        if abs(step) <= 2.0**-50 * max(1.0, abs(shift)):
            return shift - step
        shift -= step
        if not low < shift < high:
            shift = 0.5 * (low + high)
            if not low < shift < high:
                return shift


def _variance(
    design: FloatArray, right: FloatArray, weights: FloatArray, group: IntArray | None
) -> FloatArray:
    ones = np.ones(len(right))
    _, curvature = gradient_and_curvature(design, ones, right, weights)
    bread = np.linalg.inv(curvature).astype(np.float64, copy=False)
    if group is None:
        return bread
    z = weights[0] + weights[1] * design[1]
    return bread @ _meat(design * (right - sigmoid(z)), group) @ bread


def _shift_variance(
    z: FloatArray, right: FloatArray, shift: float, group: IntArray | None
) -> float:
    chance = sigmoid(z + shift)
    curvature = float((chance * (1.0 - chance)).sum())
    if group is None:
        return 1.0 / curvature
    return float(_meat((right - chance)[np.newaxis], group)[0, 0]) / curvature**2


def _meat(scores: FloatArray, group: IntArray) -> FloatArray:
    """G/(G − 1) Σ s sᵀ over dialogues, from scores of rows, shape (m, n)."""
    sums = np.stack([np.bincount(group, row) for row in scores])
    n: int = sums.shape[1]
    return (sums @ sums.T).astype(np.float64, copy=False) * (n / (n - 1))


def _loss(z: FloatArray, right: FloatArray) -> float:
    """−log likelihood."""
    return math.fsum((np.logaddexp(0.0, z) - right * z).tolist())
