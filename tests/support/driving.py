"""Small requests, flows and engines for tests of the engine."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from turnsure.core.dialogue import Message
from turnsure.core.generation import GenerationRequest
from turnsure.engine.drive import Engine


def request(text: str, **changes: object) -> GenerationRequest:
    plain = GenerationRequest(messages=(Message(role="user", content=text),), max_tokens=5)
    return replace(plain, **changes)


def ask_each(*steps):
    replies = []
    for step in steps:
        replies += yield step
    return replies


def upper(asked: GenerationRequest) -> str:
    return asked.messages[0].content.upper()


def engine(backend, store, **changes):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    made = Engine(backend=backend, store=store, sleep=sleep, jitter=lambda: 0.0, **changes)
    return made, waits


class Crowd:
    """Counts requests in flight: how many at most were on their way at once."""

    def __init__(self) -> None:
        self.running = self.most = 0

    async def __call__(self, asked: GenerationRequest) -> None:
        """The latency of a scripted model."""
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.002)
        self.running -= 1
