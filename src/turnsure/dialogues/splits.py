"""Splits of dialogues into parts, such as one to fit on and one to test on.

The part of a dialogue depends on the seed and on its own key alone, drawn by a hash: neither the
order of a file nor what else stands in it matters, and dialogues that are added later move none
that are there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from turnsure.core.dialogue import Dialogue
from turnsure.core.digest import digest
from turnsure.core.errors import InputError
from turnsure.dialogues.english import plain

By = Literal["dialogue", "entity"]

_DIGITS = 16
"""Hexadecimal digits of a digest that make a draw: 64 bits."""

_ROUNDING = 1e-9
"""Fractions that miss 1 by less add up to it."""


def entity_of(dialogue: Dialogue, normalise: Callable[[str], str] = plain) -> str:
    """What a dialogue is about: the normal form of its first accepted answer.

    An answer of which the normal form is empty stands for itself.
    """
    return normalise(dialogue.gold[0]) or dialogue.gold[0].casefold().strip()


def split_dialogues(
    dialogues: Iterable[Dialogue],
    parts: Mapping[str, float],
    *,
    by: By,
    seed: int,
    normalise: Callable[[str], str] = plain,
) -> dict[str, tuple[Dialogue, ...]]:
    """Split dialogues into named parts.

    Each key (the id, or the entity) draws a number u in [0, 1); it belongs to the first part at
    which the sum of the fractions exceeds u.  A part's share is therefore expected, not exact.

    Parameters
    ----------
    dialogues
        In any order, which the parts keep.
    parts
        Names and fractions of keys, each above 0, together at most 1; what is missing to 1 is left
        out of every part.
    by
        ``"dialogue"`` for each dialogue by itself; ``"entity"`` so that dialogues with the same
        first accepted answer stay together.
    seed
        Decides the draw.
    normalise
        The normal form of an answer.

    Returns
    -------
    dict
        The parts by name, in the order given; one may be empty.

    Raises
    ------
    InputError
        There is no part, a fraction is out of range, or they exceed 1.
    """
    bounds = _bounds(parts)
    split: dict[str, list[Dialogue]] = {name: [] for name in parts}
    for dialogue in dialogues:
        key = dialogue.id if by == "dialogue" else entity_of(dialogue, normalise)
        draw = _draw(seed, by, key)
        part = next((name for name, bound in bounds.items() if draw < bound), None)
        if part is not None:
            split[part].append(dialogue)
    return {name: tuple(members) for name, members in split.items()}


def _draw(seed: int, by: By, key: str) -> float:
    """A number in [0, 1), the same for the same key on every computer."""
    return int(digest(["split", seed, by, key])[:_DIGITS], 16) / 16**_DIGITS


def _bounds(parts: Mapping[str, float]) -> dict[str, float]:
    """Where each part ends in [0, 1]."""
    if not parts:
        raise InputError("there are no parts", field="parts", expected="fit=0.5,test=0.5")
    for name, fraction in parts.items():
        if not 0.0 < fraction <= 1.0:
            raise InputError(
                f"the fraction of {name!r} is {fraction}",
                field="parts",
                expected="above 0, at most 1",
            )
    fractions = list(parts.values())
    total = math.fsum(fractions)
    if total > 1.0 + _ROUNDING:
        raise InputError(
            f"the fractions add up to {total:g}", field="parts", expected="1 together, or less"
        )
    sums = [math.fsum(fractions[: place + 1]) for place in range(len(fractions))]
    if total > 1.0 - _ROUNDING:
        sums[-1] = 1.0
    return dict(zip(parts, sums, strict=True))
