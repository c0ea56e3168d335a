"""The seams: what an estimator, a grader and a back-end must offer.

A **flow** is a generator that yields batches of requests and receives, for each batch, a list of
generations (or failures) in the same order.  It never calls a model, sleeps or does I/O; the
engine does, for thousands of flows at once.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from turnsure.core.confidence import Confidence, Target
from turnsure.core.dialogue import Message, Prefix
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.outcome import Failure, Outcome

T = TypeVar("T")

Reply = Generation | Failure
Flow = Generator[Sequence[GenerationRequest], Sequence[Reply], T]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a back-end can do.  Probed or declared, never guessed.

    Attributes
    ----------
    label_probabilities
        ``"exact"`` when every label variant is in the list, ``"top_k"`` when only the top tokens
        are listed, ``"none"``.
    max_top_logprobs
        How many top tokens can be listed at most, 0 for none.
    max_n
        Samples per request; more are asked as several requests.
    seed
        Whether sampling can be seeded.
    prefill
        Whether a final assistant message is continued.
    ordered
        True when requests of a dialogue must be sent one after the other in the given order
        (an engine with one prefix cache); False when they may run at once.
    lanes
        Dialogues that can be asked at once, each with requests for ``max_n`` samples, without
        losing one another's place in the prefix cache; None where that is no concern.
    conversations
        The same where every request is for one text.
    max_context
        Tokens for prompt and reply together, None when unknown.
    tools
        Whether a request may hold tools.
    """

    label_probabilities: Literal["exact", "top_k", "none"]
    max_top_logprobs: int
    max_n: int
    seed: bool
    prefill: bool
    ordered: bool
    lanes: int | None = None
    conversations: int | None = None
    max_context: int | None = None
    tools: bool = False


class Session(Protocol):
    """A lease on the back-end for one dialogue."""

    async def generate(self, request: GenerationRequest) -> Generation:
        """Answer one request, or raise a :class:`~turnsure.core.errors.BackendError`."""
        ...


class Backend(Protocol):
    """A model that can be asked."""

    @property
    def name(self) -> str:
        """The model as the user named it."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """Known once ``start`` has returned."""
        ...

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """What makes this model give the scores it gives: weights digest, engine, settings.

        Part of the protocol digest; holds no secret and nothing that changes between runs.
        """
        ...

    async def start(self) -> None:
        """Load or connect, and find out the capabilities."""
        ...

    async def close(self) -> None:
        """Release everything; safe to call twice, and after a failed start."""
        ...

    def session(self, dialogue: str) -> AbstractAsyncContextManager[Session]:
        """Lease the back-end for the requests of one dialogue."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """Everything an estimator may know when it asks at one turn.

    Attributes
    ----------
    prefix
        Task and hints so far.
    history
        The rendered question: the chat messages that end with the question, without any
        method's instruction.  An estimator appends to the last one.
    seed
        Sampling seed of this dialogue and turn.
    """

    prefix: Prefix
    history: tuple[Message, ...]
    seed: int


class Estimator(Protocol):
    """A method that says how sure the model is of a given answer."""

    @property
    def name(self) -> str: ...

    @property
    def targets(self) -> tuple[Target, ...]:
        """Which answers the method can judge; one that reads the model's own reply judges that."""
        ...

    @property
    def definition(self) -> Mapping[str, str]:
        """Template texts, labels, sample counts: the estimator's part of the protocol digest."""
        ...

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Raise :class:`~turnsure.core.errors.CapabilityError` when the model cannot do it."""
        ...

    def estimate(self, context: TurnContext, answer: str) -> Flow[Confidence | Failure]:
        """Ask for the confidence in ``answer`` given what is known at this turn."""
        ...


class Grader(Protocol):
    """Decides whether an answer is right."""

    @property
    def name(self) -> str: ...

    def grade(self, answer: str, accepted: Sequence[str]) -> Outcome: ...

    def same(self, left: str, right: str) -> bool:
        """Whether two answers name the same thing (used to count agreeing samples)."""
        ...
