"""The seams of a test conversation: who speaks for the user, who is tested, who judges.

Users and judges are flows (:mod:`turnsure.core.protocols`).  An assistant may be anything that
answers, also a function or a server, so it is awaited; one that is a model asks it through
:attr:`RunContext.ask`, so that its generations are kept, retried and counted like all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from turnsure.core.conversation import Ending, Exchange, Item, Slip, Transcript
from turnsure.core.dialogue import Message
from turnsure.core.digest import seed_from
from turnsure.core.generation import Usage
from turnsure.core.judged import RubricJudgement
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Backend, Flow
from turnsure.core.scenario import Scenario

T = TypeVar("T")

MOST_TRIES = 16
"""Tries at one request of a run at most: each has a replicate of its own, none shares one with
another run."""


class Ask(Protocol):
    """Drives a flow against the models of the suite."""

    async def __call__(self, flow: Flow[T]) -> T: ...


class Tools(Protocol):
    """The frozen tools of one run."""

    def serve(self, name: str, arguments: str) -> str:
        """The result of a call, as the text of a tool's message; an error text where it has none.

        Never raises and never calls anything live.
        """
        ...

    def take_unserved(self) -> tuple[str, ...]:
        """What was called since last asked although the fixtures hold no result for it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """Everything that belongs to one run of a scenario, and to no other run.

    Attributes
    ----------
    scenario
        What is run.
    replicate
        Which run, from 0.
    seed
        Of everything random in this run, 0 … 2**31 − 1; another for every run.
    ask
        Drives a flow.
    tables
        This run's own copy of the scenario's fixtures; what changes in it is the end state.
    tools
        The tools that are served from them.
    memory
        For the assistant to keep things between turns; empty at the start of the run.
    """

    scenario: Scenario
    replicate: int
    seed: int
    ask: Ask
    tables: dict[str, Any]
    tools: Tools
    memory: dict[str, Any] = field(default_factory=dict[str, Any])

    def seed_for(self, *parts: str | int) -> int:
        """A seed for one thing in this run."""
        return seed_from(self.seed, *parts)

    def replicate_for(self, attempt: int = 0) -> int:
        """The replicate under which a request of this run is kept, by how often it was tried."""
        return self.replicate * MOST_TRIES + attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantReply:
    """What an assistant did at one turn.

    Attributes
    ----------
    messages
        Its messages with their tool calls, and the tools' results between them; the last one is
        the assistant's and is what the user reads.
    items
        What it says that it shows.
    usage
        Tokens, where it tells them.
    n_calls
        Of these, how often it was called; more than once where a server was busy.
    """

    messages: tuple[Message, ...]
    items: tuple[Item, ...] = ()
    usage: Usage = field(default_factory=Usage)
    n_calls: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """That an assistant gave no reply.

    Attributes
    ----------
    problem
        One sentence.
    is_infrastructure
        True where a server or a model could not be reached, which says nothing about the assistant.
    messages
        What it had done until then.
    n_calls
        How often it was called.
    """

    problem: str
    is_infrastructure: bool = False
    messages: tuple[Message, ...] = ()
    n_calls: int = 1


class Assistant(Protocol):
    """What is tested."""

    @property
    def name(self) -> str:
        """As the user named it."""
        ...

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """What makes it what it is, known once started; a finished run of another is not reused."""
        ...

    @property
    def backend(self) -> Backend | None:
        """The model that it asks through ``run.ask``; None for a function or a server."""
        ...

    async def start(self) -> None:
        """Make ready; the back-end is started before."""
        ...

    async def close(self) -> None:
        """Release everything; safe to call twice, and after a failed start."""
        ...

    def check(self, scenario: Scenario) -> None:
        """Raise an InputError or a CapabilityError when it cannot be tested with a scenario."""
        ...

    async def reply(
        self, messages: Sequence[Message], *, turn: int, run: RunContext
    ) -> AssistantReply | Fault:
        """Answer the last message, which is the user's; ``turn`` counts from 1."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the user says next.

    Attributes
    ----------
    text
        Never blank.
    reveals
        Ids of what it makes known.
    note
        What a person should know of it; None for most.
    slips
        Wordings that were not taken before.
    """

    text: str
    reveals: tuple[str, ...] = ()
    note: str | None = None
    slips: tuple[Slip, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """That the user says nothing more: a value, so that no text can be mistaken for it."""

    ending: Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """That a simulated user could not be kept to its card.

    Attributes
    ----------
    slips
        What it said, one or more.
    """

    slips: tuple[Slip, ...]


UserTurn = Said | Stopped | Broken | Failure


class User(Protocol):
    """Who speaks for the user."""

    @property
    def name(self) -> str: ...

    @property
    def definition(self) -> Mapping[str, str]:
        """Template texts and settings; a finished run of another definition is not reused."""
        ...

    @property
    def backend(self) -> Backend | None:
        """The model that words the messages; None for a script."""
        ...

    def is_over(self, scenario: Scenario, exchanges: Sequence[Exchange]) -> bool:
        """Whether nothing is left to be said; known without asking anybody."""
        ...

    def next(
        self, scenario: Scenario, exchanges: Sequence[Exchange], *, run: RunContext
    ) -> Flow[UserTurn]:
        """What the user says after these exchanges, or that it stops."""
        ...


class Judge(Protocol):
    """Who scores what code cannot tell."""

    @property
    def name(self) -> str: ...

    @property
    def definition(self) -> Mapping[str, str]:
        """Template texts and settings."""
        ...

    @property
    def backend(self) -> Backend | None:
        """The model that judges; None for the assistant's."""
        ...

    def judge(
        self, scenario: Scenario, transcript: Transcript, *, seed: int, replicate: int
    ) -> Flow[RubricJudgement]:
        """Score a finished transcript against the scenario's rubric."""
        ...
