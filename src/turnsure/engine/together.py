"""Running several flows as one."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeVar

from turnsure.core.generation import GenerationRequest
from turnsure.core.protocols import Flow, Reply

T = TypeVar("T")


def together(flows: Sequence[Flow[T]]) -> Flow[list[T]]:
    """Drive flows side by side: their requests of one step go out as one batch, in order.

    Returns
    -------
    list
        The flows' results, in the order given.
    """
    results: dict[int, T] = {}
    waiting: dict[int, tuple[Flow[T], Sequence[GenerationRequest]]] = {}
    for place, flow in enumerate(flows):
        _step(place, flow, None, waiting, results)
    while waiting:
        current = dict(waiting)
        waiting.clear()
        replies = iter((yield [request for _, batch in current.values() for request in batch]))
        for place, (flow, batch) in current.items():
            _step(place, flow, [next(replies) for _ in batch], waiting, results)
    return [results[place] for place in range(len(flows))]


def _step(
    place: int,
    flow: Generator[Sequence[GenerationRequest], Sequence[Reply], T],
    replies: Sequence[Reply] | None,
    waiting: dict[int, tuple[Flow[T], Sequence[GenerationRequest]]],
    results: dict[int, T],
) -> None:
    """Advance one flow; put down what it asks next or what it returned."""
    try:
        batch = next(flow) if replies is None else flow.send(replies)
    except StopIteration as end:
        results[place] = end.value
    else:
        waiting[place] = (flow, batch)
