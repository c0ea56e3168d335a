"""Thresholds with a guarantee for the risk: exact binomial tests, and many of them told apart.

For a threshold λ the risk R(λ) is the probability that a unit that is answered at λ is answered
wrongly.  Given how many of the independent units are answered, the wrong ones among them are
binomial, so that P(Binomial(n_answered, ε) ≤ n_wrong) is an exact p-value for "R(λ) is ε or more".
Thresholds whose p-values survive a correction for trying many are safe together with probability
1 − δ, and the lowest of them, which answers most, may be taken.

References
----------
Angelopoulos, Bates, Candès, Jordan, Lei: Learn then Test: calibrating predictive algorithms to
achieve risk control. Annals of Applied Statistics 19 (2025), arXiv 2110.01052: theorem 1,
algorithm 1 (fixed-sequence testing with several starts), and the Bonferroni correction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

import numpy as np

from turnsure.calibration.thresholds.steps import Counts, Steps, places, strictly_falling
from turnsure.core.chosen import RiskMethod, ThresholdEvidence, Unit
from turnsure.core.errors import InputError
from turnsure.numerics.arrays import BoolArray, FloatArray, Int64Array, IntArray
from turnsure.numerics.binomial import binomial_tail, least_trials, upper_bound
from turnsure.numerics.inputs import choice

ROUNDING = 1e-12
"""Two numbers that differ by less, relatively, are the same one computed twice."""

TWENTIETHS = tuple(k / 20 for k in range(21))
"""The thresholds that the Bonferroni correction tests when none are given."""

Judge = Callable[[Counts], BoolArray]
"""Which thresholds of every sample are safe, shape (r, m)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskTarget:
    """What share of answers may be wrong.

    Attributes
    ----------
    error
        ε in (0, 1).  At most this share of the answered units is wrong; for ``"conformal"``, of all
        units is answered wrongly.
    confidence
        1 − δ in (0, 1): in this share of labelled sets, at least, the promise holds.  Not used by
        ``"conformal"``, which promises a mean.
    method
        ``"fixed_sequence"`` walks from the highest threshold down and stops at the first that fails
        at level δ; ``"bonferroni"`` tests each of m thresholds at δ/m; ``"conformal"`` is conformal
        risk control.
    unit
        What is counted; None for dialogues if the rows have turns, else rows if every dialogue has
        one row, else one row a dialogue.
    grid
        The thresholds that may be chosen, fixed before any data are seen; None for every score that
        occurs, and for ``"bonferroni"`` :data:`TWENTIETHS`.
    starts
        For ``"fixed_sequence"``: thresholds, fixed before any data are seen, at which walks start,
        each at level δ divided by their number.  None for one walk from the highest threshold at
        which enough units are answered; see :func:`fixed_sequence`.

    Raises
    ------
    InputError
        A number is out of range or a word unknown.
    """

    error: float
    confidence: float = 0.95
    method: RiskMethod = "fixed_sequence"
    unit: Unit | None = None
    grid: tuple[float, ...] | None = None
    starts: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("error", "confidence"):
            value = getattr(self, name)
            if not 0.0 < value < 1.0:
                problem = f"it is {value!r}"
                raise InputError(problem, field=name, expected="a number between 0 and 1")
        if not 0.0 < self.delta < 1.0:
            raise InputError(
                f"it is {self.confidence!r}, as good as {round(self.confidence)}",
                field="confidence",
                expected="a number at least 1e-15 away from 0 and 1",
            )
        choice(self.method, "method", get_args(RiskMethod))
        if self.unit is not None:
            choice(self.unit, "unit", get_args(Unit))
        for name in ("grid", "starts"):
            if (given := getattr(self, name)) is not None:
                strictly_falling(given, name)
        if self.starts is not None and self.method != "fixed_sequence":
            raise InputError("it stands alone", field="starts", expected="method 'fixed_sequence'")

    @property
    def delta(self) -> float:
        """The level 1 − confidence, without the rounding of the difference (1 − 0.95 is 0.05)."""
        return round(1.0 - self.confidence, 15)


def candidates(steps: Steps, target: RiskTarget) -> FloatArray:
    """The thresholds that may be chosen, falling.

    Without a grid these are all scores: between two of them nothing changes on the data, so that
    they stand for every number in [0, 1], a sequence that is fixed beforehand.
    """
    grid = target.grid
    if grid is None and target.method == "bonferroni":
        grid = TWENTIETHS
    thresholds = steps.thresholds() if grid is None else strictly_falling(grid, "grid")
    if target.starts is not None:
        return np.unique(np.concatenate((thresholds, target.starts)))[::-1]
    return thresholds


