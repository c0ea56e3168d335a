"""Columns as callers give them: they are read, checked and matched here and nowhere else.

A missing confidence or outcome is None, NaN or a masked entry; the row is left out and counted.
Anything else that is not a number in its range is an :class:`~turnsure.core.errors.InputError`
that names the argument and the row, counted from 0.
"""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, SupportsFloat, SupportsIndex, TypeVar, cast

import numpy as np
import numpy.typing as npt

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.numerics.arrays import BoolArray, FloatArray, Int64Array, IntArray, row_blocks
from turnsure.numerics.codes import codes_of_numbers, codes_of_texts, compact
from turnsure.numerics.resampling import Clusters

Numbers = npt.ArrayLike | Sequence[float | bool | None]
"""A column of numbers: a sequence, an array or a masked array, of one dimension."""

Ids = Sequence[str] | Sequence[int] | npt.NDArray[Any]
"""A column of dialogue ids: text or numbers, none missing."""

_Item = TypeVar("_Item", bound=np.generic)

FRACTION = "a number in [0, 1], or None where it is missing"
OUTCOME = "0 or 1, or None where it is missing"
BOTH = "both a confidence and an outcome"
_ID = "text or a number"
_BITS_OF_ONE = int(np.float64(1.0).view(np.uint64))


@dataclass(frozen=True, slots=True)
class Kept:
    """Which of the given rows count.

    Attributes
    ----------
    n, n_failed
        Rows that count, and rows left out because something is missing.
    mask
        True where a row counts; None when all do.
    """

    n: int
    n_failed: int
    mask: BoolArray | None

    @property
    def n_given(self) -> int:
        """All rows."""
        return self.n + self.n_failed

    def pick(self, column: npt.NDArray[_Item]) -> npt.NDArray[_Item]:
        """The entries of a full column that count."""
        return column if self.mask is None else column[self.mask]


def scored_pairs(confidence: Numbers, correct: Numbers) -> tuple[Kept, FloatArray, BoolArray]:
    """The rows with both a confidence and an outcome."""
    values, values_missing = _fractions(confidence, "confidence")
    outcomes, outcomes_missing = _outcomes(correct)
    require_length(len(outcomes), "correct", len(values), "confidence")
    kept = _kept(len(values), values_missing, outcomes_missing, BOTH)
    return kept, kept.pick(values), kept.pick(outcomes)


def scored_fractions(values: Numbers, field: str) -> tuple[Kept, FloatArray]:
    """The entries of a column of fractions that are there."""
    column, missing = _fractions(values, field)
    kept = _kept(len(column), missing, None, f"a value in {field!r}")
    return kept, kept.pick(column)


def scored_outcomes(correct: Numbers) -> tuple[Kept, BoolArray]:
    """The outcomes that are there."""
    column, missing = _outcomes(correct)
    kept = _kept(len(column), missing, None, "an outcome")
    return kept, kept.pick(column)


def whole_numbers(
    values: Numbers, field: str, *, minimum: int, maximum: int, first: int = 0
) -> Int64Array:
    """A column of whole numbers in [minimum, maximum], none missing."""
    expected = whole_number_text(minimum, maximum)
    column = read_column(values, field, expected)
    inside = not len(column) or (column.min() >= minimum and column.max() <= maximum)
    if not inside or column.dtype.kind == "f":
        fits = (column >= minimum) & (column <= maximum) & (column == np.floor(column))
        require_rows(fits, column, field, expected, first=first)
    return column.astype(np.int64, copy=False)


def whole_number_text(minimum: int, maximum: int) -> str:
    """What is expected of a column of :func:`whole_numbers`."""
    return f"a whole number from {minimum} to {maximum}"


