"""The engine: drives many flows at once against one back-end.

It alone sees every pending request, so it alone decides about order, concurrency, retries and
what is read from the store.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from turnsure.core.errors import BackendError, ContextOverflow, KeyRefused
from turnsure.core.generation import Generation, GenerationRequest, RequestRole
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


@dataclass(frozen=True, slots=True)
class _Seat:
    """A model and the lease on it."""

    backend: Backend
    session: Session
    fingerprint: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Table:
    """The subject's seat, and those of models in other roles."""

    subject: _Seat
    others: Mapping[RequestRole, _Seat]

    def seat(self, request: GenerationRequest) -> _Seat:
        """Who answers this request."""
        return self.others.get(request.role, self.subject)


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
    others
        Models that play another role than the subject, already started; a role that is not named
        here is the subject's as well.
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
    others: Mapping[RequestRole, Backend] = field(default_factory=dict[RequestRole, Backend])
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
    _failures_in_a_row: Counter[str] = field(default_factory=Counter[str])
    _last_failure: BackendError | None = None

    async def run(self, jobs: Iterable[Job[T]]) -> list[T]:
        """Drive every flow to its end.

        Returns
        -------
        list
            The flows' results, in the order of the jobs.

        Raises
        ------
        BackendError
            As :meth:`run_each`.
        """
        results: list[T] = []
        await self.run_each(jobs, results.append)
        return results

    async def run_each(self, jobs: Iterable[Job[T]], take: Callable[[T], None]) -> None:
        """Drive every flow to its end, and hand its result over.

        Parameters
        ----------
        jobs
            The flows.
        take
            Given the results one at a time in the order of the jobs, each as soon as it and all
            before it are there; they are not kept here.

        Raises
        ------
        BackendError
            The back-end failed so often in a row that going on is pointless, answered nothing, or
            refused the key.
        """
        waiting = list(enumerate(jobs))
        self.counters.n_flows = len(waiting)
        ahead: dict[int, T] = {}
        following = 0
        queue = iter(waiting)

        def finish(place: int, result: T) -> None:
            nonlocal following
            ahead[place] = result
            while following in ahead:
                take(ahead.pop(following))
                following += 1

        async def lane() -> None:
            for place, job in queue:
                async with AsyncExitStack() as leases:
                    subject = await _seat(self.backend, job.dialogue, leases)
                    others: dict[RequestRole, _Seat] = {
                        role: await _seat(one, job.dialogue, leases)
                        for role, one in self.others.items()
                    }
                    finish(place, await self._drive(job.flow, _Table(subject, others)))
                self.counters.n_flows_done += 1
                self.progress(self.counters)

        bounds = (one.capabilities.lanes for one in (self.backend, *self.others.values()))
        lanes = min([bound for bound in bounds if bound is not None] or [self.concurrency])
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(lanes, len(waiting))):
                    group.create_task(lane())
        except ExceptionGroup as group_error:
            # Every lane fails for the same cause; the first says it all.
            raise group_error.exceptions[0] from None
        if self._last_failure is not None and self.counters.n_failed == self.counters.n_requests:
            # Too few to stop at, yet there is nothing to report.
            raise _stopped("every request", self._last_failure) from self._last_failure

    async def _drive(self, flow: Flow[T], table: _Table) -> T:
        last: GenerationRequest | None = None
        try:
            batch = next(flow)
            while True:
                replies = await self._answer_all(batch, table, last)
                last = batch[-1] if batch else last
                batch = flow.send(replies)
        except StopIteration as end:
            return end.value

    async def _answer_all(
        self,
        batch: Sequence[GenerationRequest],
        table: _Table,
        last: GenerationRequest | None,
    ) -> list[Reply]:
        seats = [table.seat(request) for request in batch]
        if not any(seat.backend.capabilities.ordered for seat in seats):
            asked = map(self._answer, batch, seats)
            return list(await asyncio.gather(*asked))
        # With one prefix cache, what continues the last prompt unchanged comes before what
        # replaces its end.
        order = sorted(
            range(len(batch)),
            key=lambda place: last is None or batch[place].messages != last.messages,
        )
        replies = {place: await self._answer(batch[place], seats[place]) for place in order}
        return [replies[place] for place in range(len(batch))]

    async def _answer(self, request: GenerationRequest, seat: _Seat) -> Reply:
        key = self.store.key(seat.fingerprint, request)
        self.counters.n_requests += 1
        running = self._pending.get(key)
        if running is not None:
            reply = await asyncio.shield(running)
            answered = isinstance(reply, Generation)
            self.counters.n_from_store += answered
            self.counters.n_failed += not answered
            return reply
        kept = self.store.get(key)
        if kept is not None:
            self.counters.kept(key, request, kept)
            self.progress(self.counters)
            return kept
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._pending[key] = future
        try:
            reply = await self._ask(key, request, seat)
            if isinstance(reply, Generation):
                self.store.put(key, seat.fingerprint, request, reply)
            future.set_result(reply)
        except BaseException:
            future.cancel()
            raise
        finally:
            del self._pending[key]
        self.progress(self.counters)
        return reply

    async def _ask(self, key: str, request: GenerationRequest, seat: _Seat) -> Reply:
        attempt = 1
        while True:
            try:
                generation = await seat.session.generate(request)
            except KeyRefused:
                raise
            except BackendError as error:
                pause = self.retry.wait(error, attempt, self.jitter)
                if pause is None:
                    return self._give_up(error, attempt, seat.backend.name)
                self.counters.n_retries += 1
                attempt += 1
                await self.sleep(pause)
            else:
                self._failures_in_a_row[seat.backend.name] = 0
                self.counters.asked(key, request, generation)
                return generation

    def _give_up(self, error: BackendError, attempts: int, model: str) -> Failure:
        self.counters.n_failed += 1
        # A dialogue that is too long says nothing about the next one.
        if not isinstance(error, ContextOverflow):
            self._failures_in_a_row[model] += 1
            self._last_failure = error
        if self._failures_in_a_row[model] >= FAILURES_IN_A_ROW:
            failed = f"{FAILURES_IN_A_ROW} requests to {model} in a row"
            raise _stopped(failed, error) from error
        times = f" (sent {attempts} times)" if attempts > 1 else ""
        return Failure(stage="generation", kind=error.kind, message=f"{error}{times}")


async def _seat(backend: Backend, dialogue: str, leases: AsyncExitStack) -> _Seat:
    session = await leases.enter_async_context(backend.session(dialogue))
    return _Seat(backend, session, backend.fingerprint)


def _stopped(failed: str, error: BackendError) -> BackendError:
    """The error that ends the run: of the kind of the last one, with its reason."""
    return type(error)(f"{failed} failed, so the run stops; the last reason: {error}")
