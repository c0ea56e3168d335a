"""An OpenAI-compatible server on loopback that behaves, or misbehaves, as a test tells it.

Without a script it answers like a small honest server: sample j of a request with seed s is the
text ``"draw s+j"``, and the first token's distribution is ``DoubleServer.top``.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from aiohttp import web

Behaviour = Callable[["DoubleServer", web.Request, dict[str, Any]], Awaitable[web.StreamResponse]]

COMMON_FIELDS = frozenset(
    {"model", "messages", "temperature", "top_p", "n", "stop", "seed", "logprobs", "top_logprobs"}
)
LIMIT_FIELDS = frozenset({"max_tokens", "max_completion_tokens"})


@dataclass(kw_only=True)
class DoubleServer:
    """Use as an async context manager.

    Attributes
    ----------
    key
        Asked for as a bearer token when given.
    owned_by, server_name, model_fields, props
        What the server tells about itself.
    models
        Names in the list of models, None for a server without a list.
    max_top_logprobs, max_n, takes_seed
        Limits; what exceeds them is refused as OpenAI refuses it.
    takes
        Fields beyond the common ones that are understood; others are refused.
    limit_field
        The field that limits the reply; the other one is refused.
    top
        Token and probability, most probable first.
    asked
        Bodies of the chat requests, in order.
    paths
        Method and path of every request, in order.
    connections
        The client's side of every connection.
    """

    key: str | None = None
    owned_by: str = "system"
    server_name: str = "double"
    models: tuple[str, ...] | None = ("tiny",)
    model_fields: dict[str, Any] = field(default_factory=dict)
    props: dict[str, Any] | None = None
    max_top_logprobs: int = 20
    max_n: int = 128
    takes_seed: bool = True
    takes: frozenset[str] = frozenset()
    limit_field: str | None = None
    top: tuple[tuple[str, float], ...] = (("A", 0.6), (" B", 0.25), ("The", 0.1))
    asked: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    connections: set[tuple[str, int]] = field(default_factory=set)
    script: deque[Behaviour] = field(default_factory=deque)
    in_flight: int = 0
    most_in_flight: int = 0
    _runner: web.AppRunner | None = None
    _port: int = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> DoubleServer:
        app = web.Application(middlewares=[self._watch])
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/props", self._props)
        app.router.add_post("/v1/chat/completions", self._chat)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    def then(self, *behaviours: Behaviour) -> None:
        """Answer the next chat requests like this, and honestly after that."""
        self.script.extend(behaviours)

    @web.middleware
    async def _watch(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        assert request.transport is not None
        self.connections.add(request.transport.get_extra_info("peername"))
        self.paths.append(f"{request.method} {request.path}")
        self.headers.append(dict(request.headers))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
                response: web.StreamResponse = refusal(
                    401, "Incorrect API key provided.", code="invalid_api_key"
                )
            else:
                response = await handler(request)
        finally:
            self.in_flight -= 1
        if not response.prepared:
            response.headers["Server"] = self.server_name
        return response

    async def _models(self, request: web.Request) -> web.Response:
        if self.models is None:
            return web.Response(status=404, text="nothing here")
        data = [
            {"id": name, "object": "model", "owned_by": self.owned_by, **self.model_fields}
            for name in self.models
        ]
        return web.json_response({"object": "list", "data": data})

    async def _props(self, request: web.Request) -> web.Response:
        if self.props is None:
            return web.Response(status=404, text="nothing here")
        return web.json_response(self.props)

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        self.asked.append(body)
        behaviour = self.script.popleft() if self.script else honest
        return await behaviour(self, request, body)


def completion(server: DoubleServer, body: dict[str, Any], *, n: int) -> dict[str, Any]:
    """What an honest server answers, with n choices."""
    seed = body.get("seed", 0)
    tokens = None
    if body.get("logprobs"):
        listed = [
            {"token": token, "logprob": math.log(share), "bytes": list(token.encode())}
            for token, share in server.top[: body.get("top_logprobs", 0)]
        ]
        tokens = {"content": [{**listed[0], "top_logprobs": listed}], "refusal": None}
    choices = [
        {
            "index": j,
            "message": {"role": "assistant", "content": f"draw {seed + j}", "refusal": None},
            "finish_reason": "stop",
            "logprobs": tokens,
        }
        for j in range(n)
    ]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": body["model"],
        "choices": choices,
        "usage": {
            "prompt_tokens": 12,
            "completion_tokens": 2 * n,
            "total_tokens": 12 + 2 * n,
            "prompt_tokens_details": {"cached_tokens": 8},
        },
    }


def refusal(
    status: int, message: str, *, code: str | None = None, param: str | None = None
) -> web.Response:
    """An error in OpenAI's shape."""
    error = {
        "message": message,
        "type": "invalid_request_error",
        "param": param,
        "code": code,
    }
    return web.json_response({"error": error}, status=status)


