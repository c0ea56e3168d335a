from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from aiohttp import web

from tests.support import http_server as double
from tests.support.http_server import DoubleServer
from turnsure.core.dialogue import Message
from turnsure.core.errors import (
    BackendError,
    BackendTimeout,
    BackendUnavailable,
    ContextOverflow,
    InputError,
    MalformedResponse,
    RateLimited,
    RequestRejected,
)
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.protocols import Backend, Capabilities
from turnsure.models.openai_endpoint import OpenAIEndpoint
from turnsure.models.openai_probe import DeclaredCapabilities

KEY = "sk-secret-4711"
NOW = datetime(2025, 3, 1, 12, 0, 0, tzinfo=UTC)
USER = (Message(role="user", content="Where?"),)
TEXT = GenerationRequest(messages=USER, max_tokens=8, temperature=1.0, seed=100)
PROBE = GenerationRequest(messages=USER, max_tokens=1, labels=("A", "B"))
DECLARED = DeclaredCapabilities(
    label_probabilities="top_k", max_top_logprobs=20, max_n=8, seed=True, prefill=False
)


def endpoint(server: DoubleServer, **changes: Any) -> OpenAIEndpoint:
    options: dict[str, Any] = {
        "declared": DECLARED, "timeout": 5.0, "now": lambda: NOW, "key_variable": "MY_KEY",
        **changes,
    }  # fmt: skip
    return OpenAIEndpoint(options.pop("model", "tiny"), server.base_url, **options)


@asynccontextmanager
async def started(server: DoubleServer, **changes: Any) -> AsyncIterator[OpenAIEndpoint]:
    backend = endpoint(server, **changes)
    await backend.start()
    try:
        yield backend
    finally:
        await backend.close()


async def ask(backend: Backend, request: GenerationRequest) -> Generation:
    async with backend.session("d1") as session:
        return await session.generate(request)


async def test_a_text_request_comes_back_with_usage_and_time() -> None:
    ticks = itertools.count()
    async with (
        DoubleServer() as server,
        started(server, clock=lambda: float(next(ticks))) as backend,
    ):
        generation = await ask(backend, TEXT)
    assert generation.texts == ("draw 100",)
    assert generation.finish_reasons == ("stop",)
    assert generation.usage.prompt_tokens == 12
    assert generation.usage.cached_tokens == 8
    assert generation.usage.completion_tokens == 2
    assert generation.seconds == 1.0
    assert server.paths == ["GET /v1/models", "POST /v1/chat/completions"]


async def test_a_label_request_comes_back_as_a_reading() -> None:
    async with DoubleServer() as server, started(server) as backend:
        reading = (await ask(backend, PROBE)).labels
    assert reading is not None
    assert reading.mass == {"A": pytest.approx(0.6), "B": pytest.approx(0.25)}
    assert reading.outside == {"The": pytest.approx(0.1)}
    assert server.asked[-1]["top_logprobs"] == 20


async def test_a_slash_at_the_end_of_the_address_does_not_matter() -> None:
    async with DoubleServer() as server:
        backend = OpenAIEndpoint("tiny", f"{server.base_url}/", declared=DECLARED)
        await backend.start()
        await ask(backend, TEXT)
        await backend.close()
        assert backend.fingerprint["base_url"] == server.base_url


async def test_a_text_comes_with_the_log_probabilities_that_were_asked_for() -> None:
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": "Peru"},
        "logprobs": {"content": [{"token": "Pe", "logprob": -0.5}, {"token": "ru", "logprob": 0}]},
    }
    async with DoubleServer() as server, started(server) as backend:
        server.then(double.status(200, {"choices": [choice]}))
        generation = await ask(backend, replace(TEXT, logprobs=True))
    assert [(one.token, one.logprob) for one in generation.token_logprobs[0]] == [
        ("Pe", -0.5), ("ru", 0.0),
    ]  # fmt: skip
    assert server.asked[-1]["logprobs"] is True


# --- samples ---------------------------------------------------------------------------------


