"""Platt scaling: a logistic regression on the logit of the score.

p = 1 / (1 + exp(−(a logit s + b))), where logit s = ln s − ln(1 − s).  ``platt`` maximises the
plain likelihood.  ``platt_smoothed`` maximises it for Platt's targets (N₊ + 1)/(N₊ + 2) of right
and 1/(N₋ + 2) of wrong answers in place of 1 and 0, and so has a fit for separated data too.
Scores of 0 and 1 are clipped as :mod:`turnsure.calibration.maps.logits` says.

The slope a is not bounded: where surer answers are more often wrong it is below 0, and the map
falls.

With a second feature v (level or turn) the logit is a logit s + b + d v.

References
----------
Platt: Probabilistic outputs for support vector machines (Advances in Large Margin Classifiers,
1999); the targets as in Lin, Lin, Weng: A note on Platt's probabilistic outputs for support vector
machines. Machine Learning 68 (2007), equation 5.  On the logit of a probability it is the logistic
recalibration of Cox: Two further applications of a model for binary regression. Biometrika 45
(1958).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsure.calibration.maps.base import Parameters, require_both_classes
from turnsure.calibration.maps.logits import LEAST_CLIP, clip_for, fitted_weights, level_term, logit
from turnsure.calibration.maps.parameters import number, optional_number
from turnsure.numerics.arrays import BoolArray, FloatArray
from turnsure.numerics.likelihood import sigmoid
from turnsure.numerics.tallies import Tally, tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Platt:
    """A fitted map.

    Attributes
    ----------
    name
        ``"platt"`` or ``"platt_smoothed"``.
    slope, intercept
        a and b.
    level_weight
        d; None without a second feature.
    clip
        Scores are kept within [clip, 1 − clip].
    """

    name: str
    slope: float
    intercept: float
    level_weight: float | None
    clip: float

    @property
    def parameters(self) -> Parameters:
        return {
            "slope": self.slope,
            "intercept": self.intercept,
            "level_weight": self.level_weight,
            "clip": self.clip,
        }

    def apply(self, score: FloatArray, level: FloatArray | None = None) -> FloatArray:
        z = self.slope * logit(score, self.clip) + self.intercept
        return sigmoid(z + level_term(self.level_weight, level, self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlattFamily:
    """Fits by maximum likelihood.

    Attributes
    ----------
    smoothed
        Whether the targets are Platt's instead of 1 and 0.
    """

    name: str
    smoothed: bool
    takes_level: bool = True

    def fit(self, score: FloatArray, correct: BoolArray, level: FloatArray | None = None) -> Platt:
        require_both_classes(correct, self.name)
        counts, clip = tally(score, correct, level), clip_for(score)
        features = [logit(counts.value, clip), np.ones(len(counts.n))]
        if counts.second is not None:
            features.append(counts.second)
        targets = _smoothed_targets(counts) if self.smoothed else counts.right
        weights = fitted_weights(features, counts, self.name, targets).tolist()
        return Platt(
            name=self.name,
            slope=weights[0],
            intercept=weights[1],
            level_weight=weights[2] if counts.second is not None else None,
            clip=clip,
        )

    def restore(self, parameters: Parameters) -> Platt:
        return Platt(
            name=self.name,
            slope=number(parameters, "slope"),
            intercept=number(parameters, "intercept"),
            level_weight=optional_number(parameters, "level_weight"),
            clip=number(parameters, "clip", low=LEAST_CLIP, high=0.5),
        )


def _smoothed_targets(counts: Tally) -> FloatArray:
    """Sum of Platt's targets at each score."""
    n_right, n_wrong = counts.n_right, counts.n_rows - counts.n_right
    of_right, of_wrong = (n_right + 1.0) / (n_right + 2.0), 1.0 / (n_wrong + 2.0)
    return counts.right * of_right + (counts.n - counts.right) * of_wrong


PLAIN = PlattFamily(name="platt", smoothed=False)
SMOOTHED = PlattFamily(name="platt_smoothed", smoothed=True)
