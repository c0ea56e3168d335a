"""Endpoint and engine against a loopback server that limits, slows down, fails and recovers.

What is guarded are counts of what the server saw, never seconds.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field

import pytest
from aiohttp import web

from tests.support import http_server as double
from tests.support.http_server import DoubleServer
from turnsure.core.dialogue import Message
from turnsure.core.errors import RateLimited
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.engine.drive import Engine, Job
from turnsure.models.openai_endpoint import OpenAIEndpoint
from turnsure.models.openai_probe import DeclaredCapabilities
from turnsure.store.sqlite import Store

DECLARED = DeclaredCapabilities(max_top_logprobs=0, max_n=8, seed=True, prefill=False)


def request(number: int, **changes) -> GenerationRequest:
    message = Message(role="user", content=f"Question {number}")
    return GenerationRequest(messages=(message,), max_tokens=8, **changes)


@dataclass
class Limited:
    """Takes so many requests between two moments that a test chooses; refuses others.

    ``refused_at`` and ``sent_at`` are times of this process, of which client and server share one.
    """

    most: int
    pause: float
    taken: Counter[str] = field(default_factory=Counter)
    left: int = 0
    opens_at: float = 0.0
    refused: list[float] = field(default_factory=list)
    came: list[float] = field(default_factory=list)

    async def __call__(self, server, http_request, body) -> web.StreamResponse:
        now = time.monotonic()
        self.came.append(now)
        if now >= self.opens_at and not self.left:
            self.left = self.most
        if not self.left or now < self.opens_at:
            self.refused.append(now)
            self.opens_at = max(self.opens_at, now + self.pause)
            headers = {"Retry-After": str(self.opens_at - now)}
            return double.refusal_with(429, "slow down", headers=headers)
        self.left -= 1
        if not self.left:
            self.opens_at = now + self.pause
        self.taken[body["messages"][-1]["content"]] += 1
        return await double.honest(server, http_request, body)


async def asked_all(server: DoubleServer, folder, n: int, **options) -> Engine:
    """Ask n different questions through the engine; all are answered."""
    options = {"concurrency": 16, "declared": DECLARED, **options}
    backend = OpenAIEndpoint("tiny", server.base_url, **options)
    store = Store(folder / "store.sqlite")
    await backend.start()

    def flow(number: int):
        [reply] = yield [request(number)]
        return reply

    try:
        engine = Engine(backend=backend, store=store, concurrency=16)
        replies = await engine.run([Job(dialogue=str(k), flow=flow(k)) for k in range(n)])
    finally:
        await backend.close()
        store.close()
    assert all(isinstance(reply, Generation) for reply in replies)
    return engine


async def test_a_limit_is_found_and_not_hammered(tmp_path):
    limited = Limited(most=25, pause=0.1)
    async with DoubleServer() as server:
        server.then(*[limited] * 400)
        engine = await asked_all(server, tmp_path, 100)
    assert limited.taken == Counter({f"Question {k}": 1 for k in range(100)})
    assert engine.counters.n_sent == 100
    assert len(limited.came) == 100 + len(limited.refused) == 100 + engine.counters.n_retries
    # What was under way when the limit was met, each time fewer.
    assert len(limited.refused) < 0.4 * 100


async def test_nothing_is_sent_while_the_server_wants_nothing(tmp_path):
    arrived: list[float] = []
    pause = 0.3

    async def pausing(server, http_request, body):
        arrived.append(time.perf_counter())  # the client's clock
        if len(arrived) == 21:
            return double.refusal_with(429, "later", headers={"Retry-After": str(pause)})
        return await double.honest(server, http_request, body)

    async with DoubleServer() as server:
        server.then(*[pausing] * 100)
        engine = await asked_all(server, tmp_path, 60, concurrency=1)
    assert engine.counters.n_retries == 1
    assert engine.counters.n_sent == 60
    # The one that was refused came back after the pause, and none came in between.
    assert len(server.asked) == len(arrived) == 61
    assert arrived[21] >= arrived[20] + pause


async def test_a_server_that_refuses_all_for_a_moment_gets_every_request_once(tmp_path):
    seen: list[int] = []
    refused: list[int] = []
    well_again: list[float] = []

    async def trembling(server, http_request, body):
        """After 60 requests, refuse everything for a tenth of a second."""
        seen.append(server.in_flight)
        await asyncio.sleep(0.005)
        if len(seen) >= 60 and not well_again:
            well_again.append(time.monotonic() + 0.1)
        if well_again and time.monotonic() < well_again[0]:
            refused.append(len(seen))
            return double.refusal_with(503, "too many")
        return await double.honest(server, http_request, body)

    async with DoubleServer() as server:
        server.then(*[trembling] * 2000)
        engine = await asked_all(server, tmp_path, 400)
    assert engine.counters.n_sent == 400
    assert len(seen) == 400 + len(refused) == 400 + engine.counters.n_retries
    assert len({body["messages"][-1]["content"] for body in server.asked}) == 400
    assert 1 <= len(refused) < 50
    assert max(seen) <= 16
    assert len(server.connections) <= 16


async def test_late_replies_are_asked_for_once(tmp_path):
    seen: list[int] = []

    async def slowing(server, http_request, body):
        seen.append(server.in_flight)
        await asyncio.sleep(0.1 if 80 <= len(seen) < 160 else 0.01)
        return await double.honest(server, http_request, body)

    async with DoubleServer() as server:
        server.then(*[slowing] * 2000)
        engine = await asked_all(server, tmp_path, 300)
    assert (engine.counters.n_sent, engine.counters.n_retries) == (300, 0)
    assert len(seen) == len({body["messages"][-1]["content"] for body in server.asked}) == 300
    assert max(seen) <= 16
    assert len(server.connections) <= 16


async def test_a_pause_beyond_the_patience_is_not_waited_for():
    async with DoubleServer() as server:
        backend = OpenAIEndpoint("tiny", server.base_url, declared=DECLARED, patience=2.0)
        await backend.start()
        server.then(double.status(429, {}, headers={"Retry-After": "60"}))
        with pytest.raises(RateLimited) as caught:
            await backend.generate(request(0))
        assert caught.value.retry_after == 60.0
        assert (await backend.generate(request(1))).texts
        await backend.close()
    assert len(server.asked) == 2


async def test_tokens_are_estimated_and_then_settled():
    ticks = [0.0]
    async with DoubleServer() as server:
        backend = OpenAIEndpoint(
            "tiny",
            server.base_url,
            declared=DECLARED,
            tokens_per_minute=60_000,
            clock=lambda: ticks[0],
        )
        await backend.start()
        # 14 tokens are used a request, as the server counts: the burst of 1,000 is enough for 71.
        # One that had to wait would do so for ever, since the clock stands still.
        async with asyncio.timeout(60.0):
            for number in range(60):
                await backend.generate(request(number))
            await backend.generate(request(60, n=8, temperature=1.0))
        await backend.close()
    assert len(server.asked) == 61


async def test_two_models_at_one_address_share_the_bound():
    async with DoubleServer(models=("tiny", "other")) as server:
        backends = [
            OpenAIEndpoint(name, server.base_url, declared=DECLARED, concurrency=2, clock=time.time)
            for name in ("tiny", "other")
        ]
        for backend in backends:
            await backend.start()
        server.then(*[double.slow(0.01)] * 12)
        asked = [backend.generate(request(k)) for k in range(6) for backend in backends]
        await asyncio.gather(*asked)
        for backend in backends:
            await backend.close()
    assert server.most_in_flight == 2