def fixed_sequence(
    target: RiskTarget, thresholds: FloatArray, *, n_units: int, n_most: int
) -> Judge:
    """Learn then Test along a fixed sequence, from high thresholds to low ones.

    With ``starts`` this is algorithm 1 to the letter: from each start on, thresholds are safe until
    the first fails at level δ / number of starts.  Safe is what any walk reached.

    Without, the walk begins at the highest threshold at which so many units are answered that the
    test passes with one error among them; with no error, if that number is more than half of all
    units.  (Begun earlier, it would often end at its first step by a single error.)  Where it
    begins depends on the scores but on no label.  The level is then exact if the highest threshold
    that is not safe has as many answered; if it has fewer, it still holds when units with lower
    scores are wrong no less often.

    Parameters
    ----------
    target
        ε, δ and starts.
    thresholds
        Of :func:`candidates`.
    n_units
        The number of units, which decides where the walk begins.
    n_most
        The largest number of units in a sample.
    """
    starts = None if target.starts is None else strictly_falling(target.starts, "starts")
    least = least_trials(
        target.error, target.delta / (1 if starts is None else len(starts)), n_most
    )

    enough = int(least[0]) if len(least) else n_most + 1
    if len(least) > 1 and 2 * least[1] <= n_units:
        enough = int(least[1])

    def judge(counts: Counts) -> BoolArray:
        passes = _passes(counts, least)
        if starts is None:
            return _walk(passes, _first(counts.answered >= enough))
        walks = [_walk(passes, np.full(len(passes), place)) for place in places(starts, thresholds)]
        return np.any(walks, axis=0)

    return judge


def _walk(passes: BoolArray, first: IntArray) -> BoolArray:
    """The passing thresholds that follow one another from ``first`` on."""
    place = np.arange(passes.shape[1], dtype=np.intp)
    begun = np.greater_equal(place, first[:, np.newaxis])
    end = _first(begun & ~passes)
    return begun & np.less(place, end[:, np.newaxis])


def _first(holds: BoolArray) -> IntArray:
    """The first place in each row where it holds, or the number of places."""
    place = np.argmax(holds, axis=1).astype(np.intp)
    place[~np.any(holds, axis=1)] = holds.shape[1]
    return place


def last(holds: BoolArray) -> IntArray:
    """The last place in each row where it holds, the lowest threshold; −1 for nowhere."""
    return holds.shape[1] - 1 - _first(holds[:, ::-1])


def bonferroni(target: RiskTarget, n_tests: int, n_most: int) -> Judge:
    """The thresholds that pass at level δ / number of thresholds tested."""
    least = least_trials(target.error, target.delta / n_tests, n_most)
    return lambda counts: _passes(counts, least)


def naive(error: float) -> Judge:
    """The thresholds with an error of at most ``error`` in the sample; this promises nothing."""

    def judge(counts: Counts) -> BoolArray:
        allowed = error * (1.0 + ROUNDING) * counts.answered
        return (counts.wrong <= allowed) & (counts.answered > 0)

    return judge


def _passes(counts: Counts, least: Int64Array) -> BoolArray:
    """Whether so many wrong among the answered reject that the risk is too high."""
    if not len(least):
        return np.zeros(counts.answered.shape, dtype=np.bool_)
    enough = counts.answered >= least[np.minimum(counts.wrong, len(least) - 1)]
    return enough & (counts.wrong < len(least))


def evidence(
    steps: Steps, threshold: float, *, confidence: float, error: float | None = None
) -> ThresholdEvidence:
    """What happens at one threshold, with its exact bound and its p-value for a target error."""
    counts = steps.counts(np.array([threshold]))
    answered, wrong = int(counts.answered[0, 0]), int(counts.wrong[0, 0])
    return ThresholdEvidence(
        threshold=threshold,
        n=steps.n_units,
        n_answered=answered,
        n_wrong=wrong,
        upper_bound=upper_bound(wrong, answered, round(1.0 - confidence, 15)),
        p_value=None if error is None else binomial_tail(wrong, answered, error),
        confidence=confidence,
    )
