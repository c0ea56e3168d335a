"""Accepted answers as quizbowl writes them: "Kanye West [accept Ye; prompt on West]".

What stands before the brackets is the answer.  The brackets hold clauses that begin with a
directive: *or*, *accept* (more accepted answers), *prompt on* (right but not enough: the player is
asked for more), *do not accept*, *reject* (refused).  A clause that says something else, such as
"accept word forms", or that holds only for a while, such as "accept X until it is read", is kept as
it is written and never becomes an accepted answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from turnsure.core.errors import InputError

_Kind = Literal["gold", "prompts", "refusals", "notes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLine:
    """An answer line, taken apart.

    Attributes
    ----------
    gold
        Accepted answers, at least one; the first is the canonical one.
    prompts
        Answers at which a player is asked to be more exact.
    refusals
        Answers that are wrong though they look right.
    notes
        Clauses of another kind, as they are written.
    """

    gold: tuple[str, ...]
    prompts: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def meta(self) -> dict[str, str]:
        """What is no accepted answer, for the meta of a dialogue: " | " between the items."""
        parts = {
            "prompt_on": self.prompts,
            "do_not_accept": self.refusals,
            "answer_notes": self.notes,
        }
        return {name: " | ".join(items) for name, items in parts.items() if items}


_NOT = r"(?:do\s+not|don[’']t|never)\s+"
_DIRECTIVES: tuple[tuple[_Kind, str], ...] = (
    ("refusals", rf"{_NOT}(?:accept|take)(?:\s+(?:or|and)\s+prompt\s+on)?"),
    ("refusals", rf"{_NOT}prompt\s+on|reject"),
    ("prompts", r"(?:anti-?)?prompt\s+on"),
    ("notes", rf"(?:{_NOT}|anti-?)?prompt"),
    ("gold", r"(?:(?:or|also|and)\s+)*accept(?:\s+also)?"),
)
_ALTERNATIVE: tuple[_Kind, str] = ("gold", r"or|also|aka|a\.k\.a\.")
_DIRECTIVE: list[tuple[_Kind, re.Pattern[str]]] = [
    (kind, re.compile(rf"(?:{pattern})(?!\w)[:,]?\s*", re.IGNORECASE))
    for kind, pattern in (*_DIRECTIVES, _ALTERNATIVE)
]
_STARTS = rf"(?=(?:{'|'.join(pattern for _, pattern in _DIRECTIVES)})(?!\w))"
_BETWEEN = re.compile(
    rf";|[,.]\s+(?:(?:but|and)\s+)?{_STARTS}|(?<!accept)\s+(?:but|and)\s+{_STARTS}", re.IGNORECASE
)
"""A comma or a full stop parts clauses only before a directive, since names hold both."""
_TAG = re.compile(r"<[^<>]*>|\*\*|[{}]")
_REMARK = re.compile(
    r"\(\s*(?:(?:or|also|accept|prompt|reject|do\s+not|don[’']t)\s)", re.IGNORECASE
)
_FOR_A_WHILE = re.compile(
    r"\s(?:before|until|till|after|if|when|unless|once|only|in place of|at any point)(?!\w)"
)
_ASKED_HOW = re.compile(r"[,\s]+(?:by\s+asking|by\s+saying|asking|with)\s.*$", re.IGNORECASE)
_NO_NAME = re.compile(
    r"(?:(?:any|all|either|both|each|other|more|less|partial|reasonable|obvious|clear|logical|"
    r"similar|equivalents?|additional|just|most|reverse|translations?)(?!\w)"
    r"|(?:word|answers?|equivalent|descriptions?|descriptive|phonetic|synonyms?)\s"
    r"|(?:word forms?|equivalents?|answers?|descriptions?|synonyms?)$)",
)
_OR = re.compile(r"(?<!,)\s+or\s+")
_EITHER = re.compile(r"either\s+(?=.*\sor\s)")
_QUOTES = '"“”„‟«»'


def parse_answer_line(text: str) -> AnswerLine:
    """Take an answer line apart.

    Brackets ``[…]`` hold clauses, and so do parentheses that begin with a directive; any other
    parenthesis belongs to the name, as in "Newton (surname)".  Markup goes, and an underscore reads
    as a blank.  Inside a clause "A or B" is two answers; in the answer before the brackets it is
    one, since there it is part of a name ("Trick or Treat") as often as not.

    Raises
    ------
    InputError
        It names no answer.
    """
    answer, clauses = _parts(" ".join(_TAG.sub("", text).replace("_", " ").split()))
    found: dict[_Kind, list[str]] = {"gold": [], "prompts": [], "refusals": [], "notes": []}
    if _name(answer):
        found["gold"].append(_name(answer))
    for clause in clauses:
        kind, names = _read(clause)
        found[kind] += [name for name in names if name not in found[kind]]
    if not found["gold"]:
        raise InputError(
            "the answer line names no answer",
            field="answer",
            expected='an answer, such as "Kanye West [accept Ye]"',
        )
    return AnswerLine(**{kind: tuple(names) for kind, names in found.items()})


def _parts(text: str) -> tuple[str, list[str]]:
    """The answer, and the clauses of all brackets; a bracket that never closes ends with the text.

    An inner bracket is a clause of its own.
    """
    outside: list[str] = []
    inside: list[str] = []
    closers: list[str] = []
    in_names: list[int] = []  # for each open bracket, the parentheses of names open inside it
    for place, letter in enumerate(text):
        if letter == "[" or (letter == "(" and _REMARK.match(text, place)):
            closers.append("]" if letter == "[" else ")")
            in_names.append(0)
            inside.append(";")
        elif closers and letter == closers[-1] and not (letter == ")" and in_names[-1]):
            closers.pop()
            in_names.pop()
            inside.append(";")
        elif letter != "]":
            if closers:
                in_names[-1] += (letter == "(") - (letter == ")" and in_names[-1] > 0)
            (inside if closers else outside).append(letter)
    return "".join(outside), list(_clauses("".join(inside)))


def _clauses(text: str) -> Iterator[str]:
    for part in _BETWEEN.split(text):
        clause = part.strip(" ,;")
        if clause:
            yield clause


def _read(clause: str) -> tuple[_Kind, list[str]]:
    """What kind of clause it is, and the names in it (or the clause itself, for a note)."""
    note: tuple[_Kind, list[str]] = ("notes", [clause])
    for kind, directive in _DIRECTIVE:
        match = directive.match(clause)
        if match is None:
            continue
        rest = _EITHER.sub("", clause[match.end() :].strip(), count=1)
        if kind == "prompts":
            rest = _ASKED_HOW.sub("", rest)
        held = _unquoted(rest)
        if kind == "notes" or not held.strip() or _NO_NAME.match(held) or _FOR_A_WHILE.search(held):
            return note
        names = [_name(name) for name in _alternatives(rest)]
        return (kind, names) if all(names) else note
    return note


def _unquoted(text: str) -> str:
    """The text with a mark in place of what stands in quotation marks, which names something."""
    return re.sub(rf"[{_QUOTES}][^{_QUOTES}]*[{_QUOTES}]", "“”", text)


def _alternatives(text: str) -> list[str]:
    """``A or B`` as two, except inside quotation marks."""
    pieces: list[str] = []
    for piece in _OR.split(text):
        if pieces and sum(pieces[-1].count(mark) for mark in _QUOTES) % 2:
            pieces[-1] = f"{pieces[-1]} or {piece}"
        else:
            pieces.append(piece)
    return pieces


def _name(text: str) -> str:
    name = text.strip(" ,;")
    if name.endswith(".") and not re.search(r"\b\w{1,3}\.$", name):
        name = name[:-1]
    if len(name) > 1 and name[0] in _QUOTES and name[-1] in _QUOTES:
        name = name[1:-1]
    return name.strip(" ,;")