def dialogue_codes(dialogue: Ids, n_rows: int, other: str) -> tuple[IntArray, list[Any]]:
    """Number of each row's dialogue, and the ids in order: numbers first, then text.

    The order of the rows does not decide the numbers, so that no seeded draw depends on it.
    """
    if isinstance(dialogue, np.ndarray) and dialogue.ndim == 1 and dialogue.dtype.kind in "iuU":
        require_length(len(dialogue), "dialogue", n_rows, other)
        require_rows(~np.ma.getmaskarray(dialogue), dialogue, "dialogue", _ID)
        number = codes_of_texts if dialogue.dtype.kind == "U" else codes_of_numbers
        return number(np.asarray(dialogue))
    if isinstance(dialogue, str) or not isinstance(cast("object", dialogue), Iterable):
        raise InputError(f"it is {dialogue!r}", field="dialogue", expected="a column of ids")
    items: list[Any] = dialogue.tolist() if isinstance(dialogue, np.ndarray) else [*dialogue]
    require_length(len(items), "dialogue", n_rows, other)
    if not set(map(type, items)) <= {str, int}:
        for row, item in enumerate(items):
            is_nan = isinstance(item, float) and math.isnan(item)
            if is_nan or not isinstance(item, str | numbers.Real):
                raise InputError(f"row {row} is {item!r}", field="dialogue", expected=_ID)
    ordered = sorted(set(items), key=lambda item: (isinstance(item, str), item))
    code_of = {item: code for code, item in enumerate(ordered)}
    codes = np.fromiter(map(code_of.__getitem__, items), dtype=np.intp, count=len(items))
    return codes, ordered


def resampling_clusters(
    dialogue: Ids | None, kept: Kept, other: str, *, resamples: int, seed: int, level: float
) -> Clusters | None:
    """The dialogues of the rows that count, ready for resampling; None when none were given."""
    codes = np.zeros(0, dtype=np.intp)
    if dialogue is not None:
        codes = kept.pick(dialogue_codes(dialogue, kept.n_given, other)[0])
    clusters = clusters_of(codes, resamples=resamples, seed=seed, level=level)
    return None if dialogue is None else clusters


def clusters_of(codes: IntArray, *, resamples: int, seed: int, level: float) -> Clusters:
    """Clusters of rows whose codes may skip numbers, with settings that are checked."""
    check_resampling(resamples=resamples, seed=seed, level=level)
    present, codes = compact(codes, int(codes.max(initial=-1)) + 1)
    return Clusters(
        codes=codes,
        n=len(present),
        resamples=int(resamples),
        seed=int(seed),
        level=float(level),
    )


def check_resampling(*, resamples: int, seed: int, level: float) -> None:
    """Refuse settings of the bootstrap that are out of range."""
    whole_number(resamples, "resamples", minimum=1)
    whole_number(seed, "seed", minimum=0)
    coverage(level)


def whole_number(value: object, field: str, *, minimum: int, maximum: int | None = None) -> int:
    """A single whole number in range; 10.0 and True are none."""
    expected = f"a whole number from {minimum}" + (f" to {maximum}" if maximum is not None else "")
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise InputError(f"it is {value!r}", field=field, expected=expected)
    number = operator.index(cast("SupportsIndex", value))
    if number < minimum or (maximum is not None and number > maximum):
        raise InputError(f"it is {number}", field=field, expected=expected)
    return number


def coverage(level: object) -> float:
    """The nominal coverage of an interval."""
    if not isinstance(level, numbers.Real) or not 0.0 < float(level) < 1.0:
        raise InputError(f"it is {level!r}", field="level", expected="a number between 0 and 1")
    return float(level)


def choice(value: object, field: str, allowed: Sequence[str]) -> None:
    """Refuse a word that is not one of those allowed."""
    if value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        raise InputError(f"it is {value!r}", field=field, expected=f"one of {words}")


def require_length(n: int, field: str, n_other: int, other: str) -> None:
    """Refuse columns of different lengths."""
    if n != n_other:
        problem = f"it has {n} rows and {other!r} has {n_other}"
        raise InputError(problem, field=field, expected="columns of one length")


def require_rows(
    fits: BoolArray, column: npt.NDArray[Any], field: str, expected: str, *, first: int = 0
) -> None:
    """Refuse a column in which a row does not fit, naming the first; ``first`` is its first row."""
    if not fits.all():
        row = int(np.argmin(fits))
        raise InputError(f"row {first + row} is {column[row]}", field=field, expected=expected)


