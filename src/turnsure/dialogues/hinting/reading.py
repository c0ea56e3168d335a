"""Reading a hint out of the Hinter's reply."""

from __future__ import annotations

import re
import unicodedata

from turnsure.core.boxed import MOST_CHARACTERS, unwrap
from turnsure.core.built import Game, Refused
from turnsure.core.dialogue import Hint
from turnsure.dialogues.english import plain
from turnsure.dialogues.english_lists import NO, YES

_LABEL = r"(?:[*_#>\s\-•\"“'(]|\d+[.)])*"
_QUESTION = re.compile(
    rf"^{_LABEL}(?:q|(?:(?:new|next|yes[/-]no)\s+)?question|hint\s+question)"
    r"\s*\d*[*_]*\s*[:.)=][*_\s]*",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWER = re.compile(
    rf"""^{_LABEL}(?:a|(?:true\s+|short\s+)?answer)\s*\d*[*_]*\s*[:.)=][*_\s]*
      | (?<=[\s(])[*_]*(?:a|answer)[*_]*\s*:[*_\s]*
      | (?<=[?]\s)a[.)]\s+""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_CLUE = re.compile(
    rf"^{_LABEL}(?:(?:new|next)\s+)?(?:hint|clue|fact|statement)\s*\d*[*_]*\s*[:.)=][*_\s]*",
    re.IGNORECASE | re.MULTILINE,
)
_ASKED = re.compile(r"^(?P<question>[^?？]{3,}[?？])[\"”'*_]*\s*(?P<answer>.*)$", re.DOTALL)
_DECLINES = re.compile(
    r"""^\W*(?:i['’]?m\s+(?:sorry|unable)|i\s+am\s+(?:sorry|unable|not\s+able)|sorry\b
        |i\s+(?:can(?:not|['’]?t|\s+not)|won['’]?t|will\s+not|must\s+decline)\b
        |as\s+an\s+ai\b|unfortunately,?\s+i\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_ECHO = re.compile(
    r"""^\W*(?:(?:the|your|a|new|my|one|short|true|its|next)\s+)*
        (?:yes[/-]no\s+|yes[- ]or[- ]no\s+)?
        (?:questions?|answers?|clues?|hints?)\W*$|^\W*(?:\.\.\.|…)\W*$|^[<\[{].*[>\]}]$""",
    re.IGNORECASE | re.VERBOSE,
)
_EITHER = re.compile(r"\byes\W+(?:or\W+)?no\b", re.IGNORECASE)
_MARK = re.compile(rf"^{_LABEL}")
_THOUGHT = re.compile(r"<think>.*?</think>\s*", re.DOTALL | re.IGNORECASE)
_ABOUT_THE_GAME = re.compile(
    r"\b(?:secrets?|players?|guess(?:es|er|ing)?|hints?|clues?|your|you|answer is)\b", re.IGNORECASE
)
"""Words of a statement that talks to the player instead of telling something."""

_UNWRITABLE = frozenset({"Cc", "Cs", "Co"})
_LEAST_LETTERS = 2
_MOST_WORDS = 25
"""A longer statement is rambling; no question and no clue needs as many."""


def read_hint(reply: str, *, game: Game) -> Hint | Refused:
    """Find the hint in a reply.

    Looked for, in this order: lines that begin ``Q:`` and ``A:`` (or "Question", "Answer"), of
    several the first; a question mark with an answer after it; and, where any hint will do, a
    statement of one line.  List marks, emphasis, quotes and repeated blanks go.

    Parameters
    ----------
    reply
        What the Hinter wrote.
    game
        In ``"20q"`` the answer is ``Yes`` or ``No``, whatever is said after it; an answer that is
        neither is left to the guard.
    """
    text = _THOUGHT.sub("", _writable(reply[:MOST_CHARACTERS])).strip()
    if not text:
        return Refused(reason="empty_reply", evidence="the reply is empty")
    if _DECLINES.match(text):
        return Refused(reason="refused_reply", evidence=_tidy(text.splitlines()[0]))
    question, answer = _pair(text)
    if question is None:
        if game == "20q":
            return _unreadable("there is no question", text)
        clue = _statement(text)
        if clue is None:
            return _unreadable("there is neither a question nor one clue", text)
        return Hint(answer=clue)
    if not answer:
        return _unreadable("the question has no answer", text)
    if _is_echo(question) or (_is_echo(answer) and game == "guess"):
        return _unreadable("the reply only repeats the instruction", text)
    return Hint(question=question, answer=_sign(answer) if game == "20q" else answer)


def _pair(text: str) -> tuple[str | None, str]:
    """Question and answer as they stand in a reply; None without a question."""
    asked = _QUESTION.search(text)
    rest = text[asked.end() :] if asked else text
    answered = _ANSWER.search(rest)
    if answered is not None and (asked is not None or "?" in rest[: answered.start()]):
        question = (
            _last_line(rest[: answered.start()]) if asked is None else rest[: answered.start()]
        )
        return _tidy(question) or None, _tidy(_first_line(rest[answered.end() :]))
    found = _ASKED.match(_MARK.sub("", rest))
    if found is None:
        return None, ""
    answer = _tidy(_first_line(found["answer"]))
    return _tidy(_last_line(found["question"])), answer


def _statement(text: str) -> str | None:
    """A clue of one line; None where several lines or a mere echo stand."""
    clue = _CLUE.search(text)
    rest = text[clue.end() :] if clue else text
    lines = [line for line in rest.splitlines() if line.strip()]
    if not lines or (clue is None and (len(lines) > 1 or _ANSWER.match(rest))):
        return None
    said = _tidy(lines[0])
    if _is_echo(said) or "?" in said or len(said.split()) > _MOST_WORDS:
        return None
    return None if _ABOUT_THE_GAME.search(said) else said


def _unreadable(problem: str, text: str) -> Refused:
    return Refused(reason="unreadable_reply", evidence=f"{problem}: {_tidy(text)[:120]!r}")


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def _tidy(text: str) -> str:
    """On one line, without list marks, emphasis and quotes around it."""
    line = _MARK.sub("", " ".join(text.split()))
    line = unwrap(line.replace("**", "")).strip(" *_(")
    # A mark that encloses both parts of the reply stands alone in one of them.
    if line.endswith(")") and "(" not in line:
        line = line[:-1]
    if line.count('"') == 1:
        line = line.replace('"', "")
    return line if _says(line) else ""


def _writable(text: str) -> str:
    """Without control characters, halves of surrogate pairs and private characters."""
    return "".join(c for c in text if c.isspace() or unicodedata.category(c) not in _UNWRITABLE)


def _says(text: str) -> bool:
    return bool(plain(text))


def _is_echo(text: str) -> bool:
    letters = sum(letter.isalnum() for letter in text)
    return letters < _LEAST_LETTERS or _ECHO.match(text) is not None


def _sign(answer: str) -> str:
    """``Yes`` or ``No`` where the answer begins so and not with both; else as it stands."""
    first = plain(answer).partition(" ")[0]
    if _EITHER.match(answer) or first not in YES | NO:
        return answer
    return "Yes" if first in YES else "No"
