"""The embedded model: llama.cpp in a worker process of its own, no server to set up.

Every request of a dialogue goes to one slot, in the order in which it comes, so that a longer
prompt re-uses what the shorter one before it left in the cache.  The n samples of a request are
drawn side by side from that one prompt.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import json
import os
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import (
    BackendTimeout,
    BackendUnavailable,
    ContextOverflow,
    InputError,
    MissingExtraError,
    RequestRejected,
)
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.protocols import Capabilities, Session
from turnsure.files.arrival import file_digest
from turnsure.models.joining import join_generations
from turnsure.models.llama_wire import (
    LABEL_TOP,
    engine_error,
    label_body,
    read_label_reply,
    read_text_reply,
    text_body,
)
from turnsure.models.weights import check_gguf

_BATCH = 512
_LOAD_SECONDS = 300.0
_LINE_BYTES = 2**26


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedSettings:
    """How to load a GGUF file.

    Attributes
    ----------
    path
        The file.
    context
        Tokens for one prompt and its reply, 256 or more.
    slots
        Samples drawn side by side, 1 or more.
    threads
        0 chooses the number of cores.
    gpu_layers
        Layers to put on a GPU where the engine was built with one.
    timeout
        Seconds for one request.
    verbose
        Let the engine's log through to standard error.
    """

    path: Path
    context: int = 2048
    slots: int = 20
    threads: int = 0
    gpu_layers: int = 0
    timeout: float = 600.0
    verbose: bool = False

    def __post_init__(self) -> None:
        for name, least in (("context", 256), ("slots", 1), ("threads", 0), ("gpu_layers", 0)):
            if getattr(self, name) < least:
                raise InputError(
                    f"{name} is {getattr(self, name)}", field=name, expected=f"{least} or more"
                )


def require_engine() -> None:
    """Raise a MissingExtraError when the llama.cpp package is not installed."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise MissingExtraError("the embedded model", extra="local")


class EmbeddedModel:
    """A GGUF model in a worker process.

    Parameters
    ----------
    name
        The model as the user named it.
    settings
        How to load it.

    Raises
    ------
    MissingExtraError
        The ``local`` extra is not installed.
    InputError
        The file is not a GGUF file.
    """

    def __init__(self, name: str, settings: EmbeddedSettings) -> None:
        require_engine()
        check_gguf(settings.path)
        self._name = name
        self._settings = settings
        self._worker: _Worker | None = None
        self._lock = asyncio.Lock()
        self._fingerprint: Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            label_probabilities="top_k",
            max_top_logprobs=LABEL_TOP,
            max_n=self._settings.slots,
            seed=True,
            prefill=True,
            ordered=True,
            max_context=self._settings.context,
        )

    @property
    def fingerprint(self) -> Mapping[str, str]:
        if self._fingerprint is None:  # hashing the weights takes a while
            self._fingerprint = {
                "engine": f"xllamacpp {importlib.metadata.version('xllamacpp')}",
                "weights": f"sha256:{file_digest(self._settings.path)}",
                "arithmetic": "f32 cache, no flash attention, no repacked weights",
                "schedule": f"one dialogue at a time, {self._settings.slots} sample slots",
                "batch": str(_BATCH),
                "gpu_layers": str(self._settings.gpu_layers),
            }
        return self._fingerprint

    async def start(self) -> None:
        async with self._lock:
            await self._ensure()

    async def close(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None and worker.process.returncode is None:
            # Killing is the clean way out: the engine can hang or crash when it is torn down.
            worker.process.kill()
            await worker.process.wait()

    @asynccontextmanager
    async def session(self, dialogue: str) -> AsyncGenerator[Session]:
        """Lease the engine; the dialogue's name does not matter, there is one slot to lease."""
        del dialogue
        yield _EmbeddedSession(self)

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
                reply = await worker.exchange(body, self._settings.timeout)
            except BaseException:
                # Whatever went wrong, the next reply would answer this request: start anew.
                await self.close()
                raise
        if "error" in reply:
            raise engine_error(reply["error"])
        return reply

    async def _ensure(self) -> _Worker:
        if self._worker is not None and self._worker.process.returncode is None:
            return self._worker
        settings = self._settings
        self._worker = worker = await _Worker.spawn(verbose=settings.verbose)
        body = {
            "path": str(settings.path),
            "verbosity": 3 if settings.verbose else -1,
            "slots": settings.slots,
            "context": settings.context,
            "batch": _BATCH,
            "threads": settings.threads or os.cpu_count() or 1,
            "gpu_layers": settings.gpu_layers,
        }
        try:
            reply = await worker.exchange(body, _LOAD_SECONDS)
        except BaseException:
            await self.close()
            raise
        if "failed" in reply:
            await self.close()
            raise InputError(
                f"the engine cannot load this model ({reply['failed']})",
                file=settings.path,
                expected="a complete GGUF file of a supported architecture that fits in memory",
            )
        return worker


@dataclass(frozen=True, slots=True, kw_only=True)
class _Worker:
    """The process and its two pipes."""

    process: asyncio.subprocess.Process
    writer: asyncio.StreamWriter
    reader: asyncio.StreamReader

    @classmethod
    async def spawn(cls, *, verbose: bool) -> _Worker:
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
        if not line:
            raise BackendUnavailable("the embedded model's process ended without an answer")
        return cast("dict[str, Any]", json.loads(line))


class _EmbeddedSession:
    def __init__(self, model: EmbeddedModel) -> None:
        self._model = model

    async def generate(self, request: GenerationRequest) -> Generation:
        if request.embed:
            raise RequestRejected("the embedded model gives no embeddings")
        if request.labels is not None:
            reply = await self._model.ask(label_body(request, request.labels))
            return read_label_reply(request.labels, reply)
        most = self._model.capabilities.max_n
        parts: list[Generation] = []
        for done in range(0, request.n, most):
            body = text_body(request, n=min(request.n - done, most), seed=request.seed + done)
            part = read_text_reply(request, await self._model.ask(body))
            self._refuse_cut(request, part)
            parts.append(part)
        return join_generations(parts)

    def _refuse_cut(self, request: GenerationRequest, generation: Generation) -> None:
        """The engine ends a reply silently where the context ends; say so instead."""
        context = self._model.capabilities.max_context or 0
        prompt = generation.usage.prompt_tokens or 0
        if "length" in generation.finish_reasons and prompt + request.max_tokens > context:
            raise ContextOverflow(
                f"a prompt of {prompt} tokens and a reply of up to {request.max_tokens} do not fit "
                f"the context of {context}; raise it with --context"
            )
