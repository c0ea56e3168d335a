"""How much of a bare HTTP client's request rate is left when turnsure asks.

    python benchmarks/endpoint.py [--requests 4000] [--rounds 9] [--concurrency 64]

A trivial server (trivial_server.py) answers in a process of its own.  Three contestants send it
the same bodies with the same concurrency, one after the other, round after round, so that a busy
machine slows all of them: a bare aiohttp client that reads the bytes of the reply and nothing
else, ``OpenAIEndpoint.generate`` in as many tasks, and the engine with a store on disk.  A ratio is
the median, over rounds, of a contestant's request rate by the bare client's in the same round:
by the clock, and by CPU time of this process.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import aiohttp
from common import machine, told
from trivial_server import trivial_server

from turnsure.core.dialogue import Message
from turnsure.core.generation import GenerationRequest
from turnsure.core.protocols import Flow, Reply
from turnsure.engine.drive import Engine, Job
from turnsure.models.openai_endpoint import OpenAIEndpoint
from turnsure.models.openai_probe import DeclaredCapabilities
from turnsure.models.openai_wire import Style, encoded, text_body
from turnsure.store.sqlite import Store

DECLARED = DeclaredCapabilities(
    label_probabilities="top_k", max_top_logprobs=20, max_n=20, seed=True, prefill=False
)
CLUES = "\n".join(f"Clue {k}: it has a border with the country of clue {k + 1}." for k in range(8))

STYLE = Style(model="trivial", dialect="openai", seed=True)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Work:
    """Requests, and the bytes that stand for them."""

    requests: Sequence[GenerationRequest]
    bodies: Sequence[bytes]


Contestant = Callable[[Work], Awaitable[None]]


def work(n: int, first: int) -> Work:
    """Requests of some 600 characters, no two equal."""
    requests = [
        GenerationRequest(
            messages=(
                Message(role="system", content="Answer with the name of one country."),
                Message(role="user", content=f"Dialogue {first + k}.\n{CLUES}\nWhich is it?"),
            ),
            max_tokens=64,
            seed=first + k,
        )
        for k in range(n)
    ]
    return Work(requests, [encoded(text_body(STYLE, one, first=0, n=1)) for one in requests])


async def in_tasks(
    items: Iterable[T], concurrency: int, ask: Callable[[T], Awaitable[object]]
) -> None:
    """Ask everything, in so many tasks that share the work."""
    queue = iter(items)

    async def task() -> None:
        for item in queue:
            await ask(item)

    await asyncio.gather(*(task() for _ in range(concurrency)))


@asynccontextmanager
async def bare(url: str, concurrency: int) -> AsyncIterator[Contestant]:
    """A client that posts bytes made beforehand and reads bytes."""
    headers = {"Content-Type": "application/json"}
    async with aiohttp.ClientSession(headers=headers) as client:

        async def ask(body: bytes) -> None:
            async with client.post(f"{url}/chat/completions", data=body) as response:
                await response.read()

        async def run(work: Work) -> None:
            await in_tasks(work.bodies, concurrency, ask)

        yield run


@asynccontextmanager
async def endpoint(url: str, concurrency: int) -> AsyncIterator[OpenAIEndpoint]:
    """The endpoint, started."""
    backend = OpenAIEndpoint("trivial", url, declared=DECLARED, concurrency=concurrency)
    await backend.start()
    try:
        yield backend
    finally:
        await backend.close()


async def compare(
    url: str, *, n: int, rounds: int, concurrency: int, folder: Path
) -> dict[str, object]:
    """Rates and ratios."""
    numbers = itertools.count()
    async with bare(url, concurrency) as bare_run, endpoint(url, concurrency) as backend:

        async def through_endpoint(work: Work) -> None:
            await in_tasks(work.requests, concurrency, backend.generate)

        async def through_engine(work: Work) -> None:
            store = Store(folder / f"{next(numbers)}.sqlite")
            engine = Engine(backend=backend, store=store, concurrency=concurrency)
            await engine.run(
                Job(dialogue=str(request.seed), flow=_flow(request)) for request in work.requests
            )
            store.close()

        contestants = {
            "bare aiohttp": bare_run,
            "endpoint": through_endpoint,
            "engine and store": through_engine,
        }
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
        for place in range(rounds + 1):
            here = work(n, place * n)
            for name, run in contestants.items():
                taken[name].append(await timed(run, here))
    return {
        f"requests a second of {what}": {
            name: round(n / min(pair[k] for pair in pairs[1:])) for name, pairs in taken.items()
        }
        for k, what in enumerate(("the clock", "CPU time"))
    } | {
        f"share of the bare rate, by {what}": {
            name: round(
                statistics.median(
                    first[k] / own[k]
                    for first, own in zip(taken["bare aiohttp"][1:], pairs[1:], strict=True)
                ),
                3,
            )
            for name, pairs in taken.items()
        }
        for k, what in enumerate(("the clock", "CPU time"))
    }


async def timed(run: Contestant, work: Work) -> tuple[float, float]:
    """Seconds of the clock and of CPU time."""
    clock, processor = time.perf_counter(), time.process_time()
    await run(work)
    return time.perf_counter() - clock, time.process_time() - processor


def _flow(request: GenerationRequest) -> Flow[Reply]:
    [reply] = yield [request]
    return reply


def main() -> None:
    """Run the contest, and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=4000, help="of each, in a round")
    parser.add_argument("--rounds", type=int, default=9, help="after one to warm up")
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--out", type=Path, help="also write the result to this file")
    given = parser.parse_args()
    with trivial_server() as url, tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(
            compare(
                url,
                n=given.requests,
                rounds=given.rounds,
                concurrency=given.concurrency,
                folder=Path(folder),
            )
        )
    told({"machine": machine("turnsure", "aiohttp"), **found}, given.out)


if __name__ == "__main__":
    main()
