"""Beta calibration with three parameters: logit p = a ln s − b ln(1 − s) + c with a, b ≥ 0.

The likelihood is maximised over a ≥ 0, b ≥ 0 and all c, so that the map never falls.  Where the
unbounded maximum has a or b below 0 this is the fit with that one at 0, as in the paper; where
surer answers are not more often right both are 0 and the map is the base rate.  Scores of 0 and 1
are clipped as :mod:`turnsure.calibration.maps.logits` says.

With a second feature v (level or turn) d v is added to the logit; d is not bounded.

References
----------
Kull, Silva Filho, Flach: Beta calibration: a well-founded and easily implemented improvement on
logistic calibration for binary classifiers (AISTATS 2017), section 4; the paper's m is the score at
which p is ½, so that c = b ln(1 − m) − a ln m.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from turnsure.calibration.maps.base import Parameters, require_both_classes
from turnsure.calibration.maps.logits import (
    LEAST_CLIP,
    clip_for,
    clipped,
    fitted_weights,
    level_term,
)
from turnsure.calibration.maps.parameters import number, optional_number
from turnsure.core.errors import UndefinedMetricError
from turnsure.numerics.arrays import BoolArray, FloatArray
from turnsure.numerics.likelihood import gradient_and_curvature, sigmoid
from turnsure.numerics.tallies import Tally, tally

NAME = "beta"
_LEAST_DISTINCT = 3
_ROUNDING = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True)
class Beta:
    """A fitted map.

    Attributes
    ----------
    a, b, c
        Of the formula above.
    level_weight
        d; None without a second feature.
    clip
        Scores are kept within [clip, 1 − clip].
    """

    a: float
    b: float
    c: float
    level_weight: float | None
    clip: float

    @property
    def name(self) -> str:
        return NAME

    @property
    def parameters(self) -> Parameters:
        return {
            "a": self.a,
            "b": self.b,
            "c": self.c,
            "level_weight": self.level_weight,
            "clip": self.clip,
        }

    def apply(self, score: FloatArray, level: FloatArray | None = None) -> FloatArray:
        of_score, of_rest = _features(score, self.clip)
        z = self.a * of_score + self.b * of_rest + self.c
        return sigmoid(z + level_term(self.level_weight, level, NAME))


@dataclass(frozen=True, slots=True, kw_only=True)
class BetaFamily:
    """Fits by maximum likelihood under a, b ≥ 0."""

    name: str = NAME
    takes_level: bool = True

    def fit(self, score: FloatArray, correct: BoolArray, level: FloatArray | None = None) -> Beta:
        require_both_classes(correct, NAME)
        counts, clip = tally(score, correct, level), clip_for(score)
        n_distinct = len(np.unique(counts.value))
        if n_distinct < _LEAST_DISTINCT:
            raise UndefinedMetricError(
                f"{NAME} has no unique fit: it has three parameters, and the {counts.n_rows} rows "
                f"have {n_distinct} distinct scores"
            )
        free = [np.ones(len(counts.n))]
        if counts.second is not None:
            free.append(counts.second)
        weights = _bounded_fit(_features(counts.value, clip), free, counts)
        return Beta(
            a=weights[0],
            b=weights[1],
            c=weights[2],
            level_weight=weights[3] if counts.second is not None else None,
            clip=clip,
        )

    def restore(self, parameters: Parameters) -> Beta:
        return Beta(
            a=number(parameters, "a", low=0.0),
            b=number(parameters, "b", low=0.0),
            c=number(parameters, "c"),
            level_weight=optional_number(parameters, "level_weight"),
            clip=number(parameters, "clip", low=LEAST_CLIP, high=0.5),
        )


def _features(score: FloatArray, clip: float) -> tuple[FloatArray, FloatArray]:
    """The two features ln s and −ln(1 − s), which both rise."""
    inside = clipped(score, clip)
    return np.log(inside), -np.log1p(-inside)


def _bounded_fit(
    bounded: Sequence[FloatArray], free: Sequence[FloatArray], counts: Tally
) -> list[float]:
    """Weights of two features that may not be below 0, then those of the free ones.

    The loss is convex, so a point is the minimum as soon as no allowed direction leads down from
    it.  The corner (0, 0) is tried first, then either edge, and what remains is inside.
    """
    n_free = len(free)
    corner = np.concatenate(([0.0, 0.0], fitted_weights(free, counts, NAME)))
    downhill = _downhill(bounded, free, counts, corner)
    if not downhill.any():
        return corner.tolist()
    for place in np.flatnonzero(downhill).tolist():
        found = fitted_weights([bounded[place], *free], counts, NAME)
        edge = np.zeros(2 + n_free)
        edge[place], edge[2:] = found[0], found[1:]
        if not _downhill(bounded, free, counts, edge)[1 - place]:
            return edge.tolist()
    inside = fitted_weights([*bounded, *free], counts, NAME)
    inside[:2] = np.maximum(inside[:2], 0.0)  # what rounding can take below
    return inside.tolist()


def _downhill(
    bounded: Sequence[FloatArray], free: Sequence[FloatArray], counts: Tally, weights: FloatArray
) -> BoolArray:
    """Whether raising either bounded weight lowers the loss, by more than rounding."""
    features = np.stack([*bounded, *free])
    gradient, _ = gradient_and_curvature(features, counts.n, counts.right, weights)
    sizes = (np.abs(features[:2]) * counts.n).sum(axis=1)
    return gradient[:2] < -_ROUNDING * sizes


FAMILY = BetaFamily()
