"""turnsure against a llama.cpp server over HTTP, and the server itself."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import contest.server
from contest.ours import Asked, Driven
from contest.rounds import Counts
from turnsure.core.dialogue import Dialogue
from turnsure.experiment.setup import Setup
from turnsure.models.control_tokens import without_control_tokens
from turnsure.models.llama_ledger import LlamaLedger
from turnsure.models.openai_endpoint import OpenAIEndpoint
from turnsure.models.prompt_tree import PromptTree


class LlamaServer:
    """The server in a process of its own.

    Parameters
    ----------
    weights
        A GGUF file.
    slots, context, threads
        Texts side by side, tokens of each, and threads.
    """

    def __init__(self, weights: Path, *, slots: int, context: int, threads: int) -> None:
        self._weights = weights
        self._slots = slots
        self._context = context
        self._threads = threads
        self._process: asyncio.subprocess.Process | None = None
        self.key = secrets.token_urlsafe(16)
        self.address = ""

    async def start(self) -> None:
        sizes = (self._slots, self._context, self._threads)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(contest.server.__file__),
            str(self._weights),
            *(str(size) for size in sizes),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "LLAMA_KEY": self.key},
        )
        if self._process.stdout is None:
            raise RuntimeError("the server's process has no pipe")
        self.address = (await self._process.stdout.readline()).decode().strip()
        if not self.address:
            raise RuntimeError("the llama.cpp server did not start")

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()


class OverHttp:
    """turnsure's flows through an OpenAI-compatible endpoint, a llama.cpp server on loopback."""

    def __init__(self, name: str, setup: Setup, server: LlamaServer, store: Path) -> None:
        self._name = name
        self._setup = setup
        self._server = server
        self._store = store
        self._driven: Driven | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def driven(self) -> Driven:
        """The flows at work, once started."""
        if self._driven is None:
            raise RuntimeError(f"{self._name} was not started")
        return self._driven

    async def start(self) -> None:
        await self._server.start()
        backend = OpenAIEndpoint(
            "smollm2",
            f"{self._server.address}/v1",
            api_key=self._server.key,
            timeout=self._setup.spec.timeout * 10,
        )
        self._driven = Driven(self._name, self._setup, backend, self._store)
        await self._driven.start()

    async def play(self, dialogues: Sequence[Dialogue], turns: Sequence[int]) -> None:
        await self.driven.play(dialogues, turns)

    async def counts(self) -> Counts:
        """The endpoint's own counts, and those that only the server's tokeniser can tell."""
        told = await self.driven.counts()
        ledger = LlamaLedger(self._server.address, self._server.key)
        distinct, decoded = await asyncio.to_thread(_tokens, ledger, self.driven.asked)
        return replace(told, distinct_tokens=distinct, decoded_tokens=decoded)

    async def close(self) -> None:
        if self._driven is not None:
            await self._driven.close()
        await self._server.close()


def _tokens(ledger: LlamaLedger, asked: Asked) -> tuple[int | None, int | None]:
    """Distinct prompt tokens, and tokens of all replies; None where one of them cannot be told."""
    tree = PromptTree()
    decoded = 0
    for request, reply in asked:
        told = ledger.entry(
            {
                "messages": [
                    {"role": one.role, "content": without_control_tokens(one.content)}
                    for one in request.messages
                ]
            },
            {
                "usage": {"prompt_tokens": reply.usage.prompt_tokens},
                "choices": [
                    {"message": {"content": text}, "finish_reason": reason}
                    for text, reason in zip(reply.texts, reply.finish_reasons, strict=True)
                ],
            },
        )
        if "prompt" not in told:
            return None, None
        tree.add(told["prompt"])
        decoded += told.get("reply_tokens", reply.usage.completion_tokens or 0)
    return len(tree), decoded
