"""Whether texts hold characters that nobody meant to write."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.checking.finding import Finding, Rules, hint_field
from turnsure.dialogues.english import CACHED

_ODD = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters, not tabs and line ends
    "\u00ad\u200b\u2060\ufeff"  # hyphens and blanks that nobody sees
    "\u202a-\u202e\u2066-\u2069"  # changes of direction
    "\ufff0-\uffff\ue000-\uf8ff]"  # what could not be decoded, private characters
)
_MISREAD = re.compile("[ÂÃ][\u0080-\u00bf]|â(?:€|\u0080).|ï»¿")
"""UTF-8 that was read as Latin-1 or Windows-1252: "cafÃ©"."""

_MARKUP = re.compile(r"&(?:[a-z]{2,8}|#\d{2,5}|#x[0-9a-f]{2,5});|<(?:br|/?p|/?i|/?b)\s*/?>", re.I)


def find_odd_characters(dialogue: Dialogue, rules: Rules) -> Iterator[Finding]:
    """Find texts with damaged or invisible characters, and blanks around ids and answers.

    Joiners and direction marks of scripts that need them are not odd.
    """
    del rules
    for field, turn, text in _texts(dialogue):
        oddities = _oddities(text)
        if turn is None and field not in ("task", "closing") and text != text.strip():
            oddities = (*oddities, "a blank at an end")
        if oddities:
            yield Finding(
                kind="odd_characters",
                evidence=f"{', '.join(oddities)}: {text!r}",
                dialogue=dialogue.id,
                turn=turn,
                field=field,
            )


def _texts(dialogue: Dialogue) -> Iterator[tuple[str, int | None, str]]:
    """Field, turn and text of everything that a model or a grader reads."""
    yield "id", None, dialogue.id
    yield "task", None, dialogue.task
    for place, answer in enumerate(dialogue.gold):
        yield f"gold[{place}]", None, answer
    for turn, hint in enumerate(dialogue.hints, start=1):
        if hint.question is not None:
            yield hint_field(turn, "question"), turn, hint.question
        yield hint_field(turn, "answer"), turn, hint.answer
    if dialogue.closing is not None:
        yield "closing", None, dialogue.closing


@lru_cache(maxsize=CACHED)
def _oddities(text: str) -> tuple[str, ...]:
    """What is odd in a text, each thing once."""
    found = [_name(letter) for letter in _ODD.findall(_MISREAD.sub("", text))]
    found += [f"{match!r} was read in the wrong encoding" for match in _MISREAD.findall(text)]
    found += [f"{match!r} is markup" for match in _MARKUP.findall(text)]
    return tuple(dict.fromkeys(found))


def _name(letter: str) -> str:
    known = unicodedata.name(letter, "")
    return f"U+{ord(letter):04X} {known}".rstrip()
