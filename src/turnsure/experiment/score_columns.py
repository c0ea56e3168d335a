"""What the columns of a table of scores mean, and its values, checked row by row."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from turnsure.core.errors import InputError
from turnsure.core.turns import PLAIN
from turnsure.experiment.score_names import taken_columns
from turnsure.store.scores_file import RawColumns, is_unicode

T = TypeVar("T")

MISSING_WORDS = frozenset({"", "na", "n/a", "<na>", "nan", "null", "none"})
TRUE_WORDS = frozenset({"true", "t", "yes", "y", "1", "1.0"})
FALSE_WORDS = frozenset({"false", "f", "no", "n", "0", "0.0"})

OWN, GOLD = "answer", "gold"

_FRACTION = "a fraction in [0, 1]"
_PERCENT = "a number in [0, 100]"
_MOST_TURNS = 1_000_000


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRows:
    """A table's values, all columns of one length.

    Attributes
    ----------
    taken
        Role to the columns that were taken for it.
    dialogue, turn
        Where; turn counts from 1, and is 1 throughout where no column says it.
    n_turns
        None where no column says it.
    model, data, method
        Names, None where no column says them.
    condition, target
        ``"plain"`` and ``"answer"`` where no column says otherwise.
    confidence
        By column, fractions in [0, 1], None where missing.
    correct
        None where not graded.
    """

    taken: Mapping[str, tuple[str, ...]]
    dialogue: Sequence[str]
    turn: Sequence[int]
    n_turns: Sequence[int] | None
    model: Sequence[str] | None
    data: Sequence[str] | None
    method: Sequence[str] | None
    condition: Sequence[str]
    target: Sequence[str]
    confidence: Mapping[str, Sequence[float | None]]
    correct: Sequence[bool | None]


def read_rows(raw: RawColumns, options: ScoreOptions) -> ScoreRows:
    """Find the columns and check every value.

    Raises
    ------
    InputError
        A column is missing or named twice, or a value is not what its column holds; names file,
        line and column.
    """
    taken = taken_columns(raw, options.named or {}, options.confidence)

    def column(role: str, read: Callable[[object], T], expected: str) -> list[T] | None:
        return _read(raw, taken[role][0], read, expected) if role in taken else None

    text = "a name"
    position = f"a whole number from 1 to {_MOST_TURNS:,}"
    return ScoreRows(
        taken=taken,
        dialogue=_read(raw, taken["dialogue"][0], _name, text),
        turn=column("turn", _position, position) or [1] * raw.n,
        n_turns=column("n_turns", _position, position),
        model=column("model", _name, text),
        data=column("data", _name, text),
        method=column("method", _name, text),
        condition=column("condition", _name, text) or [PLAIN] * raw.n,
        target=column("target", _name, text) or [OWN] * raw.n,
        confidence={
            name: _confidences(raw, name, percent=options.percent) for name in taken["confidence"]
        },
        correct=_read(raw, taken["correct"][0], _outcome, "TRUE or FALSE, 1 or 0, or NA"),
    )


class _UnreadableError(Exception):
    """A value is not what its column holds."""


def _read(raw: RawColumns, name: str, read: Callable[[object], T], expected: str) -> list[T]:
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
        except _UnreadableError:
            shown = "nothing" if value is None or value == "" else reprlib.repr(value)
            raise raw.error(row, name, f"it is {shown}", expected=expected) from None
    return values


def _is_missing(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().casefold() in MISSING_WORDS
    return value is None or (isinstance(value, float) and math.isnan(value))


def _name(value: object) -> str:
    """A name or an id; words such as NA are names here, only blanks are not.

    Neither is what no file can hold (half a surrogate pair, out of JSON) or what NumPy would cut
    off (the character 0, at the end).
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _UnreadableError
    text = str(value).strip()
    if not text or (isinstance(value, float) and math.isnan(value)):
        raise _UnreadableError
    if "\0" in text or not is_unicode(text):
        raise _UnreadableError
    return text


def _number(value: object) -> float:
    try:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise _UnreadableError
        if isinstance(value, str) and "_" in value:  # Python would read 9_5 as 95
            raise _UnreadableError
        return float(value)
    except (ValueError, OverflowError):
        raise _UnreadableError from None


def _position(value: object) -> int:
    number = _number(value)
    if not 1 <= number <= _MOST_TURNS or number != int(number):
        raise _UnreadableError
    return int(number)


def _outcome(value: object) -> bool | None:
    if _is_missing(value):
        return None
    word = str(value).strip().casefold()
    if isinstance(value, str | int | float) and word in TRUE_WORDS:
        return True
    if isinstance(value, str | int | float) and word in FALSE_WORDS:
        return False
    raise _UnreadableError


def _optional_number(value: object) -> float | None:
    return None if _is_missing(value) else _number(value)


def _confidences(raw: RawColumns, name: str, *, percent: bool) -> list[float | None]:
    """Fractions in [0, 1]; a table in percent is refused unless the user says that it is."""
    scale, expected = (100.0, _PERCENT) if percent else (1.0, _FRACTION)
    values: Sequence[Any] = raw.columns[name]
    if percent:
        values = [
            value.strip().removesuffix("%") if isinstance(value, str) else value for value in values
        ]
    whole = RawColumns(file=raw.file, columns={name: list(values)}, lines=raw.lines, n=raw.n)
    marked = any(isinstance(value, str) and "%" in value for value in values)
    hint = "; values such as 85% are read with --percent" if marked and not percent else ""
    numbers = _read(whole, name, _optional_number, f"{expected}, or NA{hint}")
    given = [number for number in numbers if number is not None]
    if percent and given and max(given) <= 1.0:
        raise InputError(
            "no value is above 1, though --percent says that they are percent",
            file=raw.file,
            field=name,
            expected="values from 0 to 100, or no --percent",
        )
    for row, number in enumerate(numbers):
        if number is not None and not 0.0 <= number <= scale:
            hint = ""
            if not percent and 1.0 < number <= 100.0:
                hint = "; values from 0 to 100 are read with --percent"
            raise raw.error(row, name, f"it is {number:.15g}", expected=expected + hint)
    return [None if number is None else number / scale for number in numbers]
