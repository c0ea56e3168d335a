"""A finished conversation in which the assistant forgot budget and dog when the area changed."""

from __future__ import annotations

from typing import Any

from turnsure.core.conversation import Exchange, Item, Transcript
from turnsure.core.dialogue import Message

_FLATS: dict[str, dict[str, Any]] = {
    name: {"id": name, "rent": rent, "pets_ok": pets_ok, "area": area}
    for name, rent, pets_ok, area in (
        ("B1", 24_000, True, "Baner"),
        ("B2", 23_500, False, "Baner"),
        ("B3", 25_000, True, "Baner"),
        ("B4", 27_500, True, "Baner"),
        ("W1", 22_000, True, "Wakad"),
        ("W2", 31_000, True, "Wakad"),
        ("W3", 21_000, False, "Wakad"),
    )
}
_TURNS = (
    ("I need a 2BHK in Baner, at most Rs 25,000.", "start", ("B1", "B2", "B3")),
    ("My dog moves in with me.", "dog", ("B1", "B3")),
    ("Is there something like that in Wakad?", "area", ("W1", "W2", "W3")),
    ("Which ones could I see on Saturday?", "visit", ("W2", "W3")),
    ("I could go up to Rs 28,000.", "raise", ("W1", "B4")),
)


def renters_chat() -> Transcript:
    """The conversation, as a run of the scenario in ``check_rules.yaml``."""
    return Transcript(
        scenario="check-rules",
        replicate=0,
        exchanges=tuple(
            Exchange(
                turn=turn,
                user=Message(role="user", content=said),
                replies=(Message(role="assistant", content=f"I found {', '.join(names)}."),),
                reveals=(reveal,),
                items=tuple(_flat(name) for name in names),
            )
            for turn, (said, reveal, names) in enumerate(_TURNS, start=1)
        ),
        ending="script_end",
    )


def _flat(name: str) -> Item:
    return dict(_FLATS[name])
