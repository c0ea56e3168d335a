"""English words as the controls compare them: many spellings, one word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from turnsure.dialogues.english_lists import (
    ABBREVIATIONS,
    COUNTRIES_IN_SHORT,
    NAME_ENDINGS,
    NAME_ROOTS,
    NAMES_OF_PEOPLES,
    WORD_ENDINGS,
)

CACHED = 4096
"""Readings kept, since the hints of a turn are read again at every later one."""

_QUOTES = dict.fromkeys(map(ord, "‘’‛ʼʻʹ`´′"), "'") | dict.fromkeys(map(ord, "“”„‟«»″"), '"')
_DASHES = dict.fromkeys([*range(0x2010, 0x2016), 0x2212], "-")
_ACCENT = re.compile("[\u0300-\u036f]")
_LETTERS = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i"})
_WORD = re.compile(
    r"(?P<initials>(?:[^\W\d_]\.){2,}|(?:[^\W\d_]\.)+[^\W\d_](?!\w))"
    r"|(?P<number>(?:\d{1,3}(?:[, ']\d{3})+(?!\d)|\d{1,3}(?:\.\d{3}){2,}(?!\d)|\d+(?:,\d{2,3})*)"
    r"(?:\.\d+)?)(?:(?:st|nd|rd|th|s)(?!\w))?"
    r"|(?P<word>[^\W\d_]\w*(?:'\w+)*)",
)
_POSSESSIVE = re.compile(r"(?<=\w)'s?(?!\w)", re.IGNORECASE)
_SENTENCE_END = re.compile(r'[.!?;:\n"]')
REMARK = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_TAKES_ES = ("ses", "xes", "zes", "ches", "shes", "oes")
_LEAST_SINGULAR = 3

_LEAST_SHARED = 4
_BARE_NAMES = ({"land", ""}, {"y", ""})  # Thailand and Thai, Germany and German


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word or a number in a text.

    Attributes
    ----------
    text
        As written, apart from Unicode forms.
    gap
        What stands between it and the word before.
    is_number
        Whether it is written in digits.
    forms
        Its spellings: without case, accents and possessive, in the plural and the singular.
    starts
        Whether it begins a sentence, a quotation or what follows a colon.
    """

    text: str
    gap: str
    is_number: bool
    forms: frozenset[str]
    starts: bool


def clean(text: str) -> str:
    """One spelling for quotation marks, dashes, blanks, compatibility forms, U.S. and U.K."""
    text = unicodedata.normalize("NFKC", text.translate(_QUOTES))
    text = text.translate(_QUOTES | _DASHES)
    kept = (letter for letter in text if unicodedata.category(letter) != "Cf")
    text = "".join(" " if letter.isspace() and letter != "\n" else letter for letter in kept)
    for pattern, name in COUNTRIES_IN_SHORT:
        text = re.sub(pattern, name, text)
    return text


@lru_cache(maxsize=CACHED)
def tokens(text: str) -> tuple[Token, ...]:
    """Words and numbers in order; a hyphen parts words, an apostrophe does not."""
    return tuple(_tokens(clean(text)))


def _tokens(cleaned: str) -> Iterator[Token]:
    end, before = 0, ""
    for match in _WORD.finditer(cleaned):
        gap = cleaned[end : match.start()]
        number = match["number"]
        said = match[0].replace(".", "") if match["initials"] else match[0]
        ends_sentence = _SENTENCE_END.search(gap) is not None
        if gap.startswith(".") and '"' not in gap and "\n" not in gap:
            ends_sentence = before.lower() not in ABBREVIATIONS and len(before) > 1
        yield Token(
            text=match[0],
            gap=gap,
            is_number=number is not None,
            forms=frozenset({_ungrouped(number)}) if number else forms(said),
            starts=not before or ends_sentence,
        )
        end, before = match.end(), said


def _ungrouped(number: str) -> str:
    """A number without the marks between its thousands."""
    return re.sub(r"[, '.]" if number.count(".") > 1 else "[, ']", "", number)


@lru_cache(maxsize=CACHED)
def forms(word: str) -> frozenset[str]:
    """Spellings under which a word is looked up: as it is, and without a plural ending."""
    base = _folded(_POSSESSIVE.sub("", word)).replace("'", "")
    base = NAMES_OF_PEOPLES.get(base, base)
    found = {base}
    if base.endswith("s") and not base.endswith(("ss", "us", "is")):
        found.add(base[:-1])
    if base.endswith(_TAKES_ES):
        found.add(base[:-2])
    if base.endswith("ies"):
        found.add(f"{base[:-3]}y")
    return frozenset(one for one in found if one == base or len(one) >= _LEAST_SINGULAR)


def _folded(text: str) -> str:
    """Without case and Latin or Greek accents."""
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", text.casefold()))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)


@lru_cache(maxsize=CACHED)
def plain(text: str) -> str:
    """The words alone, in lower case, without accents, punctuation and apostrophes."""
    folded = _folded(clean(text)).replace("'", "")
    return " ".join("".join(c if _is_of_word(c) else " " for c in folded).split())


def _is_of_word(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LNMS"


def related(left: str, right: str) -> bool:
    """Whether two words are of one stem, roughly: "coast" and "coastal", "fur" and "furry"."""
    shared = _n_shared(left, right)
    if shared < min(_LEAST_SHARED, len(left), len(right)):
        return False
    ends = {
        left[shared:].removeprefix(left[shared - 1]),
        right[shared:].removeprefix(left[shared - 1]),
    }
    return ends <= WORD_ENDINGS and shared >= _LEAST_SINGULAR


def same_name(left: str, right: str) -> bool:
    """Whether two names are one but for an ending of origin: "Asia" and "Asian"."""
    shared = _n_shared(left, right)
    if left == right or shared < _LEAST_SHARED:
        return left == right
    ends = (left[shared:], right[shared:])
    return set(ends) in _BARE_NAMES or any(
        root in NAME_ROOTS and ending.removesuffix("s") in NAME_ENDINGS
        for root, ending in (ends, ends[::-1])
    )


def _n_shared(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(left), len(right)))


def accepted_names(
    gold: Sequence[str], normalise: Callable[[str], str]
) -> tuple[tuple[str, frozenset[str]], ...]:
    """Each accepted answer with its spellings as one word, with and without remarks in brackets."""
    found: list[tuple[str, frozenset[str]]] = []
    for answer in gold:
        variants = {_squeezed(one, normalise) for one in (answer, REMARK.sub(" ", answer))}
        spellings = frozenset[str]().union(*(forms(one) for one in variants if one))
        found.append((answer, spellings))
    return tuple(found)


def names_any(
    text: str,
    names: Sequence[tuple[str, frozenset[str]]],
    normalise: Callable[[str], str],
) -> tuple[str, ...]:
    """The accepted answers that stand in ``text`` as whole words, written together or apart.

    Parameters
    ----------
    text
        Any text.
    names
        From :func:`accepted_names`.
    normalise
        The normal form of a text, words parted by blanks.
    """
    words = normalise(_POSSESSIVE.sub("", clean(text))).split()
    longest = max((len(one) for _, spellings in names for one in spellings), default=0) + 1
    runs: set[str] = set()
    for start in range(len(words)):
        run = ""
        for word in words[start:]:
            run += word
            if len(run) > longest:
                break
            runs |= forms(run)
    return tuple(answer for answer, spellings in names if spellings & runs)


def _squeezed(text: str, normalise: Callable[[str], str]) -> str:
    return normalise(_POSSESSIVE.sub("", clean(text))).replace(" ", "")
