"""What the columns of a table of scores mean, and its values, checked."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from turnsure.core.errors import InputError
from turnsure.core.turns import PLAIN
from turnsure.experiment.coded import MISSING, CodedColumn
from turnsure.experiment.score_arrays import NameCoder, numbers, outcomes, positions
from turnsure.experiment.score_names import taken_columns
from turnsure.experiment.score_rows import ScoreRows
from turnsure.experiment.score_values import (
    MOST_TURNS,
    UnreadableError,
    name_of,
    number_of,
    outcome_of,
    position_of,
)
from turnsure.store.raw_columns import RawColumns

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from turnsure.numerics.arrays import FloatArray, Int64Array

T = TypeVar("T")

OWN, GOLD = "answer", "gold"

_NAME = "a name"
_POSITION = f"a whole number from 1 to {MOST_TURNS:,}"
_OUTCOME = "TRUE or FALSE, 1 or 0, or NA"
_FRACTION = "a fraction in [0, 1]"
_PERCENT = "a number in [0, 100]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """How a table is read.

    Attributes
    ----------
    named
        Role to column, as the user said; the others are found by their names.
    confidence
        Columns with confidences, each a method; empty to find them by name.
    percent
        Whether confidences are on a scale of 0 to 100.
    """

    named: Mapping[str, str] | None = None
    confidence: tuple[str, ...] = ()
    percent: bool = False


class RowReader:
    """Finds the columns of a table and checks every value, a piece of the table at a time.

    Parameters
    ----------
    options
        How the table is read.
    """

    def __init__(self, options: ScoreOptions) -> None:
        self._options = options
        self._coders: dict[str, NameCoder] = {}
        self._largest: dict[str, float] = {}
        self._file: str | Path = ""

    def read(self, raw: RawColumns) -> ScoreRows:
        """Read one piece; names have the same numbers in all pieces.

        Raises
        ------
        InputError
            A column is missing or named twice, or a value is not what its column holds; names file,
            line and column.
        """
        import numpy as np

        self._file = raw.file
        taken = taken_columns(raw, self._options.named or {}, self._options.confidence)

        def names(role: str) -> CodedColumn | None:
            return self._names(raw, role, taken[role][0]) if role in taken else None

        def places(role: str) -> Int64Array | None:
            return _positions(raw, taken[role][0]) if role in taken else None

        def always(word: str) -> CodedColumn:
            return CodedColumn(codes=np.broadcast_to(np.int32(0), raw.n), names=(word,))

        dialogue = self._names(raw, "dialogue", taken["dialogue"][0])
        turn = places("turn")
        return ScoreRows(
            taken=taken,
            dialogue=dialogue,
            turn=np.broadcast_to(np.int64(1), raw.n) if turn is None else turn,
            n_turns=places("n_turns"),
            model=names("model"),
            data=names("data"),
            method=names("method"),
            condition=names("condition") or always(PLAIN),
            target=names("target") or always(OWN),
            confidence={name: self._confidences(raw, name) for name in taken["confidence"]},
            correct=_outcomes(raw, taken["correct"][0]),
            lines=None if raw.lines is None else np.asarray(raw.lines, dtype=np.int64),
        )

    def finish(self) -> None:
        """Check what can only be told from the whole table.

        Raises
        ------
        InputError
            No value of a column that is said to be in percent is above 1.
        """
        for name, largest in self._largest.items():
            if largest <= 1.0:
                raise InputError(
                    "no value is above 1, though --percent says that they are percent",
                    file=self._file,
                    field=name,
                    expected="values from 0 to 100, or no --percent",
                )

    def _names(self, raw: RawColumns, role: str, name: str) -> CodedColumn:
        coder = self._coders.setdefault(role, NameCoder())
        try:
            return CodedColumn(codes=coder.codes(raw, name), names=coder.names)
        except UnreadableError:
            _one_by_one(raw, name, name_of, _NAME)
            raise

    def _confidences(self, raw: RawColumns, name: str) -> FloatArray:
        """Fractions in [0, 1]; a table in percent is refused unless the user says that it is."""
        import numpy as np

        percent = self._options.percent
        scale, expected = (100.0, _PERCENT) if percent else (1.0, _FRACTION)
        found = numbers(raw, name)
        if found is None:
            found = _odd_numbers(raw, name, expected, percent=percent)
        given = ~np.isnan(found)
        if percent and given.any():
            largest = float(found[given].max())
            self._largest[name] = max(self._largest.get(name, largest), largest)
        fits = ~given | ((found >= 0.0) & (found <= scale))
        if not fits.all():
            row = int(np.argmin(fits))
            number = float(found[row])
            hint = ""
            if not percent and 1.0 < number <= 100.0:
                hint = "; values from 0 to 100 are read with --percent"
            raise raw.error(row, name, f"it is {number:.15g}", expected=expected + hint)
        return found / scale if percent else found


def _positions(raw: RawColumns, name: str) -> Int64Array:
    import numpy as np

    found = positions(raw, name)
    if found is not None:
        return found
    return np.array(_one_by_one(raw, name, position_of, _POSITION), dtype=np.int64)


def _outcomes(raw: RawColumns, name: str) -> npt.NDArray[np.int8]:
    import numpy as np

    try:
        found = outcomes(raw, name)
    except UnreadableError:
        found = None
    if found is not None:
        return found
    read = _one_by_one(raw, name, outcome_of, _OUTCOME)
    return np.array([MISSING if one is None else one for one in read], dtype=np.int8)


def _odd_numbers(raw: RawColumns, name: str, expected: str, *, percent: bool) -> FloatArray:
    """Numbers that are not all written as such, NaN where missing."""
    import numpy as np

    values = raw.columns[name]
    if percent:
        values = [
            value.strip().removesuffix("%") if isinstance(value, str) else value for value in values
        ]
    marked = any(isinstance(value, str) and "%" in value for value in values)
    hint = "; values such as 85% are read with --percent" if marked and not percent else ""
    plain = replace(raw, columns={name: values})
    read = _one_by_one(plain, name, number_of, f"{expected}, or NA{hint}")
    return np.array([math.nan if one is None else one for one in read], dtype=np.float64)


def _one_by_one(raw: RawColumns, name: str, read: Callable[[object], T], expected: str) -> list[T]:
    """The slow way, which knows the row of what cannot be read."""
    known: dict[str, T] = {}
    values: list[T] = []
    for row, value in enumerate(raw.columns[name]):
        try:
            if not isinstance(value, str):
                values.append(read(value))
                continue
            if value not in known:  # most columns of text hold few different values
                known[value] = read(value)
            values.append(known[value])
        except UnreadableError:
            shown = "nothing" if value is None or value == "" else reprlib.repr(value)
            raise raw.error(row, name, f"it is {shown}", expected=expected) from None
    return values
