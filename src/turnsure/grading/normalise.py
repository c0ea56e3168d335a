"""The normal form of an answer: what is left of the text when only the name counts.

In this order:

1. compatibility forms are resolved (full width, ligatures, fractions), invisible characters go;
2. case is folded; Turkish dotless ı and dotted İ both become i;
3. accents come off Latin and Greek letters, æ œ ø đ ð þ ł become ae oe o d d th l, ё becomes е,
   Arabic and Hebrew vowel points go; marks that make another letter stay, such as those of
   Cyrillic й, of voiced kana and of Indic vowels.  So ö equals o but not oe: "schon" and "schön"
   have one normal form;
4. digits of every script become 0-9;
5. a leading "the", "a" or "an" goes when a name follows it;
6. apostrophes and asterisks vanish (not between digits), ``&`` reads "and", other punctuation
   becomes a space; symbols stay, and ``% # . / : -`` where they carry meaning (C#, 1.5, 1/2, -5);
7. initials are joined (``U.S.``, ``U. S.`` and ``US`` agree), ``St`` and ``Mt`` before a name read
   "saint" and "mount".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

CACHED = 4096
"""Readings kept, since every sample of a turn is compared with the same few answers."""

_LETTERS = str.maketrans(
    {
        "ı": "i",
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ł": "l",
        "♯": "#",
        "\u2044": "/",
        "\u2212": "-",
        "\ufe0e": None,  # variation selectors
        "\ufe0f": None,
        "\u0640": None,  # the Arabic stretching stroke
    }
)
_TRADE_MARK = re.compile("[™℠®©]")
_MIXED_FRACTION = re.compile("(?<=\\d)(?=[¼-¾⅐-⅞])")
_SUPERSCRIPT = re.compile("([⁰¹²³⁴-⁹]+)")
_APOSTROPHES = "'’‘‛ʼʻʹ`´′"
_VANISHING = re.compile(  # 5'11 and 2*3 keep theirs, 1'000 and M*A*S*H do not
    rf"[{_APOSTROPHES}*](?!\d)|(?<!\d)[{_APOSTROPHES}*]|[{_APOSTROPHES}](?=\d{{3}}(?!\d))"
)
_ARTICLE = re.compile(r"\W*(?:the\s+(?=\w)|an?\s+(?=[^\W\d_]{2}))")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_MEANT = re.compile(r"(?<!\w)-(?=\.?\d)|(?<![^\W\d_.])\.(?=\d)|(?<=\d)[/:*](?=\d)|[%#]")
_DASHES = re.compile("[\u2010-\u2015]")
_LONG_NAMES = {"st": "saint", "mt": "mount"}
_DIAERESIS, _ACUTE = "\u0308", "\u0301"
_CYRILLIC_VOWELS = frozenset("аеиоуыэюя")


@lru_cache(maxsize=CACHED)
def normal(text: str) -> str:
    """Give the normal form of ``text``; ``""`` when it holds nothing but punctuation."""
    folded = fold(text).replace("_", " ")
    article = _ARTICLE.match(folded)
    if article:
        folded = folded[article.end() :]
    folded = _THOUSANDS.sub("", folded.replace("&", " and "))
    meant = {match.start() for match in _MEANT.finditer(folded)}
    spaced = "".join(
        " " if unicodedata.category(letter)[0] in "PZ" and i not in meant else letter
        for i, letter in enumerate(folded)
    )
    return " ".join(_joined_initials(spaced.split()))


def fold(text: str) -> str:
    """Steps 1 to 4 of the normal form: one spelling for every letter and digit.

    Apostrophes go here too, since compatibility forms turn some of them into accents.
    """
    text = _VANISHING.sub("", _MIXED_FRACTION.sub(" ", _TRADE_MARK.sub("", text)))
    text = _SUPERSCRIPT.sub(r"^\1", text)
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    text = _DASHES.sub("-", _without_accents(text).translate(_LETTERS))
    return "".join(_plain_character(letter) for letter in text)


def _plain_character(letter: str) -> str:
    """A digit as ASCII, white space as a blank, other control and format characters as nothing."""
    kind = unicodedata.category(letter)
    if kind == "Nd":
        return str(unicodedata.digit(letter))
    if letter.isspace():
        return " "
    return "" if kind in {"Cc", "Cf"} else letter


def _without_accents(text: str) -> str:
    kept: list[str] = []
    base = ""
    for letter in unicodedata.normalize("NFD", text):
        if unicodedata.category(letter) != "Mn":
            base = letter
        elif _is_accent(letter, base):
            continue
        kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept))


def _is_accent(mark: str, base: str) -> bool:
    """Whether ``base`` with ``mark`` is the same letter to a careless writer."""
    if "\u064b" <= mark <= "\u0652" or "\u0591" <= mark <= "\u05c7":  # vowel points
        return True
    if base in _CYRILLIC_VOWELS:
        return mark == _ACUTE or (mark == _DIAERESIS and base == "е")
    return unicodedata.name(base, "").startswith(("LATIN", "GREEK")) if base else False


def _joined_initials(words: Iterable[str]) -> list[str]:
    """Runs of single letters become one word; ``st`` and ``mt`` are written out before a name."""
    joined: list[str] = []
    in_initials = False
    for word in words:
        if joined and joined[-1] in _LONG_NAMES:
            joined[-1] = _LONG_NAMES[joined[-1]]
        is_initial = len(word) == 1 and word.islower()
        if is_initial and in_initials:
            joined[-1] += word
        else:
            joined.append(word)
        in_initials = is_initial
    return joined