def missing_fractions(column: FloatArray, field: str, *, first: int = 0) -> BoolArray | None:
    """Which entries are missing; None when none is.  The others must be in [0, 1]."""
    # The doubles from 0 to 1 are those whose bits, as a whole number, are at most the bits of 1;
    # those of NaN and of whatever has a minus sign are more.
    if not len(column) or column.view(np.uint64).max() <= _BITS_OF_ONE:
        return None
    missing = np.isnan(column)
    require_rows(
        missing | ((column >= 0.0) & (column <= 1.0)), column, field, FRACTION, first=first
    )
    return missing if missing.any() else None


def known_outcomes(
    column: npt.NDArray[Any], *, first: int = 0
) -> tuple[BoolArray, BoolArray | None]:
    """Which outcomes are 1, and which are missing; None when none is."""
    if column.dtype.kind == "b":
        return column, None
    right = column == 1
    known = right | (column == 0)
    if known.all():
        return right, None
    require_rows(known | np.isnan(column), column, "correct", OUTCOME, first=first)
    return right, ~known


def nothing_scored(n_given: int, what: str) -> UndefinedMetricError:
    """The error of a column in which every row lacks something."""
    return UndefinedMetricError(f"none of the {n_given} rows has {what}")


def _kept(n_given: int, left: BoolArray | None, right: BoolArray | None, what: str) -> Kept:
    missing = [mask for mask in (left, right) if mask is not None]
    mask = ~np.logical_or.reduce(missing) if missing else None
    n = n_given if mask is None else int(np.count_nonzero(mask))
    if n == 0:
        raise nothing_scored(n_given, what)
    return Kept(n, n_given - n, mask)


def _fractions(values: Numbers, field: str) -> tuple[FloatArray, BoolArray | None]:
    """A column of numbers in [0, 1], and which are missing; None when none is."""
    column = read_column(values, field, FRACTION).astype(np.float64, copy=False)
    return column, missing_fractions(column, field)


def _outcomes(correct: Numbers) -> tuple[BoolArray, BoolArray | None]:
    """A column of outcomes, and which are missing; None when none is."""
    column = read_column(correct, "correct", OUTCOME)
    if column.dtype.kind == "b":
        return column, None
    right = np.empty(len(column), dtype=np.bool_)
    missing: BoolArray | None = None
    for rows in row_blocks(len(column)):
        right[rows], gone = known_outcomes(column[rows], first=rows.start)
        if gone is not None:
            missing = np.zeros(len(column), dtype=np.bool_) if missing is None else missing
            missing[rows] = gone
    return right, missing


def read_column(values: object, field: str, expected: str) -> npt.NDArray[Any]:
    """A column of dtype bool, integer or float; NaN stands for a missing entry."""
    try:
        array = np.asarray(values)
    except ValueError as error:  # its items are columns of different lengths
        raise InputError("it is not a column", field=field, expected=expected) from error
    if array.ndim != 1:
        problem = f"it has {array.ndim} dimensions"
        raise InputError(problem, field=field, expected=f"a column, each row {expected}")
    if array.dtype.kind not in "biuf":
        # Read anew: by now a list that mixes numbers and text has become all text.
        items: Iterable[Any] = (
            values.tolist() if isinstance(values, np.ndarray) else cast("Iterable[Any]", values)
        )
        read = [_number(item, row, field, expected) for row, item in enumerate(items)]
        return np.array(read, dtype=np.float64)
    if isinstance(values, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(cast("np.ma.MaskedArray[Any, Any]", values))
        return np.where(hidden, np.nan, array) if hidden.any() else array
    return array


def _number(item: object, row: int, field: str, expected: str) -> float:
    if item is None:
        return math.nan
    try:
        if isinstance(item, SupportsFloat):
            return float(item)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"row {row} is {item!r}", field=field, expected=expected)
