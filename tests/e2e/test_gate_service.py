"""The gate's service in front of a real llama.cpp server that is reached over a bad line."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import openai
import pytest
from aiohttp import web

import tests.support.llama_server
from turnsure import Gate
from turnsure.core.decision import DecisionRule
from turnsure.core.spec import RunSpec
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.experiment.gating.build import BuildSettings, build_gate
from turnsure.experiment.gating.conversation import messages_of
from turnsure.experiment.gating.files import write_gate
from turnsure.experiment.gating.service import GateService
from turnsure.experiment.gating.sources import read_source
from turnsure.experiment.setup import prepare
from turnsure.models.opening import open_model
from turnsure.pipeline import measure

pytestmark = pytest.mark.model

KEY_NAME = "LLAMA_KEY"


@pytest.fixture(scope="module")
def address(smollm2_path: Path) -> Iterator[str]:
    """A llama.cpp server's address; its key is in the environment."""
    before, key = os.environ.get(KEY_NAME), secrets.token_urlsafe(16)
    os.environ[KEY_NAME] = key
    server = subprocess.Popen(
        [sys.executable, tests.support.llama_server.__file__, str(smollm2_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        url = server.stdout.readline().decode().strip()
        assert url.startswith("http://127.0.0.1:"), "the server did not start"
        yield f"{url}/v1"
    finally:
        server.kill()
        server.wait()
        server.stdin.close()
        server.stdout.close()
        os.environ.pop(KEY_NAME)
        if before is not None:
            os.environ[KEY_NAME] = before


@pytest.fixture(scope="module")
def folder(address: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run over HTTP, and a gate built from it."""
    path = tmp_path_factory.mktemp("gate")
    spec = RunSpec(
        data="countries", model="openai:smollm2", base_url=address, api_key_env=KEY_NAME,
        limit=1, methods=("p_true",), gold=False, answer_tokens=12, resamples=20,
    )  # fmt: skip
    measure(prepare(spec), open_model(spec), path / "run")
    settings = BuildSettings(
        rule=DecisionRule(answer_at=0.5, ask_at=0.0), map="identity", resamples=20
    )
    gate = build_gate(read_source(path / "run"), settings, date="2026-01-01T00:00:00+00:00")
    write_gate(gate, path / "gate.json")
    return path


@dataclass(kw_only=True)
class BadLine:
    """Passes requests on to a server, and drops some of them once it is told to."""

    upstream: str
    failing: float = 0.0
    n_dropped: int = 0
    draw: random.Random = field(default_factory=lambda: random.Random(7))

    async def passed(self, request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        if self.draw.random() < self.failing:
            self.n_dropped += 1
            if self.draw.random() < 0.5:
                request.transport.close()
            return web.json_response({"error": {"message": "overloaded"}}, status=503)
        headers = {"Authorization": request.headers["Authorization"]}
        async with aiohttp.request(
            request.method,
            f"{self.upstream.removesuffix('/v1')}{request.path}",
            data=await request.read(),
            headers={**headers, "Content-Type": "application/json"},
        ) as reply:
            response = web.StreamResponse(
                status=reply.status, headers={"Content-Type": reply.headers["Content-Type"]}
            )
            await response.prepare(request)
            async for piece in reply.content.iter_any():
                await response.write(piece)
            return response


@asynccontextmanager
async def serving(folder: Path, line: BadLine) -> AsyncIterator[tuple[Gate, str]]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", line.passed)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    gate = Gate.load(
        folder / "gate.json", "openai:smollm2", base_url=url, api_key_env=KEY_NAME,
        timeout=300.0, accept=("model.base_url",),
    )  # fmt: skip
    await gate.start()
    service, stop = GateService(gate, upstream=url, model="smollm2"), asyncio.Event()
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(
        service.run(host="127.0.0.1", port=0, stop=stop, ready=address.set_result)
    )
    yield gate, await address
    stop.set()
    await task
    await runner.cleanup()


async def test_64_clients_over_a_bad_line_each_get_their_own_reply(folder, address):
    """None is lost or doubled, and each carries the score that its own answer gets."""
    [dialogue] = read_dialogues(folder / "run" / "dialogues.jsonl")
    prefixes = [dialogue.prefix(turn) for turn in (1, 2, 3, 4)]
    line = BadLine(upstream=address)
    async with serving(folder, line) as (gate, url):
        client = openai.AsyncOpenAI(
            base_url=url, api_key=os.environ[KEY_NAME], max_retries=0, timeout=300.0
        )
        ids: list[str] = []
        labelled: list[tuple[int, str, dict[str, Any]]] = []

        async def ask(place: int) -> tuple[str, str, dict[str, Any]]:
            options: dict[str, Any] = {
                "model": "smollm2",
                "messages": messages_of(prefixes[place % 4]),
                "max_tokens": 4,
                "temperature": 0.0,
            }
            if place % 2:
                whole = await client.chat.completions.create(**options)
                text = whole.choices[0].message.content
                return whole.id, text, whole.model_extra["turnsure"]
            stream = await client.chat.completions.create(**options, stream=True)
            pieces = [piece async for piece in stream]
            text = "".join(one.choices[0].delta.content or "" for one in pieces if one.choices)
            return pieces[0].id, text, pieces[-1].model_extra["turnsure"]

        async def one_client(place: int) -> None:
            while True:
                with contextlib.suppress(openai.APIError):
                    reply_id, text, added = await ask(place)
                    ids.append(reply_id)
                    labelled.append((place % 4, text, added))
                    return

        line.failing = 0.2
        async with client:
            await asyncio.gather(*(one_client(place) for place in range(64)))
        line.failing = 0.0
        assert len(ids) == len(set(ids)) == 64
        assert line.n_dropped > 5
        alone: dict[tuple[int, str], float | None] = {}
        for place, text, added in labelled:
            if added["score"] is None:
                assert added["action"] == "escalate"
                continue
            if (place, text) not in alone:
                decision = await gate.decide(messages_of(prefixes[place]), gate.read(text))
                alone[place, text] = decision.score
            assert added["score"] == pytest.approx(alone[place, text], abs=0.02)
        assert alone
