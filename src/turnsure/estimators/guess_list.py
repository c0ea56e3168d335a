"""Reading a list of guesses with a probability each, as a model wrote it.

=======================================  ======================================
asked for                                read as well
=======================================  ======================================
``Guess 1: Peru``                        ``G1: Peru``, ``1. Peru``, ``1) Peru``
``Probability 1: 60``                    ``P1: 60``, ``Probability: 60%``
both lines in one                        ``1. Peru (60%)``, ``1. Peru: 60``, ``1. Peru | 60%``,
                                         ``Guess 1: Peru, Probability 1: 60``
=======================================  ======================================

What stands between, such as an introduction or reasons, is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from turnsure.core.boxed import MOST_CHARACTERS

MAX_LINE = 300
"""A longer line is prose and no entry."""

_EMPHASIS = re.compile(r"\*\*|__|`")
_GUESS = re.compile(
    r"""\s*(?:[-*•>\#]+\s*)?
        (?:
            (?:(?:guess|answer|candidate|option)\s*[\#(]?\s*|g)\d{1,2}\)?\s*[.):-]\s*
          | \d{1,2}(?:[.)]|\s*:)\s+
        )
        (?P<rest>.*\S)\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_WORDS = "probability|likelihood|confidence|chance|certainty"
_LABEL = rf"(?:(?:{_WORDS})\s*[#(]?\s*(?:\d{{1,2}}\b)?\)?|p\d{{1,2}})"
_PROBABILITY = re.compile(
    rf"\s*(?:[-*•>#]+\s*)?{_LABEL}\s*[:=-]\s*(?P<number>.*\S)\s*", re.IGNORECASE
)
_INLINE = re.compile(
    rf"(?P<guess>.*?\S)[\s(\[|,;:–—-]*\b{_LABEL}\s*[:=]\s*(?P<number>.*?)[\s)\].]*", re.IGNORECASE
)
_NUMBER = r"(?:(?:about|approx\.|~)\s*)?\d[\d.,]*\s*(?:%|percent\b|/\s*\d+)?"
_TAIL = re.compile(
    rf"""(?P<guess>.*?\S)\s*
        (?:
            [(\[]\s*(?P<bracketed>-?{_NUMBER})\s*[)\]]
          | (?:[|:=,;–—]\s*(?P<marked>-?{_NUMBER})|\s-\s+(?P<dashed>{_NUMBER}))
          | \s(?P<bare>\d[\d.,]*\s*(?:%|percent\b))
        )[\s.]*""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """One entry of the list.

    Attributes
    ----------
    text
        The guess as written, without emphasis.
    stated
        The probability as written, None where there is none.
    """

    text: str
    stated: str | None


def find_guesses(text: str) -> list[Guess]:
    """The entries of the list in ``text`` in their order; empty when there is no list."""
    if len(text) > MOST_CHARACTERS:
        return []
    return list(_entries(_EMPHASIS.sub("", text).splitlines()))


def _entries(lines: list[str]) -> Iterator[Guess]:
    waiting: str | None = None
    for line in (one for one in lines if len(one) <= MAX_LINE):
        begun = _GUESS.fullmatch(line)
        stated = _PROBABILITY.fullmatch(line)
        if stated and waiting is not None:
            yield Guess(text=waiting, stated=stated["number"])
            waiting = None
        elif begun and not stated:
            if waiting is not None:
                yield _in_one_line(waiting)
            waiting = begun["rest"]
    if waiting is not None:
        yield _in_one_line(waiting)


def _in_one_line(entry: str) -> Guess:
    """An entry whose probability, when there is one, stands behind the guess."""
    labelled = _INLINE.fullmatch(entry)
    if labelled:
        return Guess(text=labelled["guess"], stated=labelled["number"])
    tail = _TAIL.fullmatch(entry)
    if tail is None:
        return Guess(text=entry, stated=None)
    numbers = tail.group("bracketed", "marked", "dashed", "bare")
    return Guess(text=tail["guess"], stated=next(number for number in numbers if number))
