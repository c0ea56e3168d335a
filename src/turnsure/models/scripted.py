"""A model that says what a script tells it: the double at the back-end seam."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from turnsure.core.errors import BackendError, InputError
from turnsure.core.generation import Generation, GenerationRequest, LabelReading
from turnsure.core.protocols import Capabilities, Session

Scripted = Generation | str | Mapping[str, float] | BackendError
"""What a script may answer: a generation as it is, one text that is given n times, the mass of
each label, or an error to be raised.  Embeddings and log-probabilities need a generation."""

ALL_CAPABLE = Capabilities(
    label_probabilities="exact",
    max_top_logprobs=20,
    max_n=128,
    seed=True,
    prefill=True,
    ordered=False,
)


@dataclass(slots=True)
class ScriptedBackend:
    """Answers from a function and remembers what it was asked.

    Attributes
    ----------
    reply
        The script.
    capabilities
        Claimed, not enforced.
    name
        The model as the user would name it.
    latency
        Awaited before each answer, None to answer at once.
    asked
        Every request, in the order of arrival.
    """

    reply: Callable[[GenerationRequest], Scripted]
    capabilities: Capabilities = ALL_CAPABLE
    name: str = "scripted:double"
    latency: Callable[[GenerationRequest], Awaitable[None]] | None = None
    asked: list[GenerationRequest] = field(default_factory=list[GenerationRequest])

    @property
    def fingerprint(self) -> Mapping[str, str]:
        return {"engine": "scripted", "model": self.name}

    async def start(self) -> None:
        """There is nothing to load."""

    async def close(self) -> None:
        """There is nothing to release."""

    @asynccontextmanager
    async def session(self, dialogue: str) -> AsyncGenerator[Session]:
        """A lease; the script does not learn the dialogue's name."""
        del dialogue
        yield _ScriptedSession(self)


@dataclass(frozen=True, slots=True)
class _ScriptedSession:
    backend: ScriptedBackend

    async def generate(self, request: GenerationRequest) -> Generation:
        self.backend.asked.append(request)
        if self.backend.latency is not None:
            await self.backend.latency(request)
        answer = self.backend.reply(request)
        match answer:
            case BackendError():
                raise answer
            case Generation():
                return answer
            case str() if request.labels is None and not request.embed:
                return Generation(texts=(answer,) * request.n, finish_reasons=("stop",) * request.n)
            case Mapping() if request.labels is not None and set(request.labels) == set(answer):
                return Generation(labels=LabelReading(mass=dict(answer), n_top=len(answer)))
            case _:
                wanted = "a generation" if request.embed else "a text"
                if request.labels is not None:
                    wanted = f"a mass for each of {request.labels}"
                raise InputError(f"the script answered with {answer!r}", expected=wanted)
