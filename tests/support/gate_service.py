"""The gate's service, running, with what a test needs to talk to it."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import aiohttp
import openai

from tests.support import gates
from tests.support.chat_upstream import ChatUpstream
from turnsure import Gate
from turnsure.experiment.gating.files import read_gate, write_gate
from turnsure.experiment.gating.service import GateService, ServiceLimits
from turnsure.models.openai_endpoint import OpenAIEndpoint

KEY = "sk-this-is-a-secret"
SYSTEM = {"role": "system", "content": gates.TASK}


def asking(name: str) -> list[Any]:
    return [SYSTEM, {"role": "user", "content": f"Clue 1 of {name}."}]


@dataclass(kw_only=True)
class Running:
    url: str
    stop: asyncio.Event
    task: asyncio.Task[None]

    @functools.cached_property
    def client(self) -> openai.AsyncOpenAI:
        """The real client; made when first used, which takes longer than most tests here."""
        return openai.AsyncOpenAI(base_url=self.url, api_key=KEY, max_retries=0)

    async def post(self, body: Any, **headers: str) -> tuple[int, dict[str, str], bytes]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"{self.url}/chat/completions", data=data, headers=headers) as reply,
        ):
            return reply.status, dict(reply.headers), await reply.read()


async def gate_of(made: Path, folder: Path, upstream: ChatUpstream) -> Path:
    """The gate as if it had been measured on this endpoint, without a map."""
    endpoint = OpenAIEndpoint("tiny", upstream.base_url)
    await endpoint.start()
    gate = read_gate(made)
    assert gate.protocol is not None
    protocol = replace(gate.protocol, model=endpoint.fingerprint)
    await endpoint.close()
    identity = {"name": "identity", "feature": "none", "n_rows": 9, "n_dialogues": 3}
    path = folder / "gate.json"
    write_gate(replace(gate, protocol=protocol, map={**identity, "parameters": {}}), path)
    return path


@asynccontextmanager
async def serving(path: Path, upstream: ChatUpstream, **limits: Any) -> AsyncIterator[Running]:
    gate = Gate.load(path, "openai:tiny", base_url=upstream.base_url)
    await gate.start()
    service = GateService(
        gate, upstream=upstream.base_url, model="tiny", limits=ServiceLimits(**limits)
    )
    stop, address = asyncio.Event(), asyncio.get_running_loop().create_future()
    task = asyncio.create_task(
        service.run(host="127.0.0.1", port=0, stop=stop, ready=address.set_result)
    )
    url = await address
    running = Running(url=url, stop=stop, task=task)
    yield running
    if "client" in vars(running):
        await running.client.close()
    stop.set()
    await task
