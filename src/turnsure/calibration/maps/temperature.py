"""Temperature scaling: p = 1 / (1 + exp(−logit(s) / T)), T > 0 by maximum likelihood.

The likelihood is concave in 1/T, which Newton's method finds.  Scores of 0 and 1 are
clipped as :mod:`turnsure.calibration.maps.logits` says.  A score of ½ stays ½, and T
above 1 draws the others towards it.

There is no T where the likelihood is greatest at 1/T = 0 or below, because the further a score is
above ½ the less often it is right, nor where all scores above ½ are right and all below it wrong,
so that T runs to 0.

With a second feature v (level or turn) the logit is logit(s)/T + d v.

References
----------
Guo, Pleiss, Sun, Weinberger: On calibration of modern neural networks (ICML 2017), section 4.2; for
two classes, the softmax of logits over T.
"""

from __future__ import annotations

from dataclasses import dataclass

from turnsure.calibration.maps.base import Parameters, require_both_classes
from turnsure.calibration.maps.logits import LEAST_CLIP, clip_for, fitted_weights, level_term, logit
from turnsure.calibration.maps.parameters import number, optional_number
from turnsure.core.errors import UndefinedMetricError
from turnsure.numerics.arrays import BoolArray, FloatArray
from turnsure.numerics.likelihood import sigmoid
from turnsure.numerics.tallies import tally

NAME = "temperature"
_LEAST = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True)
class Temperature:
    """A fitted map.

    Attributes
    ----------
    inverse
        1/T, above 0.
    level_weight
        d; None without a second feature.
    clip
        Scores are kept within [clip, 1 − clip].
    """

    inverse: float
    level_weight: float | None
    clip: float

    @property
    def name(self) -> str:
        return NAME

    @property
    def temperature(self) -> float:
        """T, above 0."""
        return 1.0 / self.inverse

    @property
    def parameters(self) -> Parameters:
        return {
            "inverse_temperature": self.inverse,
            "level_weight": self.level_weight,
            "clip": self.clip,
        }

    def apply(self, score: FloatArray, level: FloatArray | None = None) -> FloatArray:
        z = self.inverse * logit(score, self.clip)
        return sigmoid(z + level_term(self.level_weight, level, NAME))


@dataclass(frozen=True, slots=True, kw_only=True)
class TemperatureFamily:
    """Fits by maximum likelihood."""

    name: str = NAME
    takes_level: bool = True

    def fit(
        self, score: FloatArray, correct: BoolArray, level: FloatArray | None = None
    ) -> Temperature:
        require_both_classes(correct, NAME)
        counts, clip = tally(score, correct, level), clip_for(score)
        features = [logit(counts.value, clip)]
        if counts.second is not None:
            features.append(counts.second)
        weights = fitted_weights(features, counts, NAME).tolist()
        if weights[0] < _LEAST:
            raise UndefinedMetricError(
                f"{NAME} has no fit: among the {counts.n_rows} rows a score above one half does "
                "not go with being right, so that no temperature above 0 is the most likely"
            )
        return Temperature(
            inverse=weights[0],
            level_weight=weights[1] if counts.second is not None else None,
            clip=clip,
        )

    def restore(self, parameters: Parameters) -> Temperature:
        return Temperature(
            inverse=number(parameters, "inverse_temperature", low=_LEAST),
            level_weight=optional_number(parameters, "level_weight"),
            clip=number(parameters, "clip", low=LEAST_CLIP, high=0.5),
        )


FAMILY = TemperatureFamily()
