"""Whether a hint gives the secret away: as it is, inflected, in short, spelled, or in disguise.

Each guard is a function ``(text, names) -> what shows it, or None``.  They would rather ask for
another hint than let one through: a hint that is refused wrongly costs one request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from types import MappingProxyType

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.checking.finding import Rules
from turnsure.dialogues.checking.naming import find_naming
from turnsure.dialogues.english import plain, tokens
from turnsure.dialogues.english_lists import FUNCTION_WORDS
from turnsure.dialogues.hinting.scripts import foreign_words, romanised, skeleton
from turnsure.dialogues.hinting.words import COMMON_PARTS

Leak = Callable[[str, Sequence[str]], str | None]

_LEAST_STEM = 4
"""Letters from which on a word that begins with the whole name is derived from it."""

_LEAST_SHARED = 5
_SHARE_SHARED = 0.75
"""Letters, and which part of both words, that two words of one stem have in common."""

_LEAST_CONSONANTS = 4
_FEWER_CONSONANTS = 3
_N_BEGINNING = 3
"""Consonants that make two words sound alike, and fewer for words that begin with these letters."""

_LEAST_FOREIGN_CONSONANTS = 2
_LEAST_REVERSED = 4

_CAPITALS = re.compile(r"(?<![\w.])(?:[A-Z]\.?)+[A-Z]\.?(?!\w)")
_SPELLED = re.compile(r"(?<!\w)(?:[^\W\d_][\W_]{1,3}){2,}[^\W\d_](?!\w)")
_BLANKS = re.compile(r"[^\W\d_]_{2,}|(?:_ ){2,}|__+[^\W\d_]")
_LETTERS = re.compile(
    r"""\b(?i:(?:start|begin|end|finish)(?:s|ning|ing)?\s+(?:with|in|by)\s+(?:an?\s+|the\s+)?
            (?:capital\s+)?)(?:(?i:letters?|vowel|consonant)\b|["'“‘(]?[A-Z]["'”’)]?(?!\w)|["'“‘][a-z]["'”’])
      | \b(?i:(?:first|last|second|third|initial|starting|final|middle)\s+letters?)\b
      | \b(?i:\w+[\s-]+letters?\s+(?:long|word|name|in\b))
      | \b(?i:letters?\b[^.?!]{0,60}\b(?:its|the|their|his|her)\s+(?:\w+\s+)?(?:name|word|answer))\b
      | \b(?i:(?:its|the|their|his|her)\s+(?:\w+\s+)?(?:name|word|answer)\b[^.?!]{0,60}\bletters?)\b
      | \b(?i:spel(?:t|led|ls|l|ling)|rhym(?:e|es|ing)|anagrams?|scrambled|jumbled|syllables?
            |initials|acronym|abbreviat(?:ed|ion|es|e))\b""",
    re.VERBOSE,
)


def named(text: str, names: Sequence[str], normalise: Callable[[str], str] = plain) -> str | None:
    """A name as it is, in another spelling, in the plural, derived, or misspelled."""
    carrier = Dialogue(
        id="hint", task="Name it.", hints=(Hint(answer=text),), gold=tuple(dict.fromkeys(names))
    )
    return next((one.evidence for one in find_naming(carrier, Rules(normalise=normalise))), None)


def derived(text: str, names: Sequence[str]) -> str | None:
    """A word that has the stem of a name of one word: "Peruvian", "lioness", "Argentine"."""
    for word, _ in _words(text):
        for name in _single(names):
            if _is_of_stem(word, name):
                return f"{word!r} has the stem of {name!r}"
    return None


def names_part(text: str, names: Sequence[str]) -> str | None:
    """A telling part of a proper name of several words: "Zealander" for New Zealand."""
    parts = [part for name in names for part in _telling_parts(name)]
    for word, _ in _words(text):
        part = next((one for one in parts if word.startswith(one)), None)
        if part is not None:
            return f"{word!r} is part of the name"
    return None


def abbreviated(text: str, names: Sequence[str]) -> str | None:
    """The initials of a name of several words, in capitals, with or without dots."""
    short = {initials for name in names for initials in _initials(name)}
    for match in _CAPITALS.finditer(text):
        letters = "".join(letter for letter in match[0] if letter.isalpha())
        if letters in short:
            return f"{match[0]!r} abbreviates a name"
    return None


def spelled(text: str, names: Sequence[str]) -> str | None:
    """Talk of letters, rhymes and spelling, whatever it is about, and names letter by letter."""
    squeezed = [_squeezed(name) for name in names]
    for match in _SPELLED.finditer(text):
        letters = _squeezed(match[0])
        if any(name.startswith(letters) or name in letters for name in squeezed if name):
            return f"{match[0]!r} spells a name"
    found = _LETTERS.search(text) or _BLANKS.search(text)
    return None if found is None else f"{found[0]!r} tells of letters"


def reversed_name(text: str, names: Sequence[str]) -> str | None:
    """A name written backwards."""
    backwards = {_squeezed(name)[::-1] for name in names}
    words = [word for word, _ in _words(text)]
    runs = (*words, *(a + b for a, b in pairwise(words)), "".join(words))
    found = next((run for run in runs if len(run) >= _LEAST_REVERSED and run in backwards), None)
    return None if found is None else f"{found!r} is a name backwards"


def respelled(text: str, names: Sequence[str]) -> str | None:
    """A word with a capital that sounds like a name: "Filipino" for the Philippines."""
    for word, is_name in _words(text):
        if is_name and any(_sounds_like(word, name) for name in _single(names)):
            return f"{word!r} sounds like a name"
    return None


def transliterated(text: str, names: Sequence[str]) -> str | None:
    """A name in another script: "Перу" for Peru, "Япония" for Japan."""
    latin = foreign_words(text, known=frozenset())
    if not latin:
        return None
    whole = [_squeezed(romanised(name)) for name in names]
    sounds = {skeleton(name) for name in names}
    for word in (*latin, "".join(latin)):
        sound = skeleton(word)
        if _squeezed(romanised(word)) in whole or any(
            min(len(sound), len(one)) >= _LEAST_FOREIGN_CONSONANTS
            and (one.startswith(sound) or sound.startswith(one))
            for one in sounds
        ):
            return f"{word!r} reads {romanised(word)!r}"
    return None


LEAKS: MappingProxyType[str, Leak] = MappingProxyType(
    {
        "named": named,
        "derived": derived,
        "part": names_part,
        "abbreviated": abbreviated,
        "spelled": spelled,
        "reversed": reversed_name,
        "respelled": respelled,
        "transliterated": transliterated,
    }
)
"""Every guard of the secret, by name."""


def find_leak(
    text: str, names: Sequence[str], normalise: Callable[[str], str] = plain
) -> str | None:
    """What shows that a text gives the secret away; None when no guard finds anything.

    Parameters
    ----------
    text
        Question and answer of a hint.
    names
        Accepted names of the secret.
    normalise
        The normal form in which names are looked for, best that of the grader.
    """
    found = named(text, names, normalise)
    rest = (leak(text, names) for name, leak in LEAKS.items() if name != "named")
    return found or next((one for one in rest if one is not None), None)


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Words in their plain form, and whether they have a capital, as proper names do."""
    for token in tokens(text):
        word = _squeezed(token.text)
        if word and not token.is_number:
            yield word, token.text[0].isupper()


def _single(names: Sequence[str]) -> list[str]:
    """The plain forms of names of one word."""
    return [plain(name) for name in names if len(plain(name).split()) == 1]


def _is_of_stem(word: str, name: str) -> bool:
    if len(name) >= _LEAST_STEM and word.startswith(name):
        return True
    if len(name) >= _LEAST_SHARED and name in word:
        return True
    pairs = zip(word, name, strict=False)
    shared = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(word), len(name)))
    return shared >= max(_LEAST_SHARED, _SHARE_SHARED * max(len(word), len(name)))


def _sounds_like(word: str, name: str) -> bool:
    ours, theirs = skeleton(word), skeleton(name)
    alike = word[:_N_BEGINNING] == name[:_N_BEGINNING]
    least = _FEWER_CONSONANTS if alike else _LEAST_CONSONANTS
    one_begins = ours.startswith(theirs) or theirs.startswith(ours)
    return one_begins and min(len(ours), len(theirs)) >= least


def _telling_parts(name: str) -> list[str]:
    """The words of a proper name of several words that say which one it is."""
    words = [(word, plain(word)) for word in name.split()]
    return [
        bare
        for word, bare in words
        if len(words) > 1
        and word[0].isupper()
        and len(bare) >= _LEAST_SHARED
        and bare not in COMMON_PARTS
    ]


def _initials(name: str) -> Iterator[str]:
    """The first letters of a name of several words, with and without its little words."""
    words = plain(name).split()
    for chosen in (words, [word for word in words if word not in FUNCTION_WORDS]):
        if len(chosen) > 1:
            yield "".join(word[0] for word in chosen).upper()


def _squeezed(text: str) -> str:
    return plain(text).replace(" ", "").replace("_", "")
