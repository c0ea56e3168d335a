"""Calibration-in-the-large by counting: whether accuracy is what the mean probability says.

It is defined where a recalibration line is not, with one class for example.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from turnsure.numerics.arrays import BoolArray, FloatArray, IntArray
from turnsure.numerics.tails import student_two_sided
from turnsure.numerics.trials import successes_p_value

GapMethod = Literal["exact", "normal", "clusters"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GapTest:
    """What was found.

    Attributes
    ----------
    gap
        Accuracy − mean probability.
    expected, n_right
        Σp, how many right answers the probabilities announce, and how many there are.
    p_value
        Two-sided, of "the gap is 0 but for chance"; None with several rows of one single dialogue.
    method
        ``"exact"``: number of successes of independent trials with the chances p.  ``"normal"``:
        its limit.  ``"clusters"``: see :func:`gap_test`.
    design_effect
        Variance of the gap ÷ that of independent rows; 1 where rows are dialogues of their own.
    n, n_dialogues
        Rows and dialogues.
    """

    gap: float
    expected: float
    n_right: int
    p_value: float | None
    method: GapMethod
    design_effect: float
    n: int
    n_dialogues: int


def gap_test(probability: FloatArray, correct: BoolArray, group: IntArray) -> GapTest:
    """Test that the mean of correct − probability is 0.

    Rows that are dialogues of their own are independent trials, and the number of right answers has
    an exact distribution (:func:`turnsure.numerics.trials.successes_p_value`).  With several rows a
    dialogue, Student's t with G − 1 degrees of freedom is used on Σ(correct − p), the variance
    being the larger of G/(G − 1) Σ u² over the dialogues' sums u of correct − p − gap and
    Σ p(1 − p) of independent rows, which does not vanish where a few outcomes happen to be alike.

    Parameters
    ----------
    probability
        In [0, 1], shape (n,), n ≥ 1.
    correct, group
        Shape (n,); dialogues 0..G − 1.
    """
    n, n_dialogues = len(probability), int(group.max()) + 1
    residual = correct - probability
    expected, n_right = math.fsum(probability.tolist()), int(np.count_nonzero(correct))
    effect = 1.0
    if n == n_dialogues:
        p_value, exact = successes_p_value(probability, n_right)
        method: GapMethod = "exact" if exact else "normal"
    else:
        method, p_value = "clusters", None
        independent = float((probability * (1.0 - probability)).sum())
        if n_dialogues > 1:
            sums = np.bincount(group, residual - residual.mean())
            robust = n_dialogues / (n_dialogues - 1) * float(np.square(sums).sum())
            p_value = _student(n_right - expected, max(robust, independent), n_dialogues - 1)
            effect = max(robust / independent, 1.0) if independent > 0.0 else 1.0
    return GapTest(
        gap=(n_right - expected) / n,
        expected=expected,
        n_right=n_right,
        p_value=p_value,
        method=method,
        design_effect=effect,
        n=n,
        n_dialogues=n_dialogues,
    )


def _student(excess: float, variance: float, degrees: int) -> float:
    if variance <= 0.0:
        return 1.0  # everything was certain, and happened
    return student_two_sided(excess / math.sqrt(variance), degrees)
