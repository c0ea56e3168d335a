"""The double server against the ``openai`` package, a client that is not ours.

What that client understands as completion or as error is what the servers we imitate send.
"""

from __future__ import annotations

import math
from typing import Any

import openai
import pytest

from tests.support import http_server as double
from tests.support.http_server import DoubleServer

MESSAGES: Any = [{"role": "user", "content": "Where?"}]


def client(server: DoubleServer, key: str = "sk-1", **options: Any) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=server.base_url, api_key=key, max_retries=0, **options)


async def test_a_completion_is_understood() -> None:
    async with DoubleServer(key="sk-1") as server, client(server) as sdk:
        completion = await sdk.chat.completions.create(
            model="tiny", messages=MESSAGES, n=2, seed=5, max_tokens=8, temperature=1.0
        )
    assert [choice.message.content for choice in completion.choices] == ["draw 5", "draw 6"]
    assert [choice.finish_reason for choice in completion.choices] == ["stop", "stop"]
    assert completion.usage is not None
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (12, 4)
    assert completion.usage.prompt_tokens_details is not None
    assert completion.usage.prompt_tokens_details.cached_tokens == 8


async def test_logprobs_are_understood() -> None:
    async with DoubleServer() as server, client(server) as sdk:
        completion = await sdk.chat.completions.create(
            model="tiny", messages=MESSAGES, max_tokens=1, logprobs=True, top_logprobs=2
        )
    logprobs = completion.choices[0].logprobs
    assert logprobs is not None
    assert logprobs.content is not None
    first = logprobs.content[0]
    assert [item.token for item in first.top_logprobs] == ["A", " B"]
    assert math.exp(first.top_logprobs[1].logprob) == pytest.approx(0.25)


async def test_the_list_of_models_is_understood() -> None:
    async with DoubleServer(models=("a", "b")) as server, client(server) as sdk:
        assert [model.id async for model in sdk.models.list()] == ["a", "b"]


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (double.status(429, {"error": {"message": "slow down"}}), openai.RateLimitError),
        (double.status(500, {"error": {"message": "oops"}}), openai.InternalServerError),
        (double.echo_key, openai.AuthenticationError),
        (double.cut, openai.APIConnectionError),
        (double.hang_up, openai.APIConnectionError),
    ],
)
async def test_misbehaviour_is_understood(
    behaviour: double.Behaviour, kind: type[Exception]
) -> None:
    async with DoubleServer() as server, client(server) as sdk:
        server.then(behaviour)
        with pytest.raises(kind):
            await sdk.chat.completions.create(model="tiny", messages=MESSAGES, max_tokens=8)


async def test_a_slow_reply_is_understood() -> None:
    async with DoubleServer() as server, client(server, timeout=0.1) as sdk:
        server.then(double.slow(0.3))
        with pytest.raises(openai.APITimeoutError):
            await sdk.chat.completions.create(model="tiny", messages=MESSAGES, max_tokens=8)


@pytest.mark.parametrize(
    ("limits", "fields", "param"),
    [
        ({"max_n": 2}, {"n": 3}, "n"),
        ({"max_top_logprobs": 5}, {"logprobs": True, "top_logprobs": 6}, "top_logprobs"),
        ({"takes_seed": False}, {"seed": 1}, "seed"),
        ({}, {"extra_body": {"top_k": 0}}, "top_k"),
        ({"limit_field": "max_completion_tokens"}, {"max_tokens": 8}, "max_tokens"),
    ],
)
async def test_what_exceeds_a_limit_is_refused_as_a_bad_request(
    limits: dict[str, Any], fields: dict[str, Any], param: str
) -> None:
    async with DoubleServer(**limits) as server, client(server) as sdk:
        with pytest.raises(openai.BadRequestError) as caught:
            await sdk.chat.completions.create(model="tiny", messages=MESSAGES, **fields)
    assert caught.value.param == param


async def test_a_wrong_key_is_refused() -> None:
    async with DoubleServer(key="sk-1") as server, client(server, key="sk-2") as sdk:
        with pytest.raises(openai.AuthenticationError):
            await sdk.chat.completions.create(model="tiny", messages=MESSAGES)