async def test_more_samples_than_the_server_gives_are_several_requests_with_further_seeds() -> None:
    declared = DeclaredCapabilities(max_top_logprobs=0, max_n=3, seed=True, prefill=False)
    async with DoubleServer() as server, started(server, declared=declared) as backend:
        generation = await ask(backend, GenerationRequest(messages=USER, max_tokens=8, n=8))
    assert generation.texts == tuple(f"draw {j}" for j in range(8))
    assert generation.usage.prompt_tokens == 3 * 12
    assert sorted((body["seed"], body.get("n", 1)) for body in server.asked) == [
        (0, 3), (3, 3), (6, 2),
    ]  # fmt: skip


async def test_choices_that_are_left_out_are_asked_for_one_by_one() -> None:
    async with DoubleServer() as server, started(server) as backend:
        server.then(double.fewer(2))
        request = GenerationRequest(messages=USER, max_tokens=8, n=5, seed=100)
        generation = await ask(backend, request)
    assert generation.texts == tuple(f"draw {100 + j}" for j in range(5))
    assert (server.asked[0]["seed"], server.asked[0]["n"]) == (100, 5)
    assert sorted((body["seed"], body.get("n", 1)) for body in server.asked[1:]) == [
        (102, 1), (103, 1), (104, 1),
    ]  # fmt: skip


async def test_a_server_without_seeds_gets_none() -> None:
    declared = DeclaredCapabilities(max_top_logprobs=0, max_n=1, seed=False)
    async with DoubleServer() as server, started(server, declared=declared) as backend:
        await ask(backend, TEXT)
    assert "seed" not in server.asked[0]


async def test_one_failed_part_fails_the_request_with_its_own_error() -> None:
    declared = DeclaredCapabilities(max_top_logprobs=0, max_n=1, seed=True)
    async with DoubleServer() as server, started(server, declared=declared) as backend:
        server.then(double.honest, double.status(429, {}, headers={"Retry-After": "2"}))
        with pytest.raises(RateLimited) as caught:
            await ask(backend, GenerationRequest(messages=USER, max_tokens=8, n=3))
    assert caught.value.retry_after == 2.0


# --- misbehaviour ----------------------------------------------------------------------------


def error(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


@pytest.mark.parametrize(
    ("behaviour", "kind", "text"),
    [
        (double.status(429, error("slow down")), RateLimited, "slow down"),
        (double.status(500, error("oops")), BackendUnavailable, "HTTP 500: oops"),
        (double.raw("Bad Gateway", code=502), BackendUnavailable, "Bad Gateway"),
        (double.status(503, error("Loading model")), BackendUnavailable, "Loading model"),
        (double.raw("{not json"), MalformedResponse, "not JSON: {not json"),
        (double.raw(""), MalformedResponse, "not JSON"),
        (double.status(200, {"id": "x"}), MalformedResponse, "no choices"),
        (double.status(200, {"choices": []}), MalformedResponse, "no choices"),
        (double.status(200, error("upstream", code=502)), BackendUnavailable, "upstream"),
        (double.cut, BackendUnavailable, "no answer from"),
        (double.status(400, error("bad field")), RequestRejected, "bad field"),
        (double.status(404, error("no such model")), RequestRejected, "usually ends in /v1"),
        (
            double.status(307, None, headers={"Location": "http://127.0.0.1:9/v1"}),
            RequestRejected,
            "points to http://127.0.0.1:9/v1",
        ),
        (
            double.status(400, error("too long", type="exceed_context_size_error")),
            ContextOverflow,
            "does not fit",
        ),
    ],
)
async def test_misbehaviour_becomes_a_typed_error_and_the_next_request_works(
    behaviour: double.Behaviour, kind: type[BackendError], text: str
) -> None:
    async with DoubleServer() as server, started(server) as backend:
        server.then(behaviour)
        with pytest.raises(kind, match=text.replace("{", r"\{")) as caught:
            await ask(backend, TEXT)
        assert type(caught.value) is kind
        assert "\n" not in str(caught.value)
        assert len(server.asked) == 1  # asking again is for the engine to decide
        assert (await ask(backend, TEXT)).texts == ("draw 100",)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("2", 2.0), ("Sat, 01 Mar 2025 12:01:00 GMT", 60.0)],
)
@pytest.mark.parametrize("code", [429, 503])
async def test_retry_after(code: int, header: str, seconds: float) -> None:
    async with DoubleServer() as server, started(server) as backend:
        server.then(double.status(code, error("later"), headers={"Retry-After": header}))
        with pytest.raises(RateLimited) as caught:
            await ask(backend, TEXT)
    assert caught.value.retry_after == seconds


