"""Parameters of a map as they come back from JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from turnsure.calibration.maps.base import Parameters
from turnsure.core.errors import InputError
from turnsure.numerics.arrays import FloatArray


def number(
    parameters: Parameters, field: str, *, low: float = -math.inf, high: float = math.inf
) -> float:
    """One finite number in [low, high].

    Raises
    ------
    InputError
        It is missing, no number, or out of range.
    """
    value = _given(parameters, field)
    if not _is_number(value, low, high):
        raise InputError(f"it is {value!r}", field=field, expected=_a_number(low, high))
    return float(cast("float", value))


def optional_number(parameters: Parameters, field: str) -> float | None:
    """One finite number, or None."""
    return None if _given(parameters, field) is None else number(parameters, field)


def numbers(
    parameters: Parameters,
    field: str,
    *,
    length: int | None = None,
    rising: bool = False,
    strictly: bool = False,
    first: float | None = None,
    above: float | None = None,
) -> FloatArray:
    """A list of numbers in [0, 1], in rising order where asked for, the first as told.

    Raises
    ------
    InputError
        It is missing, no such list, or not of the length; names the first entry that is wrong.
    """
    given = _given(parameters, field)
    if not isinstance(given, list | tuple) or not given:
        raise InputError("it is no list", field=field, expected="a list of numbers in [0, 1]")
    items = cast("Sequence[object]", given)
    if length is not None and len(items) != length:
        problem = f"it has {len(items)} entries"
        raise InputError(problem, field=field, expected=f"{length}, as many as its scores")
    for place, item in enumerate(items):
        if not _is_number(item, 0.0, 1.0):
            raise InputError(
                f"entry {place} is {item!r}", field=field, expected=_a_number(0.0, 1.0)
            )
    column = np.array(items, dtype=np.float64)
    if first is not None and column[0] != first:
        raise InputError(f"it begins with {items[0]!r}", field=field, expected=f"{first:g} first")
    if above is not None and column[0] <= above:
        raise InputError(
            f"it begins with {items[0]!r}", field=field, expected=f"numbers above {above:g}"
        )
    steps = np.diff(column)
    falls = steps <= 0.0 if strictly else steps < 0.0
    if (rising or strictly) and falls.any():
        place = int(np.argmax(falls)) + 1
        raise InputError(
            f"entry {place} is {items[place]!r} after {items[place - 1]!r}",
            field=field,
            expected="numbers in rising order",
        )
    return column


def _given(parameters: Parameters, field: str) -> object:
    if field not in parameters:
        raise InputError("it is missing", field=field, expected="a parameter of the map")
    return parameters[field]


def _is_number(value: object, low: float, high: float) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and low <= value <= high
    )


def _a_number(low: float, high: float) -> str:
    if math.isinf(low) and math.isinf(high):
        return "a finite number"
    return f"a finite number from {low:g}" + ("" if math.isinf(high) else f" to {high:g}")
