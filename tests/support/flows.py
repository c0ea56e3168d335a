"""Driving flows by hand, as the tests of every method do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from turnsure.core.dialogue import Dialogue, Hint, Message
from turnsure.core.generation import Generation, GenerationRequest, LabelReading
from turnsure.core.protocols import Flow, Reply, TurnContext
from turnsure.estimators.settings import EstimatorSettings
from turnsure.estimators.templates import load_templates

T = TypeVar("T")


def drive(
    flow: Flow[T], reply: Callable[[GenerationRequest], Reply]
) -> tuple[T, list[GenerationRequest]]:
    """Answer everything a flow asks; return its result and what it asked."""
    asked: list[GenerationRequest] = []
    try:
        batch: Sequence[GenerationRequest] = next(flow)
        while True:
            asked += batch
            batch = flow.send([reply(request) for request in batch])
    except StopIteration as end:
        return end.value, asked


def texts(*replies: str) -> Generation:
    return Generation(texts=replies, finish_reasons=("stop",) * len(replies))


def label_mass(**mass: float) -> Generation:
    return Generation(labels=LabelReading(mass=mass, n_top=100))


def settings(**changes: object) -> EstimatorSettings:
    """Settings that take a reply as the answer and compare answers without regard to case."""
    values: dict[str, object] = {
        "templates": load_templates(),
        "samples": 4,
        "read_answer": lambda text: text or None,
        "same_answer": lambda left, right: left.casefold() == right.casefold(),
    }
    return EstimatorSettings(**{**values, **changes})  # pyright: ignore[reportArgumentType]


def dialogue(n_turns: int = 3, *, name: str = "d1", gold: str = "Peru") -> Dialogue:
    return Dialogue(
        id=name,
        task="Name the country.",
        hints=tuple(Hint(answer=f"Clue {turn} of {name}.") for turn in range(1, n_turns + 1)),
        gold=(gold,),
    )


def context(turn: int = 1, *, of: Dialogue | None = None) -> TurnContext:
    prefix = (of or dialogue()).prefix(turn)
    clues = "\n".join(hint.answer for hint in prefix.hints)
    history = (Message(role="user", content=f"{prefix.task}\n{clues}"),)
    return TurnContext(prefix=prefix, history=history, seed=11)
