"""In which order an endpoint wants to be asked, and what it tells llama.cpp about it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from tests.support.http_server import DoubleServer
from turnsure.core.dialogue import Message
from turnsure.core.generation import GenerationRequest
from turnsure.models.openai_endpoint import OpenAIEndpoint
from turnsure.models.openai_probe import DeclaredCapabilities

TEXT = GenerationRequest(messages=(Message(role="user", content="Where?"),), max_tokens=8)
PROPS = {"default_generation_settings": {"n_ctx": 2048}, "total_slots": 4, "build_info": "b1"}


@asynccontextmanager
async def started(server: DoubleServer, **changes: Any) -> AsyncIterator[OpenAIEndpoint]:
    declared = DeclaredCapabilities(
        max_top_logprobs=20, max_n=changes.pop("max_n", 4), seed=True, prefill=False
    )
    backend = OpenAIEndpoint("tiny", server.base_url, declared=declared, **changes)
    await backend.start()
    try:
        yield backend
    finally:
        await backend.close()


def llama() -> DoubleServer:
    fields = {"top_k", "min_p", "repeat_penalty", "grammar", "cache_prompt"}
    return DoubleServer(server_name="llama.cpp", props=PROPS, takes=frozenset(fields))


async def test_one_dialogue_fills_the_slots_of_llama_cpp() -> None:
    async with llama() as server, started(server) as backend:
        found = backend.capabilities
        await backend.generate(TEXT)
    assert (found.ordered, found.lanes, found.conversations) == (True, 1, 4)
    assert "cache_prompt" not in server.asked[-1]
    assert "schedule" not in backend.fingerprint


async def test_with_fewer_samples_at_once_there_is_room_for_more_dialogues() -> None:
    async with llama() as server, started(server, max_n=2) as backend:
        assert backend.capabilities.lanes == 2


async def test_deterministic_means_one_at_a_time_and_nothing_cached() -> None:
    async with llama() as server, started(server, max_n=1, deterministic=True) as backend:
        await backend.generate(TEXT)
    found = backend.capabilities
    assert (found.ordered, found.lanes, found.conversations) == (True, 1, 1)
    assert server.asked[-1]["cache_prompt"] is False
    assert "one request at a time" in backend.fingerprint["schedule"]


async def test_any_server_can_be_asked_one_at_a_time() -> None:
    samples = replace(TEXT, n=5, temperature=1.0)
    async with DoubleServer() as server, started(server, max_n=1, deterministic=True) as backend:
        await backend.generate(samples)
    assert (backend.capabilities.ordered, backend.capabilities.lanes) == (True, 1)
    assert len(server.asked) == 5
    assert server.most_in_flight == 1
    assert "cache_prompt" not in server.asked[-1]
