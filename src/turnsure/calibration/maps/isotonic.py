"""Isotonic regression: the rising function of the score with the least squared error.

At the scores it was fitted on the map is the least-squares fit itself, found by pooling adjacent
violators; rows with one score are one group.  Between two of them, where the data fix nothing, it
is the straight line; below the lowest and above the highest it is constant.  Nothing is smoothed:
the map may say 0 or 1.

References
----------
Zadrozny, Elkan: Transforming classifier scores into accurate multiclass probability estimates
(KDD 2002).  Ayer, Brunk, Ewing, Reid, Silverman: An empirical distribution function for sampling
with incomplete information. Annals of Mathematical Statistics 26 (1955).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsure.calibration.maps.base import Parameters, refuse_level, require_both_classes
from turnsure.calibration.maps.parameters import numbers
from turnsure.numerics.arrays import BoolArray, FloatArray
from turnsure.numerics.isotonic import pool_adjacent_violators
from turnsure.numerics.tallies import tally

NAME = "isotonic"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Isotonic:
    """A fitted map.

    Attributes
    ----------
    scores
        The lowest and highest score of every pool, strictly rising, shape (k,).
    probability
        The fit there, rising, shape (k,).
    """

    scores: FloatArray
    probability: FloatArray

    @property
    def name(self) -> str:
        return NAME

    @property
    def parameters(self) -> Parameters:
        return {"scores": self.scores.tolist(), "probability": self.probability.tolist()}

    def apply(self, score: FloatArray, level: FloatArray | None = None) -> FloatArray:
        del level
        left = np.maximum(np.searchsorted(self.scores, score, side="right") - 1, 0)
        right = np.minimum(left + 1, len(self.scores) - 1)
        low, high = self.probability[left], self.probability[right]
        from_left = np.maximum(score - self.scores[left], 0.0)
        width = np.maximum(self.scores[right] - self.scores[left], np.finfo(np.float64).tiny)
        # Rounding may not lead above the right end: the map would fall there.
        return np.minimum(low + (high - low) * np.minimum(from_left / width, 1.0), high)


@dataclass(frozen=True, slots=True, kw_only=True)
class IsotonicFamily:
    """Fits by pooling adjacent violators."""

    name: str = NAME
    takes_level: bool = False

    def fit(
        self, score: FloatArray, correct: BoolArray, level: FloatArray | None = None
    ) -> Isotonic:
        refuse_level(level, NAME)
        require_both_classes(correct, NAME)
        counts = tally(score, correct)
        pools = pool_adjacent_violators(counts.right, counts.n)
        ends = np.append(pools.starts[1:], len(counts.n)) - 1
        # A pool of a single score has one knot, any other has one at either end.
        has_two = np.repeat(ends > pools.starts, 2)
        has_two[::2] = True
        knots = np.column_stack([pools.starts, ends]).ravel()[has_two]
        fit = np.repeat(pools.sums / pools.weights, 2)[has_two]
        return Isotonic(scores=counts.value[knots], probability=fit)

    def restore(self, parameters: Parameters) -> Isotonic:
        scores = numbers(parameters, "scores", strictly=True)
        return Isotonic(
            scores=scores,
            probability=numbers(parameters, "probability", length=len(scores), rising=True),
        )


FAMILY = IsotonicFamily()
