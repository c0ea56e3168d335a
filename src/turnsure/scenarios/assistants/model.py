"""A model as the assistant under test, with tools that are served from frozen fixtures.

The model is an OpenAI-compatible endpoint, or an embedded one, which takes no tools.  It is asked
until it replies without a tool call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from turnsure.core.dialogue import Message
from turnsure.core.errors import (
    BackendTimeout,
    BackendUnavailable,
    CapabilityError,
    InputError,
    RateLimited,
)
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Backend, Flow
from turnsure.core.scenario import Scenario
from turnsure.scenarios.assistants.fixture_tools import tool_plans
from turnsure.scenarios.seams import AssistantReply, Fault, RunContext

REPLY_TAG = "reply"

_INFRASTRUCTURE = frozenset(one.kind for one in (RateLimited, BackendTimeout, BackendUnavailable))
"""Failures of a request that say nothing about the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAssistant:
    """A model and what it is told.

    Attributes
    ----------
    backend
        The model; it is asked in the role ``"subject"``.
    system
        The system message, None for none.
    temperature
        Above 0, so that runs differ.
    max_tokens
        Limit of one reply.
    """

    backend: Backend
    system: str | None = None
    temperature: float = 1.0
    max_tokens: int = 1024

    def __post_init__(self) -> None:
        if self.temperature < 0:
            raise InputError(f"it is {self.temperature}", field="temperature", expected="0 or more")
        if self.max_tokens < 1:
            raise InputError(f"it is {self.max_tokens}", field="max_tokens", expected="1 or more")

    @property
    def name(self) -> str:
        return self.backend.name

    @property
    def fingerprint(self) -> Mapping[str, str]:
        return {
            "assistant": "model",
            "name": self.backend.name,
            **{f"model.{name}": value for name, value in self.backend.fingerprint.items()},
            "system": self.system or "",
            "temperature": str(self.temperature),
            "max_tokens": str(self.max_tokens),
        }

    async def start(self) -> None:
        """The back-end is started by whoever runs the suite."""

    async def close(self) -> None:
        """The back-end is closed likewise."""

    def check(self, scenario: Scenario) -> None:
        """See that the model takes tools where the scenario has any.

        Raises
        ------
        CapabilityError
            It does not.
        InputError
            A tool is written wrongly.
        """
        if tool_plans(scenario) and not self.backend.capabilities.tools:
            raise CapabilityError(
                method=f"scenario {scenario.id!r}",
                needs="tools",
                model=self.backend.name,
                alternatives=("test an OpenAI-compatible endpoint", "take the tools off the card"),
            )

    async def reply(
        self, messages: Sequence[Message], *, turn: int, run: RunContext
    ) -> AssistantReply | Fault:
        return await run.ask(self.turn(messages, turn=turn, run=run))

    def turn(
        self, messages: Sequence[Message], *, turn: int, run: RunContext
    ) -> Flow[AssistantReply | Fault]:
        """One turn as a flow: model, tool calls, their results, and the model again."""
        scenario = run.scenario
        tools = tuple(plan.tool for plan in tool_plans(scenario).values())
        told = () if self.system is None else (Message(role="system", content=self.system),)
        done: list[Message] = []
        n_calls = 0
        while True:
            step = len(done)
            [reply] = yield [
                GenerationRequest(
                    messages=(*told, *messages, *done),
                    max_tokens=self.max_tokens,
                    temperature=self.temperature,
                    tools=tools,
                    seed=run.seed_for("assistant", turn, step),
                    replicate=run.replicate_for(),
                    tag=REPLY_TAG,
                )
            ]
            if isinstance(reply, Failure):
                return Fault(
                    problem=f"{self.name}: {reply.message}",
                    is_infrastructure=reply.kind in _INFRASTRUCTURE,
                    messages=tuple(done),
                    n_calls=0,
                )
            said = _message(reply)
            done.append(said)
            if not said.tool_calls:
                return self._finished(done)
            n_calls += len(said.tool_calls)
            if n_calls > scenario.limits.tool_calls:
                return Fault(
                    problem=(
                        f"{self.name}: it calls tools {n_calls} times in one turn, and "
                        f"{scenario.limits.tool_calls} times are allowed"
                    ),
                    messages=tuple(done),
                    n_calls=0,
                )
            for call in said.tool_calls:
                result = run.tools.serve(call.name, call.arguments)
                done.append(Message(role="tool", content=result, tool_call_id=call.id))

    def _finished(self, done: Sequence[Message]) -> AssistantReply | Fault:
        if any(one.role == "assistant" and one.content.strip() for one in done):
            # Its tokens are counted where the model is asked.
            return AssistantReply(messages=tuple(done), n_calls=0)
        problem = f"{self.name}: it replied without a word"
        return Fault(problem=problem, messages=tuple(done), n_calls=0)


def _message(reply: Generation) -> Message:
    return Message(
        role="assistant",
        content=reply.texts[0] if reply.texts else "",
        tool_calls=reply.tool_calls,
    )
