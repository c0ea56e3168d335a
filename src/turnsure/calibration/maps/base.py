"""What a calibration map is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.numerics.arrays import BoolArray, FloatArray

Parameters = Mapping[str, Any]
"""Plain numbers and lists of numbers, by name: what JSON can hold."""


class CalibrationMap(Protocol):
    """A fitted map from raw scores to probabilities of being right; frozen."""

    @property
    def name(self) -> str:
        """As in the registry, ``"platt"`` for example."""
        ...

    @property
    def parameters(self) -> Parameters:
        """Everything that :meth:`Family.restore` needs, exactly: JSON and back changes no bit."""
        ...

    def apply(self, score: FloatArray, level: FloatArray | None = None) -> FloatArray:
        """Probabilities, shape (n,), in [0, 1], for scores in [0, 1].

        ``level`` is the information level or turn feature of each row, for maps fitted with one.
        """
        ...


class Family(Protocol):
    """How maps of one name are fitted and read back; the registry's ``maps`` rows name these."""

    @property
    def name(self) -> str:
        """As in the registry."""
        ...

    @property
    def takes_level(self) -> bool:
        """Whether a map can be fitted with the level or turn as a second feature."""
        ...

    def fit(
        self, score: FloatArray, correct: BoolArray, level: FloatArray | None = None
    ) -> CalibrationMap:
        """Fit on rows, shape (n,) each, n ≥ 1; the order of the rows changes no bit.

        Raises
        ------
        UndefinedMetricError
            There is no fit: too few rows, or one class only; says which.
        """
        ...

    def restore(self, parameters: Parameters) -> CalibrationMap:
        """Read a map back.

        Raises
        ------
        InputError
            A parameter is missing or no number in its range; names it.
        """
        ...


def require_both_classes(correct: BoolArray, name: str) -> None:
    """Refuse to fit where all answers are right, or all are wrong."""
    if correct.all() or not correct.any():
        state = "right" if correct.any() else "wrong"
        raise UndefinedMetricError(
            f"{name} needs right and wrong answers to fit on, and all {len(correct)} are {state}"
        )


def refuse_level(level: FloatArray | None, name: str) -> None:
    """For families that take no second feature."""
    if level is not None:
        raise InputError(
            f"{name} takes no level or turn beside the score",
            field="feature",
            expected="'none' or 'per_level', or a map that takes one: platt, temperature, beta",
        )
