"""One conversation: user and assistant in turn, until one of them ends it.

The loop asks nobody itself: users are flows, which ``run.ask`` drives, and an assistant is awaited.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from turnsure.core.conversation import Ending, Exchange, Item, Slip, Transcript
from turnsure.core.dialogue import Message
from turnsure.core.errors import BackendError, InputError, KeyRefused
from turnsure.core.generation import Usage
from turnsure.core.outcome import Failure
from turnsure.scenarios.assistants.reading import json_copy
from turnsure.scenarios.items import extract_items
from turnsure.scenarios.seams import (
    Assistant,
    AssistantReply,
    Broken,
    Fault,
    RunContext,
    Said,
    Stopped,
    User,
)


@dataclass(slots=True, kw_only=True)
class Talk:
    """A conversation that is going on.

    Attributes
    ----------
    user, assistant, run
        Who speaks, and in which run.
    exchanges
        What was said so far.
    clock
        Seconds that only go up.
    n_calls, usages, seconds
        What the assistant cost: calls, the tokens that it told of, and the time it took.
    """

    user: User
    assistant: Assistant
    run: RunContext
    exchanges: list[Exchange] = field(default_factory=list[Exchange])
    clock: Callable[[], float] = time.perf_counter
    n_calls: int = 0
    usages: list[Usage] = field(default_factory=list[Usage])
    seconds: float = 0.0

    async def hold(self) -> Transcript:
        """Talk to the end.

        Raises
        ------
        KeyRefused
            A server refuses the key, and so every other run's requests as well.
        """
        scenario = self.run.scenario
        while True:
            if len(self.exchanges) >= scenario.limits.turns and not self._is_over():
                return self._ended("turn_cap")
            try:
                said = await self.run.ask(
                    self.user.next(scenario, tuple(self.exchanges), run=self.run)
                )
            except KeyRefused:
                raise
            except BackendError as error:
                return self._ended("infrastructure_error", f"the user's model: {error}")
            match said:
                case Stopped():
                    return self._ended(said.ending)
                case Broken():
                    return self._ended("user_invalid", self._broken(said), slips=said.slips)
                case Failure():
                    return self._ended("infrastructure_error", f"the user's model: {said.message}")
                case Said():
                    fault = await self._reply(said)
            if fault is not None:
                ending = "infrastructure_error" if fault.is_infrastructure else "assistant_error"
                return self._ended(ending, f"turn {len(self.exchanges)}: {fault.problem}")

    def _is_over(self) -> bool:
        return self.user.is_over(self.run.scenario, tuple(self.exchanges))

    async def _reply(self, said: Said) -> Fault | None:
        """Let the assistant answer, and put the exchange down, whatever came of it."""
        turn = len(self.exchanges) + 1
        message = Message(role="user", content=said.text)
        before = [one for exchange in self.exchanges for one in (exchange.user, *exchange.replies)]
        begun = self.clock()
        try:
            reply = await self.assistant.reply((*before, message), turn=turn, run=self.run)
        except KeyRefused:
            raise
        except BackendError as error:
            problem = f"{self.assistant.name}: {error}"
            reply = Fault(problem=problem, is_infrastructure=error.retryable)
        self.seconds += self.clock() - begun
        self.n_calls += reply.n_calls
        fault = reply if isinstance(reply, Fault) else None
        items: tuple[Item, ...] = ()
        if isinstance(reply, AssistantReply):
            self.usages.append(reply.usage)
            items = reply.items
        try:
            found = [
                json_copy(one, "items")
                for one in extract_items(self.run.scenario.items, reply.messages)
            ]
        except InputError as error:
            found = []
            fault = fault or Fault(problem=f"the items that it shows cannot be read: {error}")
        self.exchanges.append(
            Exchange(
                turn=turn,
                user=message,
                replies=reply.messages,
                reveals=said.reveals,
                items=(*items, *(one for one in found if one not in items)),
                note=said.note,
                slips=said.slips,
                unserved=self.run.tools.take_unserved(),
            )
        )
        return fault

    def _broken(self, broken: Broken) -> str:
        last = broken.slips[-1]
        times = "once" if len(broken.slips) == 1 else f"{len(broken.slips)} times"
        return (
            f"turn {len(self.exchanges) + 1}: the user was asked {times} and could not be kept to "
            f"its card ({last.guard}: {last.evidence})"
        )

    def _ended(
        self, ending: Ending, problem: str | None = None, *, slips: Sequence[Slip] = ()
    ) -> Transcript:
        state = None
        if self.run.scenario.fixtures:
            try:
                state = json_copy(self.run.tables, "fixtures")
            except InputError as error:
                ending, problem = "assistant_error", f"the end state cannot be kept: {error}"
        return Transcript(
            scenario=self.run.scenario.id,
            replicate=self.run.replicate,
            exchanges=tuple(self.exchanges),
            ending=ending,
            problem=problem,
            state=state,
            slips=tuple(slips),
        )


async def converse(*, user: User, assistant: Assistant, run: RunContext) -> Transcript:
    """Hold one conversation, from the first message to its end.

    Parameters
    ----------
    user, assistant
        Who speaks.
    run
        Which run of which scenario.

    Raises
    ------
    KeyRefused
        A server refuses the key.
    """
    return await Talk(user=user, assistant=assistant, run=run).hold()
