"""An OpenAI-compatible endpoint that echoes who asked, and fails at random when it is told to."""

from __future__ import annotations

import asyncio
import json
import math
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from aiohttp import web

from tests.support.gates import share

_NAME = re.compile(r"of (\w+)\.")


@dataclass(kw_only=True)
class ChatUpstream:
    """Use as an async context manager.

    The reply to ``Clue 1 of x17.`` is ``\\boxed{x17}`` with the id ``chatcmpl-x17``, and P(A) of a
    label probe about it is ``share("x17")``: what reaches a client can be told to be its own.

    Attributes
    ----------
    failing
        The share of requests that fail, once it is set.
    probes_fail
        Whether label probes are refused.
    reply
        What is put over the honest reply.
    raw
        A text in place of the reply.
    delay
        Seconds before each chat reply.
    answered
        How often a whole reply went out, by name.
    asked, headers, header_names, arrived
        Bodies and headers of chat requests that are no label probes, with the name of every header
        as often as it came, and whether there was one.
    n_probes, failures
        Counts of label probes, and of failures by kind.
    """

    failing: float = 0.0
    probes_fail: bool = False
    seed: int = 0
    reply: dict[str, Any] = field(default_factory=dict)
    raw: str | None = None
    delay: float = 0.0
    answered: Counter[str] = field(default_factory=Counter)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    header_names: list[list[str]] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    n_probes: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    _runner: web.AppRunner | None = None

    async def __aenter__(self) -> ChatUpstream:
        self._random = random.Random(self.seed)
        app = web.Application()
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/chat/completions", self._chat)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        assert self._runner is not None
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "tiny", "object": "model"}]})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        names = _NAME.findall(json.dumps(body["messages"]))
        name = names[-1] if names else "nobody"
        is_probe = bool(body.get("logprobs"))
        if not is_probe:
            self.asked.append(body)
            self.headers.append(dict(request.headers))
            self.header_names.append(list(request.headers))
            self.arrived.set()
        self.n_probes += is_probe
        await asyncio.sleep(self.delay)
        if self._random.random() < self.failing:
            return await self._fail(request)
        if is_probe and self.probes_fail:
            return web.json_response({"error": {"message": self.base_url}}, status=500)
        if is_probe:
            return web.json_response(_probed(name))
        self.answered[name] += 1
        if body.get("stream"):
            return await self._stream(request, name)
        if self.raw is not None:
            return web.Response(text=self.raw)
        whole = completion(name, n=body.get("n", 1))
        return web.json_response({**whole, **self.reply}, headers={"x-request-id": name})

    async def _fail(self, request: web.Request) -> web.StreamResponse:
        kind = self._random.choice(("500", "429", "hang_up", "cut"))
        self.failures[kind] += 1
        assert request.transport is not None
        if kind == "hang_up":
            request.transport.close()
            return web.Response()
        if kind == "cut":
            response = web.StreamResponse(headers={"Content-Length": "1000"})
            await response.prepare(request)
            await response.write(b'{"choices": [')
            request.transport.close()
            return response
        headers = {"Retry-After": "0"} if kind == "429" else {}
        error = {"message": f"made up {kind}", "type": "made_up"}
        return web.json_response({"error": error}, status=int(kind), headers=headers)

    async def _stream(self, request: web.Request, name: str) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in events(name):
            await response.write(event)
        return response


def completion(name: str, *, n: int = 1) -> dict[str, Any]:
    """A whole reply."""
    return {
        "id": f"chatcmpl-{name}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "tiny",
        "choices": [
            {
                "index": j,
                "message": {"role": "assistant", "content": rf"\boxed{{{name}}}"},
                "finish_reason": "stop",
            }
            for j in range(n)
        ],
        "usage": {"prompt_tokens": 12, "completion_tokens": 2, "total_tokens": 14},
    }


def events(name: str) -> list[bytes]:
    """The same in pieces, with a comment and odd line ends."""
    frame = {
        "id": f"chatcmpl-{name}", "object": "chat.completion.chunk", "created": 1, "model": "tiny",
    }  # fmt: skip

    def piece(delta: dict[str, Any], end: bytes = b"\n\n") -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        return b"data: " + json.dumps({**frame, "choices": [choice]}).encode() + end

    return [
        b": keep-alive\n\n",
        piece({"role": "assistant", "content": ""}),
        piece({"content": r"\boxed{"}, b"\r\n\r\n"),
        piece({"content": f"{name}}}"}),
        b"data: [DONE]\n\n",
    ]


def _probed(name: str) -> dict[str, Any]:
    sure = share(name)
    listed = [
        {"token": token, "logprob": math.log(mass), "bytes": list(token.encode())}
        for token, mass in sorted({"A": sure, "B": 1 - sure}.items(), key=lambda one: -one[1])
    ]
    whole = completion(name)
    whole["choices"][0]["logprobs"] = {"content": [{**listed[0], "top_logprobs": listed}]}
    return whole
