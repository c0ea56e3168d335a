"""Small scenarios, assistants and runs for tests of whole conversations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from turnsure.core.conversation import Exchange
from turnsure.core.dialogue import Message
from turnsure.core.generation import Generation, GenerationRequest, LabelReading, Usage
from turnsure.core.protocols import Flow
from turnsure.core.scenario import CheckSpec, Reveal, Scenario
from turnsure.core.suite import SuiteResult
from turnsure.models.scripted import ALL_CAPABLE, ScriptedBackend
from turnsure.scenarios.assistants.python_callable import PythonAssistant
from turnsure.scenarios.running import run_suite
from turnsure.scenarios.runs import new_run, plans_of, run_seed
from turnsure.scenarios.seams import RunContext

REVEALS = (
    Reveal(id="area", say="I want a flat in Baner.", sets={"area": "Baner"}),
    Reveal(id="budget", say="I can pay 25,000 rupees.", sets={"budget": 25000}),
    Reveal(id="dog", say="I have a dog.", sets={"pets": True}),
)
SHORT = CheckSpec(
    name="short", kind="expression", failure="other", scope="turn", expression="size(text) < 100"
)


def scenario(**changes: Any) -> Scenario:
    """Three reveals, and a check that any short reply passes."""
    fields: dict[str, Any] = {
        "id": "flat",
        "persona": "A renter.",
        "goal": "A flat to live in.",
        "reveals": REVEALS,
        "checks": (SHORT,),
        "runs": 2,
    }
    return Scenario(**{**fields, **changes})


async def no_model(flow: Flow[Any]) -> Any:
    """Drive a flow that asks nothing."""
    try:
        next(flow)
    except StopIteration as end:
        return end.value
    raise AssertionError("a model was asked")


def run_of(
    given: Scenario | None = None, *, replicate: int = 0, ask: Any = no_model, seed: int = 0
) -> RunContext:
    """A run before its first turn."""
    [plan] = plans_of([given or scenario()], runs=None, concurrency=1)
    return new_run(
        plan,
        replicate=replicate,
        seed=run_seed(plan.scenario, replicate, seed=seed),
        ask=ask,
    )


def exchange(turn: int, user: str, reply: str, **more: Any) -> Exchange:
    return Exchange(
        turn=turn,
        user=Message(role="user", content=user),
        replies=(Message(role="assistant", content=reply),),
        **more,
    )


def python(function: Callable[..., Any], name: str = "tests:double") -> PythonAssistant:
    return PythonAssistant(function, name=name)


def run_with(
    function: Callable[..., Any], folder: Path, *scenarios: Scenario, **settings: Any
) -> SuiteResult:
    """Run a suite of one scenario, or of those given, against a function."""
    return run_suite(scenarios or (scenario(),), python(function), folder=folder, **settings)


def verdicts(result: SuiteResult) -> Sequence[str]:
    return [one.verdict for one in result.verdicts]


def fine(messages: Any) -> str:
    """Any assistant that passes."""
    return "All right."


def raising(messages: Any) -> str:
    """An assistant that must not be called again."""
    raise AssertionError("it was run again")


def user_backend(**capabilities: Any) -> ScriptedBackend:
    """A model that says exactly what it has to say, and stops when it may."""

    def reply(request: GenerationRequest) -> Any:
        if request.labels is not None:
            return Generation(labels=LabelReading(mass={"A": 0.9, "B": 0.1}, n_top=2))
        text = request.messages[0].content.partition("nothing beyond it:\n")[2].partition("\n")[0]
        return Generation(
            texts=(text,),
            finish_reasons=("stop",),
            usage=Usage(prompt_tokens=100, completion_tokens=10),
            seconds=0.5,
        )

    return ScriptedBackend(
        reply, capabilities=replace(ALL_CAPABLE, **capabilities), name="scripted:user"
    )


def model(reply: Any = "All right.", **capabilities: Any) -> ScriptedBackend:
    """A model as the assistant."""
    answer = reply if callable(reply) else lambda request: reply
    return ScriptedBackend(
        answer, capabilities=replace(ALL_CAPABLE, **capabilities), name="scripted:assistant"
    )
