"""Three assistants that shortlist flats: one right, one that forgets, one that sometimes does.

They read the user's messages with a few patterns and look into the listings; no model is asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from turnsure.core.digest import seed_from

if TYPE_CHECKING:
    from turnsure.scenarios.assistants.python_callable import AssistantContext

FLAKINESS = 0.4
"""How often :func:`flaky` forgets."""

_AREAS = ("Baner", "Wakad")
_BUDGET = re.compile(r"Rs ([\d,]+)")
_TURNED_DOWN = re.compile(r"\b([A-Z]\d) is not\b")
_SEEDS = 2**31
Message = Mapping[str, Any]
Reply = dict[str, Any]


def right(messages: Sequence[Message], *, context: AssistantContext) -> Reply:
    """Keep everything that the user said."""
    return _reply(messages, context, forgets=False)


def forgetful(messages: Sequence[Message], *, context: AssistantContext) -> Reply:
    """Start a new search, without budget and pets, when another area is named."""
    return _reply(messages, context, forgets=True)


def flaky(messages: Sequence[Message], *, context: AssistantContext) -> Reply:
    """Be the forgetful one in four runs of ten, decided by the seed of the run."""
    drawn = seed_from(context.seed, "flaky") / _SEEDS
    return _reply(messages, context, forgets=drawn < FLAKINESS)


@dataclass(slots=True, kw_only=True)
class _Wishes:
    """What the assistant takes the user to want."""

    areas: list[str] = field(default_factory=list[str])
    budget: int | None = None
    pets: bool = False
    saturday: bool = False
    unwanted: set[str] = field(default_factory=set[str])

    def fit(self, flat: dict[str, Any]) -> bool:
        return (
            flat["area"] in self.areas
            and (self.budget is None or flat["rent"] <= self.budget)
            and (flat["pets_ok"] or not self.pets)
            and (flat["saturday"] or not self.saturday)
            and flat["id"] not in self.unwanted
        )


def _reply(messages: Sequence[Message], context: AssistantContext, *, forgets: bool) -> Reply:
    wishes = _Wishes()
    for message in messages:
        if message["role"] == "user":
            wishes = _after(wishes, message["content"], forgets=forgets)
    flats = [flat for flat in context.fixtures["listings"] if wishes.fit(flat)]
    lines = [f"- {one['id']} in {one['area']} at Rs {one['rent']:,}" for one in flats]
    text = "\n".join(["These 2BHK flats fit:", *lines]) if flats else "I have no flat that fits."
    return {"content": text, "items": flats}


def _after(wishes: _Wishes, text: str, *, forgets: bool) -> _Wishes:
    named = [area for area in _AREAS if area in text]
    if forgets and wishes.areas and any(area not in wishes.areas for area in named):
        wishes = _Wishes(areas=named)
    else:
        wishes.areas += [area for area in named if area not in wishes.areas]
    budget = _BUDGET.search(text)
    if budget:
        wishes.budget = int(budget[1].replace(",", ""))
    wishes.pets = wishes.pets or "dog" in text
    wishes.saturday = wishes.saturday or "Saturday" in text
    wishes.unwanted |= set(_TURNED_DOWN.findall(text))
    return wishes
