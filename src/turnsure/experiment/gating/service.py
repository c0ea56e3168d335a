"""The gate as an OpenAI-compatible endpoint in front of the real one.

A chat request goes on unchanged, but for the field ``turnsure``; the reply comes back unchanged,
but for the field ``turnsure`` that is added.  Nothing that passes is kept or logged, headers least
of all.  A reply whose confidence cannot be found out is passed on all the same, with ``escalate``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import aiohttp
from aiohttp import web

from turnsure.core.errors import InputError, TurnsureError
from turnsure.core.outcome import Failure
from turnsure.experiment.gating.conversation import Given
from turnsure.experiment.gating.gate import Gate
from turnsure.experiment.gating.service_reply import (
    DONE,
    FIELD,
    ChatRequest,
    Events,
    Reply,
    added,
    event_data,
    last_event,
    other_model,
    parsed,
    read_request,
)
from turnsure.models.openai_transport import checked_url

_HOP_BY_HOP = (
    *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization"),
    *("te", "trailer", "transfer-encoding", "upgrade"),
)
_NOT_FORWARDED = frozenset(
    (
        *_HOP_BY_HOP,
        *("host", "expect", "accept-encoding"),
        *("content-type", "content-length", "content-encoding"),
    )
)
_NOT_RETURNED = frozenset((*_HOP_BY_HOP, "server", "date", "content-length", "content-encoding"))
_RETRY_SECONDS = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLimits:
    """What the service takes on.

    Attributes
    ----------
    body_bytes
        Of a request, at most.
    in_flight
        Requests at once; more are turned away with 503 and Retry-After.
    timeout
        Seconds without a byte from the real endpoint.
    grace
        Seconds for requests in flight when the service is told to stop.
    """

    body_bytes: int = 8 * 2**20
    in_flight: int = 256
    timeout: float = 120.0
    grace: float = 30.0

    def __post_init__(self) -> None:
        for name in ("body_bytes", "in_flight", "timeout", "grace"):
            if not getattr(self, name) > 0:
                raise InputError(f"it is {getattr(self, name)}", field=name, expected="above 0")


class GateService:
    """The endpoint.

    Parameters
    ----------
    gate
        Loaded with the model behind ``upstream``.
    upstream
        Address of the real endpoint; it usually ends in ``/v1``.
    model
        The model that the gate was measured on, as the real endpoint calls it.
    limits
        What is taken on.
    """

    def __init__(
        self, gate: Gate, *, upstream: str, model: str, limits: ServiceLimits | None = None
    ) -> None:
        self._gate = gate
        self._url = checked_url(upstream)
        self._model = model
        self._limits = limits or ServiceLimits()
        self._digest = gate.file.digest
        self._in_flight = 0
        self._client: aiohttp.ClientSession | None = None

    async def run(
        self,
        *,
        host: str,
        port: int,
        stop: asyncio.Event,
        ready: Callable[[str], None],
    ) -> None:
        """Serve until told to stop, then let what is in flight come to its end.

        Parameters
        ----------
        host, port
            Where to listen; port 0 takes a free one.
        stop
            Set from outside.
        ready
            Told the address.
        """
        runner = web.AppRunner(self.app(), access_log=None, shutdown_timeout=self._limits.grace)
        await runner.setup()
        try:
            await web.TCPSite(runner, host, port).start()
            address, bound = runner.addresses[0][:2]
            ready(f"http://{f'[{address}]' if ':' in address else address}:{bound}/v1")
            await stop.wait()
        finally:
            await runner.cleanup()

    def app(self) -> web.Application:
        """The application, for a server of one's own."""
        app = web.Application(client_max_size=self._limits.body_bytes, middlewares=[self._guarded])
        app.cleanup_ctx.append(self._connected)
        app.router.add_get("/health", self._health)
        app.router.add_get("/v1/models", self._pass)
        app.router.add_get("/v1/models/{name:.+}", self._pass)
        app.router.add_post("/v1/chat/completions", self._chat)
        return app

    async def _connected(self, app: web.Application) -> AsyncGenerator[None]:
        del app
        timeout = aiohttp.ClientTimeout(
            total=None, connect=self._limits.timeout, sock_read=self._limits.timeout
        )
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=4.0)
        async with aiohttp.ClientSession(timeout=timeout, connector=connector) as client:
            self._client = client
            yield
        self._client = None
        await self._gate.close()

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if request.path == "/health":
            return await handler(request)
        if self._in_flight >= self._limits.in_flight:
            return _refused(
                503, "too many requests at once", headers={"Retry-After": _RETRY_SECONDS}
            )
        self._in_flight += 1
        try:
            return await handler(request)
        except web.HTTPException as error:
            return _refused(error.status, error.reason)
        except InputError as error:
            return _refused(400, str(error))
        except TimeoutError:
            return _refused(504, "the model's endpoint gave no answer in time")
        except (aiohttp.ClientError, OSError) as error:
            return _refused(502, f"no answer from the model's endpoint ({type(error).__name__})")
        finally:
            self._in_flight -= 1

    async def _health(self, request: web.Request) -> web.Response:
        del request
        mismatch = list(self._gate.mismatch)
        return web.json_response(
            {
                "status": "escalating" if mismatch else "ok",
                "gate": self._digest,
                "model": self._model,
                "mismatch": mismatch,
                "in_flight": self._in_flight,
            }
        )

    async def _pass(self, request: web.Request) -> web.Response:
        path = request.path.removeprefix("/v1")
        async with self._upstream().get(
            f"{self._url}{path}", headers=_forwarded(request), allow_redirects=False
        ) as reply:
            return await _whole(reply)

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        asked = read_request(await request.read())
        async with self._upstream().post(
            f"{self._url}/chat/completions",
            data=asked.forwarded,
            headers={**_forwarded(request), "Content-Type": "application/json"},
            allow_redirects=False,
        ) as reply:
            if reply.status != 200:
                return await _whole(reply)
            if reply.content_type == "text/event-stream":
                return await self._stream(request, asked, reply)
            raw = await reply.read()
            body = parsed(raw)
            if not isinstance(body, dict):
                return _response(reply, raw)
            whole = Reply()
            whole.add(cast("dict[str, Any]", body))
            told = {**cast("dict[str, Any]", body), FIELD: await self._judged(asked, whole)}
            return _response(reply, json.dumps(told).encode("ascii"))

    async def _stream(
        self, request: web.Request, asked: ChatRequest, reply: aiohttp.ClientResponse
    ) -> web.StreamResponse:
        response = web.StreamResponse(status=reply.status, headers=_returned(reply))
        await response.prepare(request)
        events, collected, done = Events(), Reply(), b""
        try:
            async for piece in reply.content.iter_any():
                for event in events.feed(piece):
                    data = event_data(event)
                    if data == DONE:
                        done = event
                        continue
                    collected.add(parsed(data))
                    await response.write(event)
            if not done and event_data(events.rest) == DONE:
                done = events.rest
            if done:
                extra = await self._judged(asked, collected)
                await response.write(last_event(collected.frame, extra) + done)
                await response.write_eof()
                return response
        except (aiohttp.ClientError, OSError):
            # The status is out already; what is left is to end as the real endpoint ended.
            pass
        _cut(request)
        return response

    async def _judged(self, asked: ChatRequest, reply: Reply) -> dict[str, Any]:
        """What is added: a decision, or that no confidence could be had; never an error."""
        gate = self._gate
        text = other_model(asked.model, self._model) or reply.text()
        answer = text if isinstance(text, Failure) else gate.read(text)
        try:
            messages = cast("Sequence[Given]", asked.messages)
            decision = await gate.decide(messages, answer, dialogue=asked.dialogue, **asked.known)
        except TurnsureError as error:
            failure = Failure(stage="confidence", kind="unjudged", message=str(error))
            decision = gate.decide_score(failure, **asked.known)
        return added(decision, gate=self._digest)

    def _upstream(self) -> aiohttp.ClientSession:
        if self._client is None:
            raise web.HTTPServiceUnavailable(reason="the service is not running")
        return self._client


def _forwarded(request: web.Request) -> dict[str, str]:
    return {
        name: value for name, value in request.headers.items() if name.lower() not in _NOT_FORWARDED
    }


def _returned(reply: aiohttp.ClientResponse) -> dict[str, str]:
    return {
        name: value for name, value in reply.headers.items() if name.lower() not in _NOT_RETURNED
    }


async def _whole(reply: aiohttp.ClientResponse) -> web.Response:
    return _response(reply, await reply.read())


def _response(reply: aiohttp.ClientResponse, body: bytes) -> web.Response:
    return web.Response(status=reply.status, headers=_returned(reply), body=body)


def _refused(
    status: int, message: str, *, headers: Mapping[str, str] | None = None
) -> web.Response:
    """An error of the service itself, in the shape in which clients of OpenAI's expect one."""
    error = {"message": message, "type": "turnsure_gate", "param": None, "code": None}
    return web.json_response({"error": error}, status=status, headers=headers)


def _cut(request: web.Request) -> None:
    """Hang up, so that a client does not take a reply for whole that is not."""
    if request.transport is not None:
        request.transport.abort()
