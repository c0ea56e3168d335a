"""Named values in a text: what a summary must neither lose nor invent.

Proper names, numbers and quotations.  The rules are for English; what they do not see is listed in
docs/controls.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Literal

from turnsure.dialogues.english import Token, clean, same_name, tokens
from turnsure.dialogues.english_lists import (
    CASUAL_NUMBERS,
    FUNCTION_WORDS,
    NUMBER_WORDS,
    SCALES,
)

ValueKind = Literal["name", "number", "quotation"]

_QUOTATION = re.compile(
    r"\"(?P<double>[^\"\n]{1,120})\"|(?<!\w)'(?P<single>[^\W\d_][^\n\"]{0,118}?)'(?!\w)"
)
_TENS = frozenset(range(20, 100, 10))
_UNITS = frozenset(range(1, 10))
_LEAST_INITIALS = 2
_FINITE = frozenset({"is", "was", "has", "had"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedValue:
    """A proper name (a word at a time), a number or a quotation.

    Attributes
    ----------
    kind
        Which of them.
    text
        As written.
    number
        The number's value, None for the others.
    words
        The words of a name or a quotation, by their spellings.
    initials
        Of the row of names in which a name stands, in lower case.
    """

    kind: ValueKind
    text: str
    number: Fraction | None = None
    words: tuple[frozenset[str], ...] = ()
    initials: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A text in which values are looked up.

    Attributes
    ----------
    words
        All of it, in order.
    spellings
        Every spelling of every word.
    numbers
        Every number, in digits or words.
    acronyms
        Words in capitals, in lower case.
    """

    words: tuple[Token, ...]
    spellings: frozenset[str]
    numbers: frozenset[Fraction]
    acronyms: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Reading:
        """Read a text."""
        words = tokens(text)
        return cls(
            words=words,
            spellings=frozenset[str]().union(*(word.forms for word in words)),
            numbers=frozenset(number for number, _, _ in _numbers(words)),
            acronyms=frozenset(
                min(word.forms)
                for word in words
                if word.text.isupper() and len(word.text) >= _LEAST_INITIALS
            ),
        )

    def holds(self, value: NamedValue) -> bool:
        """Whether the value stands here, however it is written."""
        if value.number is not None:
            return value.number in self.numbers
        if value.kind == "name":
            return value.initials in self.acronyms or self._holds_name(value.words[0])
        return self._holds_run(value.words)

    def _holds_name(self, name: frozenset[str]) -> bool:
        return (
            bool(name & self.spellings)
            or any(same_name(left, right) for left in name for right in self.spellings)
            or any(self._abbreviates(one) for one in name)
        )

    def _abbreviates(self, name: str) -> bool:
        """Whether the letters of a name begin words in a row here, as in NBA."""
        if len(name) < _LEAST_INITIALS:
            return False
        initials = "".join(min(word.forms)[:1] for word in self.words if word.text[:1].isupper())
        return name in initials and name.isalpha()

    def _holds_run(self, run: Sequence[frozenset[str]]) -> bool:
        return any(
            all(wanted & word.forms for wanted, word in zip(run, self.words[start:], strict=False))
            for start in range(len(self.words) - len(run) + 1)
        )


def named_values(text: str) -> tuple[NamedValue, ...]:
    """All named values of a text, in the order quotations, numbers, names.

    A name at the start of a sentence is seen when it has the possessive or a capital inside, or
    stands elsewhere in the text inside a sentence; otherwise its capital may be the sentence's.
    """
    words = tokens(text)
    return (
        *_quotations(text),
        *(
            NamedValue(kind="number", text=written, number=number)
            for number, written, is_casual in _numbers(words)
            if not is_casual
        ),
        *_names(words),
    )


def _names(words: Sequence[Token]) -> Iterator[NamedValue]:
    if all(word.text.isupper() for word in words if not word.is_number):
        return  # capitals throughout tell no names
    inside = {form for word in words if _is_name_inside(word) for form in word.forms}
    is_name = [
        _is_name_inside(word) or (word.starts and _is_name_at_start(word, inside)) for word in words
    ]
    for named, row in groupby(enumerate(words), key=lambda item: is_name[item[0]]):
        if named:
            names = [word for _, word in row]
            initials = "".join(min(word.forms)[:1] for word in names)
            for word in names:
                yield NamedValue(
                    kind="name", text=word.text, words=(word.forms,), initials=initials
                )


def subjects_at_start(text: str) -> tuple[NamedValue, ...]:
    """Words at the start of a sentence with a verb right after them: a name, or a new subject."""
    words = tokens(text)
    return tuple(
        NamedValue(kind="name", text=word.text, words=(word.forms,))
        for word, after in pairwise(words)
        if word.starts and after.text in _FINITE and _may_be_name(word)
    )


def _may_be_name(word: Token) -> bool:
    return (
        not word.is_number
        and word.text[0].isupper()
        and len(word.text) >= _LEAST_INITIALS
        and not word.forms & FUNCTION_WORDS
        and not word.forms & NUMBER_WORDS.keys()
    )


def _is_name_inside(word: Token) -> bool:
    has_inner_capital = any(letter.isupper() for letter in word.text[1:])
    if has_inner_capital and not word.is_number:
        return len(word.text) >= _LEAST_INITIALS and not word.forms & (FUNCTION_WORDS - {"us"})
    return not word.starts and _may_be_name(word)


def _is_name_at_start(word: Token, inside: set[str]) -> bool:
    return _may_be_name(word) and (word.text.endswith("'s") or bool(word.forms & inside))


def _quotations(text: str) -> Iterator[NamedValue]:
    for match in _QUOTATION.finditer(clean(text)):
        said = match["double"] or match["single"]
        run = tuple(word.forms for word in tokens(said))
        if run:
            yield NamedValue(kind="quotation", text=said, words=run)


def _numbers(words: Sequence[Token]) -> Iterator[tuple[Fraction, str, bool]]:
    """Value, writing and whether it hardly counts: 37 million, 1,000, twenty-one, second."""
    place = 0
    while place < len(words):
        start, number = place, _number(words[place])
        place += 1
        if number is None:
            continue
        is_casual = words[start].text.lower() in CASUAL_NUMBERS
        if number in _TENS and not words[start].is_number and place < len(words):
            unit = NUMBER_WORDS.get(words[place].text.lower())
            if unit in _UNITS and _goes_on(words[place]):
                number, place = number + unit, place + 1
        while place < len(words) and words[place].text.lower() in SCALES and _goes_on(words[place]):
            number, place, is_casual = number * SCALES[words[place].text.lower()], place + 1, False
        yield number, " ".join(word.text for word in words[start:place]), is_casual


def _goes_on(word: Token) -> bool:
    return word.gap.strip() in {"", "-"} and "\n" not in word.gap


def _number(word: Token) -> Fraction | None:
    if word.is_number:
        return Fraction(min(word.forms))
    spoken = NUMBER_WORDS.get(word.text.lower())
    return None if spoken is None else Fraction(spoken)
