"""Dialogues and a model's answers to them, with what a check has to find planted in both."""

from __future__ import annotations

import re
from collections.abc import Callable

from turnsure.core.dialogue import Dialogue, Hint

N_TURNS = 4
_NUMBER = re.compile(r"thing number (\d+)")
_HINTS = re.compile(r"^- Clue", re.MULTILINE)

Right = Callable[[int, int], bool | None]
"""Whether the answer to dialogue k is right after so many hints, from 0; None for no answer."""


def planted(n: int, *, n_turns: int = N_TURNS, one_task: bool = False, **more) -> list[Dialogue]:
    """Dialogues that differ in task, hints and answer; with ``one_task`` not in the task."""
    return [
        Dialogue(
            id=f"d{k}",
            task="Name it." if one_task else f"Name thing number {k}.",
            hints=tuple(
                Hint(answer=f"Clue {turn}{'' if turn % 2 else ' at last'} to thing number {k}.")
                for turn in range(1, n_turns + 1)
            ),
            gold=(gold(k),),
            **more,
        )
        for k in range(n)
    ]


def gold(k: int) -> str:
    """The accepted answer of dialogue k, which is part of no other."""
    return f"{'ZYXWV'[k % 5]}ork{'abcdefghij'[k // 5 % 10]}lm"


def answering(right: Right) -> Callable[[str], str]:
    """A model's replies to prompts."""

    def reply(prompt: str) -> str:
        found = _NUMBER.search(prompt)
        k = int(found[1]) if found else 0
        is_right = right(k, len(_HINTS.findall(prompt)))
        if is_right is None:
            return "\\boxed{}"
        return f"\\boxed{{{gold(k) if is_right else 'Something else'}}}"

    return reply
