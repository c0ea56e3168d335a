"""Columns of a table of scores as arrays, read all at once.

Each function reads a column of the usual kinds and gives None, or raises what the reading of a
single value raises, for any other; the column is then read value by value, which also finds the row
to be named in an error.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from turnsure.experiment.coded import MISSING
from turnsure.experiment.score_values import MISSING_WORDS, MOST_TURNS, name_of, outcome_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    import numpy.typing as npt

    from turnsure.experiment.coded import CodeArray
    from turnsure.numerics.arrays import FloatArray, Int64Array
    from turnsure.store.raw_columns import RawColumns

    OutcomeArray = npt.NDArray[np.int8]


_SPELT = {word: "nan" for known in MISSING_WORDS for word in (known, known.upper(), known.title())}
"""The usual ways of writing that a number is missing, as Python reads them."""


class _NamedTexts(dict[str, int]):
    """Texts as they stand in the file, with the numbers of the names that they are."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __missing__(self, text: str) -> int:
        name = name_of(text)
        if name == text:
            code = len(self.names)
            self.names.append(name)
        else:
            code = self[name]
        self[text] = code
        return code


class _NamedNumbers(dict[int, int]):
    """The same of whole numbers, which 1.0 and True, equal to 1, would be mistaken for."""

    def __init__(self, texts: _NamedTexts) -> None:
        super().__init__()
        self._texts = texts

    def __missing__(self, number: int) -> int:
        code = self[number] = self._texts[name_of(number)]
        return code


class NameCoder:
    """Numbers names in order of first appearance, over all pieces of a file."""

    def __init__(self) -> None:
        self._texts = _NamedTexts()
        self._numbers = _NamedNumbers(self._texts)

    @property
    def names(self) -> list[str]:
        """The names by number; grows as further ones appear."""
        return self._texts.names

    def codes(self, raw: RawColumns, name: str) -> CodeArray:
        """The number of each name in a column, shape (n,).

        Raises
        ------
        UnreadableError
            A value is no name.
        """
        import numpy as np

        array = raw.array(name)
        if array is not None and array.dtype.kind in "iu":
            values: list[Any] = array.tolist()
        else:
            values = raw.columns[name]
        kinds = set(map(type, values))
        if kinds == {str}:
            codes = map(self._texts.__getitem__, values)
        elif kinds == {int}:
            codes = map(self._numbers.__getitem__, values)
        else:
            codes = (self._texts[name_of(value)] for value in values)
        return np.fromiter(codes, dtype=np.int32, count=len(values))


class _Outcomes(dict[str, int]):
    """Words with 1, 0 or :data:`MISSING`."""

    def __missing__(self, word: str) -> int:
        outcome = outcome_of(word)
        code = self[word] = MISSING if outcome is None else int(outcome)
        return code


def numbers(raw: RawColumns, name: str) -> FloatArray | None:
    """A column of numbers, NaN where missing, shape (n,)."""
    import numpy as np

    array = raw.array(name)
    if array is not None:
        return None if array.dtype.kind == "b" else array.astype(np.float64)
    values = raw.columns[name]
    kinds = set(map(type, values))
    try:
        if kinds == {str} and "_" not in "".join(values):
            spelt = cast("Iterable[str]", map(_SPELT.get, values, values))
            return np.fromiter(map(float, spelt), dtype=np.float64, count=len(values))
        if kinds <= {float, int, type(None)}:
            given = (math.nan if value is None else float(value) for value in values)
            return np.fromiter(given, dtype=np.float64, count=len(values))
    except (ValueError, OverflowError):
        pass
    return None


def positions(raw: RawColumns, name: str) -> Int64Array | None:
    """A column of whole numbers from 1 to a million, none missing, shape (n,)."""
    import numpy as np

    found = numbers(raw, name)
    if found is None or not bool(
        ((found >= 1.0) & (found <= MOST_TURNS) & (found == np.floor(found))).all()
    ):
        return None
    return found.astype(np.int64)


def outcomes(raw: RawColumns, name: str) -> OutcomeArray | None:
    """A column of outcomes: 1, 0 or :data:`MISSING`, shape (n,)."""
    import numpy as np

    array = raw.array(name)
    if array is not None:
        right = array == 1
        # Minus nought is no word for wrong.
        known = right | (
            (array == 0) & ~np.signbit(array) if array.dtype.kind == "f" else array == 0
        )
        if not bool((known | (array != array)).all()):
            return None
        return np.where(known, right, MISSING).astype(np.int8)
    values = raw.columns[name]
    kinds = set(map(type, values))
    if kinds == {str}:
        known_words = _Outcomes()
        return np.fromiter(map(known_words.__getitem__, values), dtype=np.int8, count=len(values))
    if kinds <= {bool, type(None)}:
        coded = (MISSING if value is None else value for value in values)
        return np.fromiter(coded, dtype=np.int8, count=len(values))
    return None
