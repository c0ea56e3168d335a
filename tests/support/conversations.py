"""Small scenarios and transcripts, built by hand."""

from __future__ import annotations

import json
from pathlib import Path

from turnsure.core.conversation import Exchange, Transcript
from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.scenario import CheckSpec, Reveal, Scenario
from turnsure.scenarios.cards import scenarios_of


def card(checks: str, *, reveals: str | None = None, more: str = "") -> Scenario:
    """A scenario from the text of its checks; the budget rises from 25 to 28 at turn 3."""
    told = reveals or (
        "  - {id: start, say: At most 25., sets: {max_rent: 25, areas: [Baner]}}\n"
        "  - {id: dog, say: I have a dog., sets: {pets: true}, rejects: [X]}\n"
        "  - {id: raise, say: Make it 28., changes: {max_rent: {from: 25, to: 28}}}\n"
    )
    text = f"id: flats\nreveals:\n{told}checks:\n{checks}\n{more}"
    return scenarios_of(text, file=Path("card.yaml"))[0]


def flat(name: str = "A", rent: float = 20, **more: object) -> dict[str, object]:
    """An item that keeps all rules of :func:`card`."""
    return {"id": name, "rent": rent, "pets_ok": True, "area": "Baner", **more}


def call(name: str, *, id_: str = "c", **arguments: object) -> Message:
    """An assistant's message that calls a tool."""
    written = json.dumps(arguments)
    made = ToolCall(id=id_, name=name, arguments=written)
    return Message(role="assistant", content="", tool_calls=(made,))


def turn(*items, text: str = "Here you are.", before: tuple[Message, ...] = (), user: str = "Hi."):
    """What one exchange is made of, but for its number and reveals."""
    said = Message(role="assistant", content=text)
    return {
        "user": Message(role="user", content=user),
        "replies": (*before, said),
        "items": tuple(items),
    }


def run_of(scenario: Scenario, *turns, ending="script_end", **more) -> Transcript:
    """A transcript in which turn i makes reveal i."""
    exchanges = tuple(
        Exchange(
            turn=place,
            reveals=(scenario.reveals[place - 1].id,) if place <= len(scenario.reveals) else (),
            **one,
        )
        for place, one in enumerate(turns, start=1)
    )
    return Transcript(scenario=scenario.id, replicate=0, exchanges=exchanges, ending=ending, **more)


def plain_scenario(*reveals: Reveal, **more) -> Scenario:
    """A scenario whose only check is always true."""
    spec = CheckSpec(
        name="fine", kind="expression", failure="other", scope="turn", expression="true"
    )
    return Scenario(id="s", reveals=reveals, checks=(spec,), **more)
