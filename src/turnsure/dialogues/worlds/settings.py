"""What may be set about the dialogues of a closed world."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from turnsure.core.errors import InputError

Style = Literal["statements", "questions"]
Candidates = Literal["open", "closed"]
Difficulty = Literal["easy", "medium", "hard"]

MOST_TURNS = 100
"""More than any world here needs; a wrong number is told early."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSettings:
    """How dialogues are drawn from a world.

    Attributes
    ----------
    style
        Plain statements, or questions with short answers.
    candidates
        ``"closed"``: the task lists every entity.  ``"open"``: it does not.
    min_turns, max_turns
        How many hints a dialogue has, both included, corrections too.
    difficulty
        When the telling clue comes, the one that leaves the smallest share of the candidates:
        ``"easy"``: early, while room is left for the other turns, ``"hard"``: at the end or near
        it, ``"medium"``: where chance has it.
    twists
        How many clues are false and put right later.
    """

    style: Style = "statements"
    candidates: Candidates = "open"
    min_turns: int = 2
    max_turns: int = 8
    difficulty: Difficulty = "medium"
    twists: int = 0

    def __post_init__(self) -> None:
        for name in _NUMBERS:
            number, least = getattr(self, name), _LEAST[name]
            if not least <= number <= MOST_TURNS:
                raise InputError(
                    f"{number} does not fit", field=name, expected=f"{least} to {MOST_TURNS}"
                )
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise InputError(
                    f"{getattr(self, name)!r} does not fit",
                    field=name,
                    expected=" or ".join(choices),
                )
        if self.min_turns > self.max_turns:
            raise InputError(
                f"at least {self.min_turns} turns are asked for, and at most {self.max_turns}",
                field="max_turns",
                expected=f"{self.min_turns} or more",
            )
        # A false clue, its correction, and a clue after it: no dialogue ends with a correction.
        needed = 2 * self.twists + 1 if self.twists else 1
        if self.max_turns < needed:
            raise InputError(
                f"{self.twists} twists do not fit into {self.max_turns} turns",
                field="twists",
                expected=f"{needed} turns or more in max_turns",
            )

    def changed(self, texts: Mapping[str, str]) -> WorldSettings:
        """The same with some settings replaced, each given as text.

        Raises
        ------
        InputError
            A setting is unknown, or a text does not fit it.
        """
        return replace(self, **{name: _value(name, text) for name, text in texts.items()})


_NUMBERS = ("min_turns", "max_turns", "twists")
_LEAST = {"min_turns": 1, "max_turns": 1, "twists": 0}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "style": get_args(Style),
    "candidates": get_args(Candidates),
    "difficulty": get_args(Difficulty),
}


def _value(name: str, text: str) -> Any:
    known = [one.name for one in fields(WorldSettings)]
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f", did you mean {near[0]!r}?" if near else ""
        raise InputError(f"unknown setting{hint}", field=name, expected=", ".join(known))
    if name not in _NUMBERS:
        return text
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(MOST_TURNS)):
        raise InputError(
            f"{text!r} does not fit", field=name, expected=f"{_LEAST[name]} to {MOST_TURNS}"
        )
    return int(text)
