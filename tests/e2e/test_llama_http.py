"""The endpoint against a real server: llama.cpp with SmolLM2, over HTTP on loopback."""

from __future__ import annotations

import math
import os
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import openai
import pytest

import tests.support.llama_server
from turnsure.core.dialogue import Message
from turnsure.core.errors import ContextOverflow, RequestRejected
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.models.openai_endpoint import OpenAIEndpoint

pytestmark = pytest.mark.model

CLUES = "I think of a country in Europe. Its capital is Paris. Which one is it?"
QUESTION = (
    f"{CLUES}\n\nProposed Answer: France\n\nThe proposed answer is:\nA. True\nB. False\n\n"
    "Reply with **A** or **B** alone (one capital letter, without punctuation or explanation):"
)


@dataclass(frozen=True)
class Address:
    url: str
    key: str


@pytest.fixture(scope="module")
def address(smollm2_path: Path) -> Iterator[Address]:
    key = secrets.token_urlsafe(16)
    server = subprocess.Popen(
        [sys.executable, tests.support.llama_server.__file__, str(smollm2_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "LLAMA_KEY": key},
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        url = server.stdout.readline().decode().strip()
        assert url.startswith("http://127.0.0.1:"), "the server did not start"
        yield Address(url=f"{url}/v1", key=key)
    finally:
        server.kill()
        server.wait()
        server.stdin.close()
        server.stdout.close()


@pytest.fixture
async def backend(address: Address) -> AsyncIterator[OpenAIEndpoint]:
    endpoint = OpenAIEndpoint("smollm2", address.url, api_key=address.key)
    await endpoint.start()
    yield endpoint
    await endpoint.close()


def user(text: str) -> tuple[Message, ...]:
    return (Message(role="user", content=text),)


async def ask(backend: OpenAIEndpoint, request: GenerationRequest) -> Generation:
    async with backend.session("d1") as session:
        return await session.generate(request)


async def test_what_is_found_out(backend: OpenAIEndpoint) -> None:
    found = backend.capabilities
    assert backend.fingerprint["dialect"] == "llama.cpp"
    assert backend.fingerprint["n_params"] == "134515008"
    assert (found.label_probabilities, found.max_top_logprobs) == ("top_k", 100)
    assert (found.max_n, found.max_context) == (4, 2048)
    assert found.seed
    assert found.prefill


async def test_a_greedy_text_is_the_same_twice(backend: OpenAIEndpoint) -> None:
    request = GenerationRequest(messages=user(CLUES), max_tokens=24)
    first, second = await ask(backend, request), await ask(backend, request)
    assert first.texts == second.texts
    assert first.texts[0].strip()
    assert first.usage.prompt_tokens is not None
    assert second.usage.cached_tokens == first.usage.prompt_tokens - 1
    assert first.seconds > 0


async def test_seeded_samples_differ_from_one_another_and_come_back_equal(
    backend: OpenAIEndpoint,
) -> None:
    request = GenerationRequest(messages=user(CLUES), max_tokens=12, temperature=1.0, n=4, seed=7)
    first, second = await ask(backend, request), await ask(backend, request)
    assert len(set(first.texts)) > 1
    assert first.texts == second.texts


async def test_more_samples_than_slots_are_drawn_in_several_requests(
    backend: OpenAIEndpoint,
) -> None:
    request = GenerationRequest(messages=user(CLUES), max_tokens=4, temperature=1.0, n=6)
    assert len((await ask(backend, request)).texts) == 6


async def test_a_label_probe_puts_much_of_its_mass_on_the_labels(backend: OpenAIEndpoint) -> None:
    request = GenerationRequest(messages=user(QUESTION), max_tokens=1, labels=("A", "B"))
    reading = (await ask(backend, request)).labels
    assert reading is not None
    assert reading.total > 0.3
    assert reading.truncated == ()
    assert reading.n_top == 100
    assert 0.0 < reading.probability("A") < 1.0


async def test_a_begun_reply_is_continued_and_not_repeated(backend: OpenAIEndpoint) -> None:
    begun = (*user("Count from one to five."), Message(role="assistant", content="1, 2, 3,"))
    text = (await ask(backend, GenerationRequest(messages=begun, max_tokens=6))).texts[0]
    assert text.strip().startswith("4")
    begun = (*user(QUESTION), Message(role="assistant", content="**"))
    request = GenerationRequest(messages=begun, max_tokens=1, labels=("A", "B"))
    reading = (await ask(backend, request)).labels
    assert reading is not None
    assert reading.total > 0.3


async def test_a_wrong_key_is_rejected(address: Address) -> None:
    endpoint = OpenAIEndpoint("smollm2", address.url, api_key="wrong", key_variable="MY_KEY")
    with pytest.raises(RequestRejected, match=r"HTTP 401: Invalid API Key .*read from MY_KEY"):
        await endpoint.start()


async def test_a_prompt_that_does_not_fit_is_told_with_both_sizes(backend: OpenAIEndpoint) -> None:
    request = GenerationRequest(messages=user("word " * 3000), max_tokens=1)
    with pytest.raises(ContextOverflow, match=r"\b30\d\d\b.*\b2048\b"):
        await ask(backend, request)
    assert (await ask(backend, GenerationRequest(messages=user("Hi"), max_tokens=1))).texts


async def test_an_independent_client_reads_the_same_label_probabilities(
    backend: OpenAIEndpoint, address: Address
) -> None:
    request = GenerationRequest(messages=user(QUESTION), max_tokens=1, labels=("A", "B"))
    reading = (await ask(backend, request)).labels
    assert reading is not None
    async with openai.AsyncOpenAI(
        base_url=address.url, api_key=address.key, max_retries=0
    ) as client:
        completion = await client.chat.completions.create(
            model="smollm2",
            messages=[{"role": "user", "content": QUESTION}],
            max_tokens=1,
            temperature=0.0,
            logprobs=True,
            top_logprobs=20,
        )
    logprobs = completion.choices[0].logprobs
    assert logprobs is not None
    assert logprobs.content is not None
    shares = {item.token: math.exp(item.logprob) for item in logprobs.content[0].top_logprobs}
    # Ours also sums variants such as "**A**", which add next to nothing.
    assert reading.mass["A"] == pytest.approx(shares["A"], abs=0.01)
    assert reading.mass["B"] == pytest.approx(shares["B"], abs=0.01)
