"""The models of a suite: seated by role, behind one engine, and counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from turnsure.core.errors import InputError
from turnsure.core.generation import RequestRole
from turnsure.core.protocols import Backend, Flow
from turnsure.core.suite import SuiteCost
from turnsure.engine.drive import Engine, Job
from turnsure.scenarios.seams import Ask
from turnsure.scenarios.spending import Tally
from turnsure.store.sqlite import Store

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Models:
    """All models of a suite.

    Attributes
    ----------
    backends
        Each once.
    engine
        Asks them; None where there is none.
    tally
        What was asked.
    """

    backends: tuple[Backend, ...]
    engine: Engine | None
    tally: Tally = field(default_factory=Tally)

    @classmethod
    def of(
        cls,
        assistant: Backend | None,
        user: Backend | None,
        judge: Backend | None,
        *,
        store: Store,
    ) -> Models:
        """Seat those that there are; a role without a model of its own is the assistant's."""
        seats: tuple[tuple[RequestRole, Backend | None], ...] = (
            ("subject", assistant),
            ("user", user),
            ("judge", judge),
        )
        distinct: list[Backend] = []
        for _, backend in seats:
            if backend is not None and not any(one is backend for one in distinct):
                distinct.append(backend)
        if not distinct:
            return cls(backends=(), engine=None)
        first = distinct[0]
        others: dict[RequestRole, Backend] = {
            role: one for role, one in seats if one is not None and one is not first
        }
        engine = Engine(backend=first, others=others, store=store, concurrency=1)
        return cls(backends=tuple(distinct), engine=engine)

    def lanes(self, most: int) -> int:
        """Conversations to hold at once, at most so many, that keep their prefix caches."""
        bounds = (one.capabilities.conversations for one in self.backends)
        return min([most, *(bound for bound in bounds if bound is not None)])

    def asker(self, scenario: str, replicate: int) -> Ask:
        """Drives the flows of one run."""
        return _Asker(models=self, dialogue=f"{scenario}/{replicate}")

    def cost(self) -> SuiteCost:
        """What was asked until now."""
        return self.tally.cost(None if self.engine is None else self.engine.counters)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asker:
    models: Models
    dialogue: str

    async def __call__(self, flow: Flow[T]) -> T:
        try:
            first = next(flow)
        except StopIteration as end:
            return end.value
        if self.models.engine is None:
            raise InputError(
                "a model is needed, and none is named",
                field="model",
                expected="a model for users, assistant or judge",
            )
        counted = self.models.tally.counted(flow, first)
        [result] = await self.models.engine.run([Job(dialogue=self.dialogue, flow=counted)])
        return result
