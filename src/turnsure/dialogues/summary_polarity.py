"""Whether a text says a word or denies it.

A word is *affirmed* (``"+"``) or *denied* (``"-"``) only where that is plain; anything else is
*unclear* (``"?"``), so that a guard built on this cries wolf rarely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from turnsure.dialogues.english import Token, related, tokens
from turnsure.dialogues.english_lists import (
    CLAUSE_WORDS,
    NEGATING_PAIRS,
    NEGATING_PREFIXES,
    NEGATORS,
    NO,
    NOT_NEGATING_AFTER,
    OPPOSITES,
    STRONG_BARRIERS,
    YES,
)

Sign = Literal["+", "-", "?"]

_ENDS_SENTENCE = re.compile(r"[.!?\n]")
_ANSWER_FOLLOWS = re.compile(r"[?:=(]")
_CLOSE = 2
_OPPOSITE: dict[Sign, Sign] = {"+": "-", "-": "+", "?": "?"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Polarity:
    """A text whose words can be asked for their sign.

    Attributes
    ----------
    words
        The text's.
    sentences
        For each word, the place where its sentence begins and the place after its end.
    """

    words: tuple[Token, ...]
    sentences: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, text: str) -> Polarity:
        """Read a text."""
        words = tokens(text)
        breaks = [0, *(i for i in range(1, len(words)) if _breaks(words[i])), len(words)]
        return cls(
            words=words,
            sentences=tuple(
                (start, end) for start, end in pairwise(breaks) for _ in range(start, end)
            ),
        )

    def signs(self, word: frozenset[str]) -> frozenset[Sign]:
        """How the text takes a word wherever it occurs, under any spelling; empty if nowhere.

        Where neither the word nor one that means the same occurs, its opposites answer.
        """
        same, opposite = _synonyms(word)
        direct = frozenset(self._signs(same))
        return direct or frozenset(_OPPOSITE[sign] for sign in self._signs(opposite))

    def _signs(self, wanted: frozenset[str]) -> Iterator[Sign]:
        for place, word in enumerate(self.words):
            if _matches(wanted, word.forms):
                yield self._sign(place)
            elif _is_prefixed(wanted, word.forms):
                yield "-"

    def _sign(self, place: int) -> Sign:
        answer = self._answer_to(place)
        if answer is not None:
            return answer
        before = self._sign_from_before(place)
        if before != "+":
            return before
        return "?" if self._is_denied_behind(place) else "+"

    def _answer_to(self, place: int) -> Sign | None:
        """The sign that "alive: no" or "Is it alive? No." gives."""
        _, end = self.sentences[place]
        for after in (place + 1, end):
            if after < len(self.words) and _ANSWER_FOLLOWS.search(self.words[after].gap):
                said = self.words[after].forms
                if said & (YES | NO):
                    return "+" if said & YES else "-"
        return None

    def _sign_from_before(self, place: int) -> Sign:
        """Look for a negation from the word back to where one would no longer hold."""
        start, _ = self.sentences[place]
        in_list = new_clause = False
        for i in range(place, start - 1, -1):
            word = self.words[i]
            if i < place and self._denies(i):
                return "?" if in_list else "-"
            if i == place - 1 and "non" in word.forms:
                return "-"
            if word.forms & STRONG_BARRIERS or (i > start and ";" in word.gap):
                return "+"
            joins = bool(word.forms & {"and"}) or (i > start and "," in word.gap)
            new_clause = new_clause or bool(word.forms & CLAUSE_WORDS)
            if joins and new_clause:
                return "+"
            in_list = in_list or joins
        return "+"

    def _is_denied_behind(self, place: int) -> bool:
        """Whether a negation follows closely or ends the clause: "a bird it is not"."""
        _, end = self.sentences[place]
        for i in range(place + 1, end):
            word = self.words[i]
            if _parts(word) or word.forms & (STRONG_BARRIERS | {"and", "or"}):
                return False
            if self._denies(i):
                return i <= place + _CLOSE or i + 1 == end or _parts(self.words[i + 1])
        return False

    def _denies(self, place: int) -> bool:
        word = self.words[place]
        after = self.words[place + 1 : place + 2]
        follows = after[0].forms if after else frozenset[str]()
        if any((one, other) in NEGATING_PAIRS for one in word.forms for other in follows):
            return True
        is_negator = bool(word.forms & NEGATORS) or word.text.lower().endswith("n't")
        return is_negator and not follows & NOT_NEGATING_AFTER


def is_denial(text: str) -> bool:
    """Whether a text holds any negation."""
    return any(word.forms & NEGATORS or word.text.lower().endswith("n't") for word in tokens(text))


def _parts(word: Token) -> bool:
    """Whether a mark stands before the word that parts a sentence."""
    return re.search(r"[,;:()]", word.gap) is not None


def _breaks(word: Token) -> bool:
    """Whether a sentence begins here; a colon or a quotation begins none."""
    return word.starts and _ENDS_SENTENCE.search(word.gap) is not None


def _synonyms(word: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    same, opposite = word, frozenset[str]()
    for left, right in OPPOSITES:
        for side, other in ((left, right), (right, left)):
            if side & word:
                same, opposite = same | side, opposite | other
    return same, opposite


def _matches(wanted: frozenset[str], found: frozenset[str]) -> bool:
    return bool(wanted & found) or any(related(one, two) for one in wanted for two in found)


def _is_prefixed(wanted: frozenset[str], found: frozenset[str]) -> bool:
    """Whether a word is denied within another: "nonhuman", "hornless"."""
    return any(
        two == f"{one}less" or two in {prefix + one for prefix in NEGATING_PREFIXES}
        for one in wanted
        for two in found
    )
