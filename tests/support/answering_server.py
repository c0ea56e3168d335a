"""An endpoint in a thread of its own, for tests that run the command line as a process.

Its replies depend on the request alone, so a run against it comes out the same whenever and in
whatever order requests arrive.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Any

from aiohttp import web

Behaviour = Callable[[Any, web.Request, dict[str, Any]], Awaitable[web.StreamResponse]]
"""As in :mod:`tests.support.http_server`, whose behaviours serve here too."""

COUNTRIES = ("Peru", "Chad", "Japan", "France")


def number_of(*parts: object) -> int:
    return int(hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:8], 16)


class AnsweringServer:
    """Use as a context manager; one that died can be revived at the same address.

    ``asked`` counts request bodies and ``answered`` those that got the honest reply; ``before`` and
    ``after`` are called around each reply with how many chat requests came so far.  ``behave``
    chooses, by a request's body and how often it came, what happens instead of the honest reply;
    ``models`` replaces the list of models.
    """

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.before: Callable[[int], web.Response | None] = lambda count: None
        self.after: Callable[[int], None] = lambda count: None
        self.behave: Callable[[dict[str, Any], int], Behaviour | None] = lambda body, time: None
        self.models: Behaviour | None = None
        self.log_probabilities = True
        self.base_url = ""
        self._port = 0

    def __enter__(self) -> AnsweringServer:
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.die()
        self._thread.join(10)

    def die(self) -> None:
        """Stop listening and drop what is in flight; may be called while answering, or twice."""
        with suppress(RuntimeError):  # of a loop that has ended
            self._loop.call_soon_threadsafe(self._stop.set)

    def revive(self) -> None:
        """Wait for the end of a server that was told to die, and start it again."""
        self._thread.join(10)
        self.__enter__()

    def _serve(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        app = web.Application()
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/chat/completions", self._chat)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self._port).start()
        self._port = runner.addresses[0][1]
        self.base_url = f"http://127.0.0.1:{self._port}/v1"
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _models(self, request: web.Request) -> web.StreamResponse:
        if self.models is not None:
            return await self.models(self, request, {})
        return web.json_response({"data": [{"id": "tiny", "owned_by": "tests"}]})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        written = json.dumps(body, sort_keys=True)
        self.asked[written] += 1
        count = self.asked.total()
        refused = self.before(count)
        if refused is not None:
            return refused
        behaviour = self.behave(body, self.asked[written])
        if behaviour is not None:
            return await behaviour(self, request, body)
        self.answered[written] += 1
        reply = web.json_response(self.reply(body))
        self.after(count)
        return reply

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """The honest reply."""
        text = body["messages"][-1]["content"]
        choices = [
            {
                "index": place,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": self._text(body, text, place)},
            }
            for place in range(body.get("n", 1))
        ]
        if body.get("logprobs") and self.log_probabilities:
            yes = 0.05 + 0.9 * (number_of(text) % 1000) / 1000
            top = [
                {"token": token, "logprob": math.log(share)}
                for token, share in (("A", yes * 0.9), (" B", (1 - yes) * 0.9), ("The", 0.1))
            ]
            choices[0]["message"]["content"] = "A"
            choices[0]["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
        usage = {"prompt_tokens": len(text) // 4, "completion_tokens": 5}
        return {"choices": choices, "usage": usage}

    def _text(self, body: dict[str, Any], text: str, place: int) -> str:
        if "Confidence" in text:
            return f"### Confidence: \\boxed{{{number_of(text) % 101}}}"
        draw = number_of(text, body.get("seed", 0) + place if body["temperature"] else "greedy")
        return f"\\boxed{{{COUNTRIES[draw % len(COUNTRIES)]}}}"
