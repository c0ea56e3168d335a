"""How many labels it takes to notice that a gate has become worse."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.numerics.arrays import FloatArray
from turnsure.numerics.beta import beta_tails

POWER = 0.8
"""Probability of noticing, unless told otherwise."""

_MOST = 1 << 30


def labels_for_gap(
    probability: FloatArray,
    drop: float,
    *,
    alpha: float,
    power: float = POWER,
    design_effect: float = 1.0,
) -> int:
    """Rows with labels with which the two-sided test of the gap notices a drop of the accuracy.

    m = ((z₁₋α⸝₂ √v₀ + z₁₋β √v₁) / x)² with v₀ the mean of p(1 − p), v₁ that of q(1 − q), q being
    p − x cut at 0, and x the mean of p − q: the normal approximation to a sum of independent
    outcomes.  As the test of a count is exact, it is corrected for continuity,
    m/4 (1 + √(1 + 2/(m x)))², and then inflated by the design effect d of rows that share
    dialogues.

    Parameters
    ----------
    probability
        As the gate gives them, shape (m,), m ≥ 1; new ones are taken to be like these.
    drop
        In (0, 1): by how much every probability is to be lower than the gate says.
    alpha, power
        Level of the test, and probability of noticing, 1 − β; each in (0, 1).
    design_effect
        d ≥ 1.

    Raises
    ------
    UndefinedMetricError
        All probabilities are 0, so that nothing can drop.

    References
    ----------
    Fleiss, Levin, Paik: Statistical Methods for Rates and Proportions (2003), section 2.5, one
    sample against a known rate; the correction as there and in Casagrande, Pike, Smith: An improved
    approximate formula for calculating sample sizes. Biometrics 34 (1978).  The design effect:
    Kish: Survey Sampling (1965), section 5.4.
    """
    lower = np.maximum(probability - drop, 0.0)
    size = float((probability - lower).mean())
    if size <= 0.0:
        raise UndefinedMetricError("all probabilities are 0, so that no accuracy can drop")
    before = float((probability * (1.0 - probability)).mean())
    after = float((lower * (1.0 - lower)).mean())
    normal = NormalDist()
    reach = -normal.inv_cdf(alpha / 2.0) * math.sqrt(before)
    reach += normal.inv_cdf(power) * math.sqrt(after)
    if reach <= 0.0:
        return 1  # outcomes are certain: one that differs is enough
    plain = (reach / size) ** 2
    corrected = plain / 4.0 * (1.0 + math.sqrt(1.0 + 2.0 / (plain * size))) ** 2
    return math.ceil(design_effect * corrected)


def detectable_gap(
    probability: FloatArray,
    n: int,
    *,
    alpha: float,
    power: float = POWER,
    design_effect: float = 1.0,
) -> float | None:
    """The smallest drop that ``n`` labels notice, of the multiples of .001; None for none below 1.

    Arguments are those of :func:`labels_for_gap`.
    """
    low, high = 0, 1000
    while high - low > 1:
        middle = (low + high) // 2
        wanted = labels_for_gap(
            probability, middle / 1000, alpha=alpha, power=power, design_effect=design_effect
        )
        low, high = (low, middle) if wanted <= n else (middle, high)
    return high / 1000 if high < 1000 else None


def answers_for_error(
    target: float, drop: float, *, alpha: float, power: float = POWER
) -> int | None:
    """Labelled answers from which on the exact test notices an error of ``target + drop``.

    The test rejects "at most ``target`` of the answers are wrong" where
    P(Binomial(n, target) ≥ wrong ones) ≤ alpha.  Its power rises with n while the number of wrong
    ones that rejects stays the same, and falls when that goes up by one; the result is the smallest
    n from which on it never falls below ``power``.  Exact, by binomial tails.  None for more than
    2^30 answers, where a drop is too small for any data.

    Raises
    ------
    InputError
        target + drop is 1 or more.
    """
    worse = target + drop
    if not worse < 1.0:
        raise InputError(
            f"it is {drop:g}, on top of a target error of {target:g}",
            field="drop",
            expected="an error below 1 in all",
        )
    low, high = 0, 1
    while not _always_noticed(high, target, worse, alpha, power):
        if _most_trials(high, target, alpha) >= _MOST:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _always_noticed(middle, target, worse, alpha, power):
            high = middle
        else:
            low = middle
    # From the first n that needs ``high`` wrong ones on the power is enough; before it, with one
    # fewer, it may have become enough already.
    last = _most_trials(high - 1, target, alpha)
    n = last + 1
    first = _most_trials(high - 2, target, alpha) + 1 if high > 1 else n
    while first < n:
        middle = (first + n) // 2
        if middle <= last and _at_least(high - 1, middle, worse) >= power:
            n = middle
        elif middle > last:
            break
        else:
            first = middle + 1
    return max(n, 1)


def _always_noticed(wrong: int, target: float, worse: float, alpha: float, power: float) -> bool:
    """Whether the power is enough at the first n for which so many wrong ones are needed."""
    return _at_least(wrong, _most_trials(wrong - 1, target, alpha) + 1, worse) >= power


def _most_trials(wrong: int, target: float, alpha: float) -> int:
    """The largest n with P(Binomial(n, target) ≥ wrong) ≤ alpha; 0 for none wrong."""
    if wrong <= 0:
        return 0
    low, high = wrong - 1, wrong
    while _at_least(wrong, high, target) <= alpha and high < _MOST:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _at_least(wrong, middle, target) <= alpha:
            low = middle
        else:
            high = middle
    return low


def _at_least(k: int, n: int, p: float) -> float:
    """P(Binomial(n, p) ≥ k) for k ≥ 1."""
    return 0.0 if k > n else beta_tails(k, n - k + 1, p)[0]