async def test_a_slow_reply_times_out() -> None:
    async with DoubleServer() as server, started(server, timeout=0.25) as backend:
        server.then(double.slow(0.5))
        with pytest.raises(BackendTimeout, match=r"no answer in 0\.25 s"):
            await ask(backend, TEXT)


@pytest.mark.parametrize("content", ["", None])
async def test_an_empty_reply_is_an_empty_text(content: str | None) -> None:
    def empty(answer: dict[str, Any]) -> None:
        answer["choices"][0]["message"]["content"] = content

    async with DoubleServer() as server, started(server) as backend:
        server.then(double.changed(empty))
        assert (await ask(backend, TEXT)).texts == ("",)


async def test_a_refusal_is_rejected() -> None:
    def refuse(answer: dict[str, Any]) -> None:
        answer["choices"][0]["message"] |= {"content": None, "refusal": "I won't."}

    async with DoubleServer() as server, started(server) as backend:
        server.then(double.changed(refuse))
        with pytest.raises(RequestRejected, match=r"tiny at .* refused to answer: I won't"):
            await ask(backend, TEXT)


async def test_missing_logprobs_are_malformed() -> None:
    async with DoubleServer() as server, started(server) as backend:
        server.then(double.no_logprobs)
        with pytest.raises(MalformedResponse, match=r"tiny at .*no log-probabilities"):
            await ask(backend, PROBE)


async def test_nobody_at_the_address() -> None:
    async with DoubleServer() as server:
        backend = endpoint(server)
    with pytest.raises(BackendUnavailable, match=r"no answer from http://127\.0\.0\.1"):
        await backend.start()
    await backend.close()


# --- the key ---------------------------------------------------------------------------------


async def test_the_key_is_sent_and_shown_nowhere() -> None:
    async with DoubleServer(key=KEY) as server, started(server, api_key=KEY) as backend:
        assert (await ask(backend, TEXT)).texts == ("draw 100",)
        server.then(double.echo_key)
        with pytest.raises(RequestRejected, match=r"provided: \[key\]\.") as caught:
            await ask(backend, TEXT)
        assert "MY_KEY" in str(caught.value)
        shown = [repr(backend), str(backend), backend.name, json.dumps(dict(backend.fingerprint))]
        assert not any(KEY in text for text in [*shown, str(caught.value), repr(caught.value)])


@pytest.mark.parametrize("key", [None, "sk-wrong"])
async def test_a_wrong_key_ends_the_start_and_names_the_variable(key: str | None) -> None:
    async with DoubleServer(key=KEY) as server:
        backend = endpoint(server, api_key=key)
        with pytest.raises(RequestRejected, match=r"HTTP 401: .*it is read from MY_KEY"):
            await backend.start()


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "schlüssel"])
async def test_an_impossible_key_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(InputError) as caught:
        OpenAIEndpoint("m", "http://host/v1", api_key=key)
    assert not key or key not in str(caught.value)


# --- addresses and settings ------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "", "localhost:8000/v1", "ftp://host/v1", "file:///etc/passwd", "http://", "http:///v1",
        "http://host/v1?key=1", "http://host/v1#x", "http://ho st/v1", "http://[::1/v1",
        "http://host:99999/v1", "https://user:pass@host/v1", "https://token@host/v1",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="base_url") as caught:
        OpenAIEndpoint("m", url)
    assert "pass" not in str(caught.value).replace("password", "").replace("/etc/passwd", "")


@pytest.mark.parametrize(
    "changes",
    [{"timeout": 0.0}, {"concurrency": 0}, {"dialect": "klingon"}, {"model": "  "}],
)
def test_settings_are_checked(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(changes))):
        OpenAIEndpoint(**{"model": "m", "base_url": "http://host/v1", **changes})


# --- start, capabilities, fingerprint --------------------------------------------------------


async def test_capabilities_are_found_out_with_one_request() -> None:
    async with DoubleServer() as server:
        server.top = tuple((f"t{k}", 0.04) for k in range(30))
        async with started(server, declared=None) as backend:
            assert backend.capabilities == Capabilities(
                label_probabilities="top_k",
                max_top_logprobs=20,
                max_n=20,
                seed=True,
                prefill=False,
                ordered=False,
                tools=True,
            )
    assert server.paths == ["GET /v1/models", "POST /v1/chat/completions"]
    assert server.asked[0]["max_tokens"] == 1


