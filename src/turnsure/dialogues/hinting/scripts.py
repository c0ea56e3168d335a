"""Words in other scripts and other spellings, made comparable with a name in Latin letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f\u0900-\u0dff\u0e31-\u0e4e]+[^\W\d_]*)*")
_LATIN = "LATIN"
_SOUNDS = (
    ("ph", "f"),
    ("sch", "s"),
    ("sh", "s"),
    ("th", "t"),
    ("kh", "k"),
    ("gh", "g"),
    ("ck", "k"),
    ("x", "ks"),
    ("q", "k"),
    ("z", "s"),
    ("w", "v"),
    ("j", "y"),
)
_SOFT_C = re.compile(r"c(?=[eiy])")
_SILENT = re.compile(r"(?<!^)[aeiouyh]|^[aeiouh]")
_DOUBLED = re.compile(r"(.)\1+")


def script_of(letter: str) -> str:
    """The script of a letter as Unicode names it: ``LATIN``, ``CYRILLIC``, ``CJK``."""
    return unicodedata.name(letter, "").partition(" ")[0]


def scripts_in(texts: Iterable[str]) -> frozenset[str]:
    """The scripts of all letters."""
    return frozenset(script_of(c) for text in texts for c in _compatible(text) if c.isalpha())


def foreign_words(text: str, *, known: frozenset[str]) -> tuple[str, ...]:
    """Words of two letters or more that are not wholly in Latin letters or a known script.

    A word that mixes scripts is foreign whatever they are: that is how a name is disguised.
    """
    found: list[str] = []
    for match in _WORD.finditer(_compatible(text)):
        scripts = scripts_in([match[0]])
        is_word = sum(letter.isalpha() for letter in match[0]) > 1
        if is_word and (len(scripts) > 1 or not scripts <= known | {_LATIN}):
            found.append(match[0])
    return tuple(found)


def romanised(text: str) -> str:
    """Any script in ASCII, letter by letter.

    The tables are those of the package ``anyascii`` (ISC licence), which follow the usual
    romanisations; ideographs come out by their Chinese readings.
    """
    from anyascii import anyascii

    return anyascii(unicodedata.normalize("NFKC", text))


def skeleton(word: str) -> str:
    """The consonants of a word by their sound, so that spellings of one name agree.

    ``Philippines`` gives ``flpns``, ``Филиппины`` gives ``flpn``.
    """
    letters = "".join(c for c in romanised(word).casefold() if c.isalpha())
    for spelling, sound in _SOUNDS:
        letters = letters.replace(spelling, sound)
    letters = _SOFT_C.sub("s", letters).replace("c", "k")
    return _DOUBLED.sub(r"\1", _SILENT.sub("", letters))


def _compatible(text: str) -> str:
    """Full width and styled letters as the plain ones."""
    return unicodedata.normalize("NFKC", text)