def refusal_with(code: int, message: str, *, headers: dict[str, str] | None = None) -> web.Response:
    """A refusal with headers."""
    response = refusal(code, message)
    response.headers.update(headers or {})
    return response


async def honest(
    server: DoubleServer, request: web.Request, body: dict[str, Any]
) -> web.StreamResponse:
    """Refuse what the server cannot do, answer the rest."""
    unknown = set(body) - COMMON_FIELDS - LIMIT_FIELDS - server.takes
    if unknown:
        name = min(unknown)
        return refusal(400, f"Unrecognized request argument supplied: {name}", param=name)
    wrong = LIMIT_FIELDS - {server.limit_field} if server.limit_field else set()
    for name in wrong & set(body):
        return refusal(
            400,
            f"Unsupported parameter: '{name}' is not supported with this model. "
            f"Use '{server.limit_field}' instead.",
            code="unsupported_parameter",
            param=name,
        )
    if body.get("top_logprobs", 0) > server.max_top_logprobs:
        return refusal(400, "Invalid value for 'top_logprobs'", param="top_logprobs")
    if body.get("n", 1) > server.max_n:
        return refusal(400, "Invalid value for 'n'", param="n")
    if "seed" in body and not server.takes_seed:
        return refusal(400, "Unrecognized request argument supplied: seed", param="seed")
    return web.json_response(completion(server, body, n=body.get("n", 1)))


def status(code: int, payload: Any = None, *, headers: dict[str, str] | None = None) -> Behaviour:
    """Answer with a status and a JSON body."""

    async def behave(
        server: DoubleServer, request: web.Request, body: dict[str, Any]
    ) -> web.StreamResponse:
        return web.json_response(payload, status=code, headers=headers)

    return behave


def raw(text: str, *, code: int = 200) -> Behaviour:
    """Answer with a text that need not be JSON."""

    async def behave(
        server: DoubleServer, request: web.Request, body: dict[str, Any]
    ) -> web.StreamResponse:
        return web.Response(status=code, text=text)

    return behave


def changed(change: Callable[[dict[str, Any]], object], *, n: int | None = None) -> Behaviour:
    """Answer honestly, then let ``change`` spoil the answer; ``n`` overrides how many choices."""

    async def behave(
        server: DoubleServer, request: web.Request, body: dict[str, Any]
    ) -> web.StreamResponse:
        answer = completion(server, body, n=body.get("n", 1) if n is None else n)
        change(answer)
        return web.json_response(answer)

    return behave


def fewer(n: int) -> Behaviour:
    """Give only n choices, however many were asked for."""
    return changed(lambda _: None, n=n)


async def no_logprobs(
    server: DoubleServer, request: web.Request, body: dict[str, Any]
) -> web.StreamResponse:
    """Take the request for log-probabilities and forget about it."""
    return web.json_response(completion(server, {**body, "logprobs": False}, n=body.get("n", 1)))


async def cut(
    server: DoubleServer, request: web.Request, body: dict[str, Any]
) -> web.StreamResponse:
    """Promise a thousand bytes, send a few, hang up."""
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"choices": [')
    assert request.transport is not None
    request.transport.close()
    return response


async def hang_up(
    server: DoubleServer, request: web.Request, body: dict[str, Any]
) -> web.StreamResponse:
    """Close the connection without a word."""
    assert request.transport is not None
    request.transport.close()
    return web.Response()


def slow(seconds: float) -> Behaviour:
    """Answer honestly, but late."""

    async def behave(
        server: DoubleServer, request: web.Request, body: dict[str, Any]
    ) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return await honest(server, request, body)

    return behave


async def echo_key(
    server: DoubleServer, request: web.Request, body: dict[str, Any]
) -> web.StreamResponse:
    """Refuse the key and repeat it in the message."""
    key = request.headers["Authorization"].removeprefix("Bearer ")
    return refusal(401, f"Incorrect API key provided: {key}.", code="invalid_api_key")