async def test_limits_are_found_out() -> None:
    async with DoubleServer(max_top_logprobs=5, max_n=4, takes_seed=False) as server:
        server.top = tuple((f"t{k}", 0.04) for k in range(30))
        async with started(server, declared=None) as backend:
            found = backend.capabilities
            await ask(backend, TEXT)
            await ask(backend, PROBE)
    assert (found.max_top_logprobs, found.max_n, found.seed) == (5, 2, False)
    assert "seed" not in server.asked[-2]
    assert server.asked[-1]["top_logprobs"] == 5


async def test_impossible_logprobs_are_malformed() -> None:
    async with DoubleServer(top=(("A", 3.0),)) as server, started(server) as backend:
        with pytest.raises(MalformedResponse, match=r"tiny at .*'A' has the log-probability 1\.09"):
            await ask(backend, PROBE)


async def test_the_newer_limit_field_is_learned_once() -> None:
    newer = "max_completion_tokens"
    async with DoubleServer(limit_field=newer) as server, started(server) as backend:
        assert (await ask(backend, TEXT)).texts == ("draw 100",)
        await ask(backend, TEXT)
    fields = ["max_tokens" if "max_tokens" in body else "newer" for body in server.asked]
    assert fields == ["max_tokens", "newer", "newer"]


async def test_a_server_that_refuses_even_a_plain_request_says_why() -> None:
    async with DoubleServer() as server:
        refused = double.status(400, error("temperature must be 1"))
        server.then(*[refused] * 20)
        backend = endpoint(server, declared=None)
        with pytest.raises(RequestRejected, match="temperature must be 1"):
            await backend.start()
        await backend.close()


@pytest.mark.parametrize("status", [429, 500])
async def test_trouble_while_finding_out_is_not_taken_for_a_missing_capability(status: int) -> None:
    async with DoubleServer() as server:
        server.then(double.status(status, error("trouble")))
        with pytest.raises(BackendError, match="trouble"):
            await endpoint(server, declared=None).start()
    assert len(server.asked) == 1


async def test_an_unknown_model_is_an_input_error_with_names() -> None:
    async with DoubleServer(models=("tiny", "small")) as server:
        with pytest.raises(InputError, match=r"no model 'tinny' .expected one of tiny, small"):
            await endpoint(server, model="tinny").start()


async def test_a_server_without_a_list_of_models_will_do() -> None:
    async with DoubleServer(models=None) as server, started(server, model="any") as backend:
        assert (await ask(backend, TEXT)).texts == ("draw 100",)


@pytest.mark.parametrize(
    ("owner", "dialect", "extra"),
    [
        ("vllm", "vllm", {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}),
        ("sglang", "sglang", {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}),
        ("library", "ollama", {}),
        ("openai", "openai", {}),
    ],
)
async def test_the_dialect_is_recognised_and_part_of_the_fingerprint(
    owner: str, dialect: str, extra: dict[str, float]
) -> None:
    fields = {"max_model_len": 4096}
    double_server = DoubleServer(owned_by=owner, model_fields=fields, takes=frozenset(extra))
    async with double_server as server, started(server) as backend:
        await ask(backend, TEXT)
        assert backend.fingerprint["dialect"] == dialect
        assert json.loads(backend.fingerprint["sampling"]) == {"top_p": 1.0, **extra}
        assert backend.capabilities.max_context == 4096
    assert {name: server.asked[0][name] for name in extra} == extra


async def test_llama_cpp_is_recognised_by_its_header_and_read_from_its_props() -> None:
    props = {"default_generation_settings": {"n_ctx": 2048}, "total_slots": 4, "build_info": "b1"}
    takes = frozenset({"top_k", "min_p", "repeat_penalty", "grammar"})
    async with DoubleServer(server_name="llama.cpp", props=props, takes=takes) as server:
        server.max_top_logprobs, server.max_n = 1000, 4
        server.top = tuple((f"t{k}", 0.005) for k in range(150))
        async with started(server, declared=None, model="any name") as backend:
            found = backend.capabilities
            assert backend.fingerprint["build"] == "b1"
    assert (found.max_top_logprobs, found.max_n, found.max_context) == (100, 4, 2048)
    assert found.prefill
    assert server.paths == ["GET /v1/models", "GET /props", "POST /v1/chat/completions"]


