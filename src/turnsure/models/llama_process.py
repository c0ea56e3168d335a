"""The process that holds an embedded engine, seen from its parent: spawn it, talk to it, end it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import BackendTimeout, BackendUnavailable, InputError
from turnsure.models.llama_wire import engine_error

_LINE_BYTES = 2**26
_LOAD_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerProcess:
    """The process and its two pipes."""

    process: asyncio.subprocess.Process
    writer: asyncio.StreamWriter
    reader: asyncio.StreamReader

    @property
    def is_alive(self) -> bool:
        return self.process.returncode is None

    async def kill(self) -> None:
        """End it; the clean way out, for the engine can hang or crash when it is torn down."""
        if self.is_alive:
            self.process.kill()
            await self.process.wait()

    @classmethod
    async def spawn(cls, *, verbose: bool) -> WorkerProcess:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "turnsure.models.llama_worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=None if verbose else asyncio.subprocess.DEVNULL,
            limit=_LINE_BYTES,
            start_new_session=True,  # a Ctrl-C is for the parent, which then ends the worker
        )
        if process.stdin is None or process.stdout is None:
            raise BackendUnavailable("the embedded model's process has no pipes")
        return cls(process=process, writer=process.stdin, reader=process.stdout)

    async def exchange(self, body: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Send one line, wait for one line."""
        try:
            async with asyncio.timeout(seconds):
                self.writer.write(json.dumps(body).encode("utf-8") + b"\n")
                await self.writer.drain()
                line = await self.reader.readline()
        except TimeoutError as error:
            raise BackendTimeout(f"the embedded model gave no answer in {seconds:.0f} s") from error
        except (BrokenPipeError, ConnectionResetError) as error:
            raise BackendUnavailable("the embedded model's process ended") from error
        except ValueError as error:
            raise BackendUnavailable("the embedded model's answer is too long to read") from error
        if not line.endswith(b"\n"):
            raise BackendUnavailable("the embedded model's process ended without an answer")
        return cast("dict[str, Any]", json.loads(line))


class Lane:
    """A worker process and the requests that go to it, one after the other.

    Parameters
    ----------
    load
        What the worker is told first: the file's ``path`` and how to load it.
    seconds
        For one request.
    verbose
        Let the engine's log through to standard error.
    """

    def __init__(self, load: Mapping[str, Any], *, seconds: float, verbose: bool) -> None:
        self.n_sessions = 0
        self.dialogue: str | None = None
        self._load = load
        self._seconds = seconds
        self._verbose = verbose
        self._worker: WorkerProcess | None = None
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        async with self._lock:
            await self._ensure()

    async def close(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.kill()

    async def ask(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send one request body to the engine and return its reply.

        Raises
        ------
        BackendError
            The engine refused, failed, ended or took too long.
        """
        async with self._lock:
            worker = await self._ensure()
            try:
                reply = await worker.exchange(body, self._seconds)
            except BaseException:
                # Whatever went wrong, the next reply would answer this request: start anew.
                await self.close()
                raise
        if "error" in reply:
            raise engine_error(reply["error"])
        return reply

    async def _ensure(self) -> WorkerProcess:
        if self._worker is not None and self._worker.is_alive:
            return self._worker
        self._worker = worker = await WorkerProcess.spawn(verbose=self._verbose)
        try:
            reply = await worker.exchange(self._load, _LOAD_SECONDS)
        except BaseException:
            await self.close()
            raise
        if "failed" in reply:
            await self.close()
            raise InputError(
                f"the engine cannot load this model ({reply['failed']})",
                file=Path(self._load["path"]),
                expected="a complete GGUF file of a supported architecture that fits in memory",
            )
        return worker
