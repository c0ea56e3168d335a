"""The engine: drives many flows at once against one back-end.

It alone sees every pending request, so it alone decides about order, concurrency, retries and
what is read from the store.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from turnsure.core.errors import BackendError, ContextOverflow
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Backend, Flow, Reply, Session
from turnsure.engine.counters import Counters
from turnsure.engine.retry import RetryPolicy
from turnsure.store.sqlite import Store

T = TypeVar("T")

FAILURES_IN_A_ROW = 25
"""After so many failed requests without one success, the back-end is taken to be gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Generic[T]):
    """A flow and the dialogue whose requests it makes."""

    dialogue: str
    flow: Flow[T]


def quiet(counters: Counters) -> None:
    """Show no progress."""
    del counters


@dataclass(slots=True, kw_only=True)
class Engine:
    """Drives flows.

    Attributes
    ----------
    backend
        The model, already started.
    store
        Where finished generations are kept and looked up.
    concurrency
        Dialogues in flight; a back-end that wants its requests in order gets one at a time.
    retry
        When to ask again.
    progress
        Told the counters after every request and every finished dialogue.
    sleep, jitter
        The clock and the randomness of retries.
    counters
        What was done so far.
    """

    backend: Backend
    store: Store
    concurrency: int = 8
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    progress: Callable[[Counters], None] = quiet
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random
    counters: Counters = field(default_factory=Counters)
    _pending: dict[str, asyncio.Future[Reply]] = field(
        default_factory=dict[str, "asyncio.Future[Reply]"]
    )
    _failures_in_a_row: int = 0

    async def run(self, jobs: Iterable[Job[T]]) -> list[T]:
        """Drive every flow to its end.

        Returns
        -------
        list
            The flows' results, in the order of the jobs.

        Raises
        ------
        BackendError
            The back-end failed so often in a row that going on is pointless.
        """
        waiting = list(enumerate(jobs))
        self.counters.n_flows = len(waiting)
        results: dict[int, T] = {}
        queue = iter(waiting)

        async def lane() -> None:
            for place, job in queue:
                async with self.backend.session(job.dialogue) as session:
                    results[place] = await self._drive(job.flow, session)
                self.counters.n_flows_done += 1
                self.progress(self.counters)

        lanes = 1 if self.backend.capabilities.ordered else self.concurrency
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(lanes, len(waiting))):
                    group.create_task(lane())
        except ExceptionGroup as group_error:
            # Every lane fails for the same cause; the first says it all.
            raise group_error.exceptions[0] from None
        return [results[place] for place, _ in waiting]

    async def _drive(self, flow: Flow[T], session: Session) -> T:
        last: GenerationRequest | None = None
        try:
            batch = next(flow)
            while True:
                replies = await self._answer_all(batch, session, last)
                last = batch[-1] if batch else last
                batch = flow.send(replies)
        except StopIteration as end:
            return end.value

    async def _answer_all(
        self,
        batch: Sequence[GenerationRequest],
        session: Session,
        last: GenerationRequest | None,
    ) -> list[Reply]:
        if not self.backend.capabilities.ordered:
            asked = (self._answer(request, session) for request in batch)
            return list(await asyncio.gather(*asked))
        # With one prefix cache, what continues the last prompt unchanged comes before what
        # replaces its end.
        order = sorted(
            range(len(batch)),
            key=lambda place: last is None or batch[place].messages != last.messages,
        )
        replies = {place: await self._answer(batch[place], session) for place in order}
        return [replies[place] for place in range(len(batch))]

    async def _answer(self, request: GenerationRequest, session: Session) -> Reply:
        fingerprint = self.backend.fingerprint
        key = self.store.key(fingerprint, request)
        self.counters.n_requests += 1
        running = self._pending.get(key)
        if running is not None:
            self.counters.n_from_store += 1
            return await asyncio.shield(running)
        kept = self.store.get(key)
        if kept is not None:
            self.counters.n_from_store += 1
            self.progress(self.counters)
            return kept
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._pending[key] = future
        try:
            reply = await self._ask(request, session)
            if isinstance(reply, Generation):
                self.store.put(key, fingerprint, request, reply)
            future.set_result(reply)
        except BaseException:
            future.cancel()
            raise
        finally:
            del self._pending[key]
        self.progress(self.counters)
        return reply

    async def _ask(self, request: GenerationRequest, session: Session) -> Reply:
        attempt = 1
        while True:
            try:
                generation = await session.generate(request)
            except BackendError as error:
                pause = self.retry.wait(error, attempt, self.jitter)
                if pause is None:
                    return self._give_up(error, attempt)
                self.counters.n_retries += 1
                attempt += 1
                await self.sleep(pause)
            else:
                self._failures_in_a_row = 0
                self.counters.asked(request, generation)
                return generation

    def _give_up(self, error: BackendError, attempts: int) -> Failure:
        self.counters.n_failed += 1
        # A dialogue that is too long says nothing about the next one.
        self._failures_in_a_row += not isinstance(error, ContextOverflow)
        if self._failures_in_a_row >= FAILURES_IN_A_ROW:
            raise type(error)(
                f"{self._failures_in_a_row} requests in a row failed, so the run stops; "
                f"the last reason: {error}"
            ) from error
        times = f" (sent {attempts} times)" if attempts > 1 else ""
        return Failure(stage="generation", kind=error.kind, message=f"{error}{times}")
