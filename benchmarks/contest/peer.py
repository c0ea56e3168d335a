"""A contestant in an environment of its own, spoken to in lines of JSON.

A peer's script is under ``benchmarks/peers``.  Its environment is made on the first use, with the
client of this Python, and nothing of it enters turnsure's own.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import venv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contest.over_http import LlamaServer
from contest.rounds import Counts
from turnsure.core.dialogue import Dialogue
from turnsure.core.generation import GenerationRequest

_PEERS = Path(__file__).resolve().parents[1] / "peers"
_SOURCES = Path(__file__).resolve().parents[2] / "src"
_LINE_BYTES = 2**26

Task = Callable[[Dialogue, int], Mapping[str, Any]]


class PeerError(Exception):
    """A peer cannot be installed or does not run; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerKind:
    """A peer.

    Attributes
    ----------
    name
        Of the contestant.
    script
        File under ``benchmarks/peers``.
    requirements
        What its environment holds.
    """

    name: str
    script: str
    requirements: tuple[str, ...]


async def environment(kind: PeerKind, folder: Path) -> Path:
    """The Python of the peer's environment, which is made when it is not there.

    Raises
    ------
    PeerError
        It cannot be made.
    """
    digest = hashlib.sha256("\n".join(kind.requirements).encode()).hexdigest()[:8]
    home = folder / f"{kind.name}-{digest}"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if (home / "installed").exists():
        return python
    await asyncio.to_thread(venv.create, home, with_pip=True)
    client = await asyncio.create_subprocess_exec(
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        *kind.requirements,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await client.communicate()
    if client.returncode:
        *_, last = "", *said.decode(errors="replace").strip().splitlines()
        raise PeerError(f"{kind.name} cannot be installed: {last}")
    (home / "installed").touch()
    return python


class Peer:
    """The peer's process.

    Parameters
    ----------
    kind
        Which peer.
    python
        Of its environment.
    settings
        Told once, when it starts.
    task
        What it is told at a turn.
    log
        Where its standard error goes.
    server
        The server that it asks, where it asks one.
    """

    def __init__(
        self,
        kind: PeerKind,
        python: Path,
        settings: Mapping[str, Any],
        task: Task,
        log: Path,
        server: LlamaServer | None = None,
    ) -> None:
        self._kind = kind
        self._python = python
        self._settings = settings
        self._task = task
        self._log = log
        self._server = server
        self._process: asyncio.subprocess.Process | None = None
        self.versions: Mapping[str, str] = {}

    @property
    def name(self) -> str:
        return self._kind.name

    async def start(self) -> None:
        with self._log.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                self._python,
                str(_PEERS / self._kind.script),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=_LINE_BYTES,
                env={**os.environ, "PYTHONPATH": str(_SOURCES), "HF_HUB_OFFLINE": "1"},
            )
        told = dict(self._settings)
        if self._server is not None:
            await self._server.start()
            told |= {"url": f"{self._server.address}/v1", "key": self._server.key}
        self.versions = await self._exchange("start", told)

    async def play(self, dialogues: Sequence[Dialogue], turns: Sequence[int]) -> None:
        for dialogue in dialogues:
            for turn in turns:
                await self._exchange("turn", self._task(dialogue, turn))

    async def counts(self) -> Counts:
        return Counts(**await self._exchange("counts", {}))

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()
        if self._server is not None:
            await self._server.close()

    async def _exchange(self, what: str, told: Mapping[str, Any]) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise PeerError(f"{self.name} was not started")
        process.stdin.write(json.dumps({what: told}).encode() + b"\n")
        await process.stdin.drain()
        line = await process.stdout.readline()
        if not line:
            said = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise PeerError(f"{self.name} ended: {said[-1] if said else 'without a word'}")
        return json.loads(line)


def as_json(request: GenerationRequest) -> dict[str, Any]:
    """What a peer needs to know of a request."""
    return {
        "messages": [{"role": one.role, "content": one.content} for one in request.messages],
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "n": request.n,
        "seed": request.seed,
        "labels": request.labels,
    }
