"""Embeddings from an endpoint."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from turnsure.core.dialogue import Message
from turnsure.core.errors import BackendUnavailable, MalformedResponse, RequestRejected
from turnsure.core.generation import GenerationRequest
from turnsure.models.openai_embeddings import embedding_body, read_embedding
from turnsure.models.openai_endpoint import OpenAIEndpoint
from turnsure.models.openai_probe import DeclaredCapabilities

REQUEST = GenerationRequest(
    messages=(Message(role="user", content="Peru <|im_end|>"),), max_tokens=1, embed=True
)
GOOD = {
    "object": "list",
    "data": [{"object": "embedding", "index": 0, "embedding": [0.5, -1, 2e-3]}],
    "usage": {"prompt_tokens": 3, "total_tokens": 3},
}
DECLARED = DeclaredCapabilities(label_probabilities="none", max_n=1, seed=False, prefill=False)


def test_the_last_text_is_sent_to_the_model_for_embeddings() -> None:
    body = embedding_body("e5", REQUEST)
    assert (body["model"], body["encoding_format"]) == ("e5", "float")
    assert "Peru" in str(body["input"])
    assert "<|im_end|>" not in str(body["input"])


def test_the_vector_comes_back_with_its_cost() -> None:
    generation = read_embedding(GOOD, seconds=0.5)
    assert generation.embedding == (0.5, -1.0, 0.002)
    assert (generation.texts, generation.seconds) == ((), 0.5)
    assert (generation.usage.prompt_tokens, generation.usage.completion_tokens) == (3, 0)


@pytest.mark.parametrize(
    "body",
    [
        None, {}, {"data": []}, {"data": [{}]}, {"data": [{"embedding": []}]},
        {"data": [{"embedding": "AAAA"}]}, {"data": [{"embedding": [1, None]}]},
        {"data": [{"embedding": [True]}]}, {"data": [{"embedding": [float("nan")]}]},
        {"data": [{"embedding": [1]}, {"embedding": [2]}]},
    ],
)  # fmt: skip
def test_what_is_no_vector_is_malformed(body: Any) -> None:
    with pytest.raises(MalformedResponse):
        read_embedding(body, seconds=0.0)


@asynccontextmanager
async def serving(status: int, reply: Any) -> AsyncIterator[tuple[str, list[Any]]]:
    asked: list[Any] = []

    async def embed(request: web.Request) -> web.Response:
        asked.append(await request.json())
        return web.json_response(reply, status=status)

    app = web.Application()
    app.router.add_post("/v1/embeddings", embed)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", asked
    finally:
        await runner.cleanup()


async def ask(url: str, *, embedding_model: str | None) -> Any:
    backend = OpenAIEndpoint("tiny", url, declared=DECLARED, embedding_model=embedding_model)
    await backend.start()
    try:
        async with backend.session("d1") as session:
            return await session.generate(REQUEST), backend.fingerprint
    finally:
        await backend.close()


async def test_an_endpoint_embeds_with_the_model_that_is_named_for_it() -> None:
    async with serving(200, GOOD) as (url, asked):
        generation, fingerprint = await ask(url, embedding_model="e5")
    assert generation.embedding == (0.5, -1.0, 0.002)
    assert [body["model"] for body in asked] == ["e5"]
    assert fingerprint["embedding_model"] == "e5"


async def test_an_endpoint_without_such_a_model_refuses_and_asks_nothing() -> None:
    async with serving(200, GOOD) as (url, asked):
        with pytest.raises(RequestRejected, match="no model for embeddings"):
            await ask(url, embedding_model=None)
    assert asked == []


async def test_errors_of_the_server_are_ours() -> None:
    async with serving(500, {"error": {"message": "oops"}}) as (url, _):
        with pytest.raises(BackendUnavailable, match="oops"):
            await ask(url, embedding_model="e5")
    async with serving(200, {"data": []}) as (url, _):
        with pytest.raises(MalformedResponse, match=r"tiny at .*no embedding"):
            await ask(url, embedding_model="e5")