async def test_llama_cpp_that_hides_its_props_is_tried_out() -> None:
    takes = frozenset({"top_k", "min_p", "repeat_penalty", "grammar"})
    hiding = DoubleServer(owned_by="llamacpp", takes=takes, max_n=2)
    async with hiding as server, started(server, declared=None) as backend:
        assert backend.capabilities.max_n == 2
        assert backend.capabilities.max_context is None
    assert server.paths[1] == "GET /props"


async def test_a_second_start_does_nothing() -> None:
    async with DoubleServer() as server, started(server) as backend:
        await backend.start()
    assert server.paths == ["GET /v1/models"]


async def test_a_named_dialect_is_believed() -> None:
    takes = frozenset({"top_k", "min_p", "repetition_penalty"})
    async with DoubleServer(takes=takes) as server, started(server, dialect="vllm") as backend:
        await ask(backend, TEXT)
    assert server.asked[0]["top_k"] == -1


async def test_the_fingerprint_is_the_same_every_time() -> None:
    async with DoubleServer() as server:
        async with started(server, declared=None) as first:
            one = dict(first.fingerprint)
        async with started(server, declared=None) as second:
            assert dict(second.fingerprint) == one


async def test_before_start_and_after_close_there_is_a_clear_error() -> None:
    async with DoubleServer() as server:
        backend = endpoint(server)
        with pytest.raises(BackendUnavailable, match="was not started"):
            _ = backend.capabilities
        with pytest.raises(BackendUnavailable, match="was not started"):
            await ask(backend, TEXT)
        await backend.start()
        await backend.close()
        await backend.close()
        with pytest.raises(BackendUnavailable, match="no connection"):
            await ask(backend, TEXT)
        await backend.start()
        assert (await ask(backend, TEXT)).texts == ("draw 100",)
        await backend.close()


async def test_what_the_server_cannot_do_is_not_sent() -> None:
    declared = DeclaredCapabilities(label_probabilities="none", max_n=1, seed=False, prefill=False)
    begun = (*USER, Message(role="assistant", content="**"))
    async with DoubleServer() as server, started(server, declared=declared) as backend:
        with pytest.raises(RequestRejected, match="gives no log-probabilities"):
            await ask(backend, PROBE)
        with pytest.raises(RequestRejected, match="continue a reply"):
            await ask(backend, GenerationRequest(messages=begun, max_tokens=4))
    assert server.asked == []


# --- connections -----------------------------------------------------------------------------


async def test_connections_are_kept_alive() -> None:
    async with DoubleServer() as server, started(server, concurrency=4) as backend:
        for _ in range(20):
            await ask(backend, TEXT)
        assert len(server.connections) == 1
        await asyncio.gather(*(ask(backend, TEXT) for _ in range(200)))
        assert len(server.connections) <= 4
    assert len(server.asked) == 220


async def test_requests_in_flight_are_bounded() -> None:
    async with DoubleServer() as server, started(server, concurrency=3) as backend:
        server.then(*[double.slow(0.01)] * 12)
        await asyncio.gather(*(ask(backend, TEXT) for _ in range(12)))
    assert server.most_in_flight == 3


async def test_waiting_for_a_free_connection_does_not_count_as_time_of_the_request() -> None:
    async with DoubleServer() as server, started(server, concurrency=1, timeout=0.4) as backend:
        server.then(*[double.slow(0.12)] * 4)
        generations = await asyncio.gather(*(ask(backend, TEXT) for _ in range(4)))
    assert len(generations) == 4


async def test_a_request_given_up_frees_its_connection() -> None:
    arrived = asyncio.Event()

    async def never(server: DoubleServer, request: web.Request, body: Any) -> web.StreamResponse:
        arrived.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with DoubleServer() as server, started(server, concurrency=1) as backend:
        server.then(never)
        task = asyncio.create_task(ask(backend, TEXT))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await ask(backend, TEXT)).texts == ("draw 100",)


def test_naming_the_endpoint_does_not_load_the_http_library() -> None:
    code = "import sys, turnsure.models.openai_endpoint; sys.exit('aiohttp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
