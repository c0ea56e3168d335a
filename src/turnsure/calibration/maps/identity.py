"""The raw score itself: what every other map must beat."""

from __future__ import annotations

from dataclasses import dataclass

from turnsure.calibration.maps.base import Parameters, refuse_level
from turnsure.numerics.arrays import BoolArray, FloatArray

NAME = "identity"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """p = s."""

    @property
    def name(self) -> str:
        return NAME

    @property
    def parameters(self) -> Parameters:
        return {}

    def apply(self, score: FloatArray, level: FloatArray | None = None) -> FloatArray:
        del level
        return score.copy()


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityFamily:
    """Nothing is fitted, so any rows will do."""

    name: str = NAME
    takes_level: bool = False

    def fit(
        self, score: FloatArray, correct: BoolArray, level: FloatArray | None = None
    ) -> Identity:
        del score, correct
        refuse_level(level, NAME)
        return Identity()

    def restore(self, parameters: Parameters) -> Identity:
        del parameters
        return Identity()


FAMILY = IdentityFamily()
