"""What was said in one conversation with an assistant, and what it showed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError

Item = Mapping[str, Any]
"""Something that the assistant showed, as plain JSON values; ``id`` names it where it has one."""

Ending = Literal[
    "script_end",
    "user_stop",
    "turn_cap",
    "assistant_error",
    "user_invalid",
    "infrastructure_error",
]
"""Why a conversation ended: the script was over; the user was done or gave up; the cap on turns was
reached; the assistant failed; the simulated user could not be kept to its card; a server or a model
could not be reached, which says nothing about the assistant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """A simulated user's wording that was not taken.

    Attributes
    ----------
    guard
        Name of the guard that refused it.
    evidence
        What shows it.
    text
        The wording as the model gave it.
    """

    guard: str
    evidence: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One turn: what the user said and everything the assistant did until it replied.

    Attributes
    ----------
    turn
        Counts from 1.
    user
        The user's message.
    replies
        The assistant's messages in order, with its tool calls, and the tools' results between
        them; the last one is what the user reads.  Empty where the assistant failed.
    reveals
        Ids of the scenario's reveals that the user's message makes.
    items
        What the assistant showed at this turn, as the scenario's extractor found it.
    note
        What a person should know of this turn, such as a script that does not answer what it was
        asked; None for most.
    slips
        Wordings of a simulated user that were not taken before this one was.
    unserved
        Tool calls for which the fixtures hold no result, one sentence each; the assistant was
        given an error instead.
    """

    turn: int
    user: Message
    replies: tuple[Message, ...] = ()
    reveals: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()
    note: str | None = None
    slips: tuple[Slip, ...] = ()
    unserved: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.turn < 1:
            raise InputError(f"it is {self.turn}", field="turn", expected="1 or more")
        if self.user.role != "user":
            raise InputError(f"it is {self.user.role!r}", field="user", expected="a user message")

    @property
    def text(self) -> str:
        """What the assistant said to the user at this turn; empty where it said nothing."""
        said = [one.content for one in self.replies if one.role == "assistant" and one.content]
        return "\n".join(said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One run of a scenario.

    Attributes
    ----------
    scenario
        Its id.
    replicate
        Which run, from 0.
    exchanges
        In order; turn i stands at place i − 1.
    ending
        Why it ended.
    problem
        What went wrong where the ending is an error or invalid, in one sentence.
    state
        The fixture database at the end, where the scenario has one.
    slips
        Where the simulated user is invalid: its last wordings, none of which was taken.
    """

    scenario: str
    replicate: int
    exchanges: tuple[Exchange, ...]
    ending: Ending
    problem: str | None = None
    state: Mapping[str, Any] | None = field(default=None)
    slips: tuple[Slip, ...] = ()

    def __post_init__(self) -> None:
        turns = [one.turn for one in self.exchanges]
        if turns != list(range(1, len(turns) + 1)):
            raise InputError(f"they are {turns}", field="turns", expected="1, 2, 3 …")

    @property
    def messages(self) -> tuple[Message, ...]:
        """Everything that was said and called, in order."""
        return tuple(
            message for exchange in self.exchanges for message in (exchange.user, *exchange.replies)
        )
