"""Driving one flow against a model, without a store, and counting what it costs."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from turnsure.core.decided import DecisionCost
from turnsure.core.errors import BackendError
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Backend, Flow, Reply, Session
from turnsure.engine.retry import RetryPolicy

T = TypeVar("T")

AT_RUN_TIME = RetryPolicy(
    attempts=2, fewer_attempts=1, first_wait=0.2, longest_wait=1.0, longest_retry_after=2.0
)
"""Someone waits for the decision: one more attempt, soon, and then there is no score."""


@dataclass(slots=True, kw_only=True)
class Asker:
    """Asks for one decision.

    Attributes
    ----------
    backend
        The model, already started.
    retry
        When to ask again.
    sleep, jitter, clock
        The clock and the randomness.
    calls, prompt_tokens, completion_tokens
        What was asked so far; tokens are None once a call was not told.
    """

    backend: Backend
    retry: RetryPolicy = AT_RUN_TIME
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random
    clock: Callable[[], float] = time.perf_counter
    calls: int = 0
    prompt_tokens: int | None = field(default=0)
    completion_tokens: int | None = field(default=0)

    async def ask(self, flow: Flow[T], *, dialogue: str) -> tuple[T, DecisionCost]:
        """Drive the flow to its end; a request that fails becomes a failure in the flow's hands."""
        begun = self.clock()
        async with self.backend.session(dialogue) as session:
            result = await self._drive(flow, session)
        return result, DecisionCost(
            calls=self.calls,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            seconds=self.clock() - begun,
        )

    async def _drive(self, flow: Flow[T], session: Session) -> T:
        try:
            batch = next(flow)
            while True:
                batch = flow.send(await self._answer_all(batch, session))
        except StopIteration as end:
            return end.value

    async def _answer_all(
        self, batch: Sequence[GenerationRequest], session: Session
    ) -> list[Reply]:
        # One request needs no task of its own, which would cost as much as all the rest.
        if len(batch) == 1 or self.backend.capabilities.ordered:
            return [await self._answer(request, session) for request in batch]
        return list(await asyncio.gather(*(self._answer(one, session) for one in batch)))

    async def _answer(self, request: GenerationRequest, session: Session) -> Reply:
        attempt = 1
        while True:
            self.calls += 1
            try:
                generation = await session.generate(request)
            except BackendError as error:
                pause = self.retry.wait(error, attempt, self.jitter)
                if pause is None:
                    return Failure(stage="generation", kind=error.kind, message=str(error))
                attempt += 1
                await self.sleep(pause)
            else:
                self._count(generation)
                return generation

    def _count(self, generation: Generation) -> None:
        usage = generation.usage
        self.prompt_tokens = _sum(self.prompt_tokens, usage.prompt_tokens)
        self.completion_tokens = _sum(self.completion_tokens, usage.completion_tokens)


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right
