"""What a suite costs, by role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from turnsure.core.generation import GenerationRequest, RequestRole, Usage
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Flow
from turnsure.core.suite import SUITE_ROLES, RoleCost, SuiteCost, SuiteRole
from turnsure.engine.counters import Counters, Spent
from turnsure.scenarios.users.simulated import AGAIN_TAG

T = TypeVar("T")

_ROLES: Mapping[RequestRole, SuiteRole] = {"subject": "assistant", "user": "user", "judge": "judge"}


@dataclass(slots=True)
class Tally:
    """Running counts of one call of a suite.

    Attributes
    ----------
    n_conversations, n_replayed, n_restarted
        As :class:`~turnsure.core.suite.SuiteCost` has them.
    calls, again, failed
        Requests to models by role.
    direct
        What calls of a function or a webhook cost.
    """

    n_conversations: int = 0
    n_replayed: int = 0
    n_restarted: int = 0
    calls: Counter[SuiteRole] = field(default_factory=Counter[SuiteRole])
    again: Counter[SuiteRole] = field(default_factory=Counter[SuiteRole])
    failed: Counter[SuiteRole] = field(default_factory=Counter[SuiteRole])
    direct: Spent = field(default_factory=Spent)

    def counted(self, flow: Flow[T], first: Sequence[GenerationRequest]) -> Flow[T]:
        """Drive a flow that has begun, count its requests, and mark them with their role."""
        batch = first
        try:
            while True:
                roles: list[SuiteRole] = [_ROLES.get(one.role, "assistant") for one in batch]
                self.calls.update(roles)
                self.again.update(
                    role for role, one in zip(roles, batch, strict=True) if one.tag == AGAIN_TAG
                )
                replies = yield [
                    replace(one, tag=f"{role}.{one.tag}")
                    for role, one in zip(roles, batch, strict=True)
                ]
                self.failed.update(
                    role
                    for role, one in zip(roles, replies, strict=True)
                    if isinstance(one, Failure)
                )
                batch = flow.send(replies)
        except StopIteration as end:
            return end.value

    def called(
        self, n_calls: int, usages: Sequence[Usage], seconds: float, *, n_turns: int
    ) -> None:
        """Count calls of a function or a webhook in one conversation."""
        self.direct.n_sent += n_calls
        self.again["assistant"] += n_calls - n_turns
        self.direct.seconds += seconds
        for usage in usages:
            self.direct.prompt_tokens += usage.prompt_tokens or 0
            self.direct.completion_tokens += usage.completion_tokens or 0
        told = sum(usage.completion_tokens is not None for usage in usages)
        self.direct.n_uncounted += max(0, n_calls - told)

    def cost(self, counters: Counters | None) -> SuiteCost:
        """The sum, with what the engine counted where there is one."""
        return SuiteCost(
            roles=tuple(self._of(role, counters) for role in SUITE_ROLES),
            n_conversations=self.n_conversations,
            n_replayed=self.n_replayed,
            n_restarted=self.n_restarted,
            n_retries=0 if counters is None else counters.n_retries,
        )

    def _of(self, role: SuiteRole, counters: Counters | None) -> RoleCost:
        sent: list[Spent] = []
        if counters is not None:
            start = f"{role}."
            sent = [spent for tag, spent in counters.by_tag.items() if tag.startswith(start)]
        n_asked = sum(one.n_sent for one in sent)
        if role == "assistant":
            sent.append(self.direct)
        return RoleCost(
            role=role,
            n_calls=self.calls[role] + (self.direct.n_sent if role == "assistant" else 0),
            n_from_store=self.calls[role] - self.failed[role] - n_asked,
            n_again=self.again[role],
            n_failed=self.failed[role],
            prompt_tokens=sum(one.prompt_tokens for one in sent),
            completion_tokens=sum(one.completion_tokens for one in sent),
            n_uncounted=sum(one.n_uncounted for one in sent),
            seconds=sum(one.seconds for one in sent),
        )
