"""Whether a message makes a reveal known: by the facts that the card names, or by its own words.

What a person may put in other words is compared by proper names, numbers and words of content, as
the guard of summaries does it (:mod:`turnsure.dialogues.summary_values`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from turnsure.core.scenario import Reveal
from turnsure.dialogues.checking.repeats import content_words
from turnsure.dialogues.english import forms, plain, related, same_name
from turnsure.dialogues.summary_values import NamedValue, Reading, named_values

SHARE = 0.5
"""Share of the telling words of a reveal from which on it counts as told."""

_SHORT_FORM = re.compile(r"(?<![\w.])(\d+(?:[.,]\d+)?)\s?(k|lakhs?|crores?)\b", re.IGNORECASE)
_CODE = re.compile(r"\b[^\W\d]\w*\d\w*\b")
"""Ids and codes, such as B3 and mia_li_3668."""

_UNITS = frozenset({"rs", "re", "inr", "usd", "eur", "gbp", "aud", "cad", "ok", "pm", "am"})
"""Words in capitals that another word may stand for."""

_LITTLE = _UNITS | {
    word
    for line in (
        "add ask can come do find get give go going got hello help hey hi id ill im ive just keep",
        "know let like little look looking mind need note okay one please prefer see set show tell",
        "thank thanks think try use want way wish would",
    )
    for word in line.split()
}
"""Words of requests that tell nothing of what is asked for."""

_SHORT = {"k": 10**3, "lakh": 10**5, "lakhs": 10**5, "crore": 10**7, "crores": 10**7}


def holds(text: str, fact: str) -> bool:
    """Whether a text holds a fact: its words in a row, or all of its names and numbers.

    A fact without a name or a number has to stand there in its own words.
    """
    if f" {plain(_spelled_out(fact))} " in f" {plain(_spelled_out(text))} ":
        return True
    values = _values(fact)
    return bool(values) and not _missing(text, values)


def missing_part(text: str, reveal: Reveal) -> str | None:
    """What of a reveal a message does not make known; None when it makes it known.

    The card's ``facts`` decide where there are any.  Otherwise every name and number of ``say`` has
    to be there, and half of its telling words where it has none.
    """
    if reveal.facts:
        return next((repr(one) for one in reveal.facts if not holds(text, one)), None)
    values = _values(reveal.say)
    if values:
        gone = _missing(text, values)
        return repr(gone[0].text) if gone else None
    words = _telling(reveal.say)
    told = _shared(words, _telling(text))
    if not words or len(told) >= SHARE * len(words):
        return None
    return ", ".join(repr(word) for word in words if word not in told)


def told_part(text: str, reveal: Reveal, *, known: str) -> str | None:
    """What of a later reveal a message tells already; None when it tells nothing of it.

    Parameters
    ----------
    text
        The message.
    reveal
        One that is not due yet.
    known
        All that may be said by now; what stands there is no leak.
    """
    for fact in reveal.facts:
        if holds(text, fact) and not holds(known, fact):
            return fact
    values = tuple(value for one in (reveal.say, *reveal.facts) for value in _values(one))
    new_here = _missing(known, values)
    still_missing = _missing(text, tuple(new_here))
    for value in new_here:
        if value not in still_missing:
            return value.text
    if reveal.facts:
        return None
    known_words = _telling(known)
    new = [word for word in _telling(reveal.say) if not _shared([word], known_words)]
    told = _shared(new, _telling(text))
    return " ".join(told) if told and len(told) >= SHARE * len(new) else None


def numbers_in(text: str) -> Iterator[tuple[Fraction, str]]:
    """The numbers of a text that count something, with how they are written."""
    for value in named_values(_spelled_out(text)):
        if value.number is not None:
            yield value.number, value.text


def known_numbers(text: str) -> frozenset[Fraction]:
    """Every number of a text, in digits or words."""
    return Reading.of(_spelled_out(text)).numbers


@lru_cache(maxsize=1024)
def _values(text: str) -> tuple[NamedValue, ...]:
    """Names, numbers and codes; a currency is none of them."""
    found = named_values(_spelled_out(text))
    codes = (
        NamedValue(kind="name", text=code, words=(forms(code),)) for code in _CODE.findall(text)
    )
    return (*(one for one in found if one.text.casefold() not in _UNITS), *codes)


def _missing(text: str, values: tuple[NamedValue, ...]) -> list[NamedValue]:
    reading = Reading.of(_spelled_out(text))
    words = {word.casefold() for word in re.findall(r"\w+", text)}
    return [
        value for value in values if not reading.holds(value) and value.text.casefold() not in words
    ]


def _spelled_out(text: str) -> str:
    """With 25k and 2 lakh as plain numbers."""
    return _SHORT_FORM.sub(_in_full, text)


def _in_full(short: re.Match[str]) -> str:
    number = Fraction(short[1].replace(",", ".")) * _SHORT[short[2].lower()]
    return str(number) if number.denominator == 1 else short[0]


def _telling(text: str) -> list[str]:
    words = dict.fromkeys(content_words(text))
    return [word for word in words if len(word) > 1 and word not in _LITTLE]


def _shared(words: list[str], others: list[str]) -> list[str]:
    return [
        word
        for word in words
        if any(word == one or same_name(word, one) or related(word, one) for one in others)
    ]
