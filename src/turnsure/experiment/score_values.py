"""Single values of a table of scores: what each may look like, and what it then means."""

from __future__ import annotations

import math

from turnsure.store.scores_file import is_unicode

MISSING_WORDS = frozenset({"", "na", "n/a", "<na>", "nan", "null", "none"})
TRUE_WORDS = frozenset({"true", "t", "yes", "y", "1", "1.0"})
FALSE_WORDS = frozenset({"false", "f", "no", "n", "0", "0.0"})

MOST_TURNS = 1_000_000


class UnreadableError(Exception):
    """A value is not what its column holds."""


def is_missing(value: object) -> bool:
    """Whether nothing was said."""
    if isinstance(value, str):
        return value.strip().casefold() in MISSING_WORDS
    return value is None or (isinstance(value, float) and math.isnan(value))


def name_of(value: object) -> str:
    """A name or an id; words such as NA are names here, only blanks are not.

    Neither is what no file can hold (half a surrogate pair, out of JSON) or what NumPy would cut
    off (the character 0, at the end).
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UnreadableError
    text = str(value).strip()
    if not text or (isinstance(value, float) and math.isnan(value)):
        raise UnreadableError
    if "\0" in text or not is_unicode(text):
        raise UnreadableError
    return text


def position_of(value: object) -> int:
    """A turn, or a number of turns."""
    number = _number(value)
    if not 1 <= number <= MOST_TURNS or number != int(number):
        raise UnreadableError
    return int(number)


def outcome_of(value: object) -> bool | None:
    """Whether the answer was right; None where nobody says."""
    if is_missing(value):
        return None
    word = str(value).strip().casefold()
    if isinstance(value, str | int | float) and word in TRUE_WORDS:
        return True
    if isinstance(value, str | int | float) and word in FALSE_WORDS:
        return False
    raise UnreadableError


def number_of(value: object) -> float | None:
    """Any number; None where it is missing."""
    return None if is_missing(value) else _number(value)


def _number(value: object) -> float:
    try:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise UnreadableError
        if isinstance(value, str) and "_" in value:  # Python would read 9_5 as 95
            raise UnreadableError
        return float(value)
    except (ValueError, OverflowError):
        raise UnreadableError from None
