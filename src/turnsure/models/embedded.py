"""The embedded model: llama.cpp in worker processes of its own, no server to set up.

A lane is one worker process with one dialogue at a time.  Every request of the dialogue goes to the
same slot of that worker, in the order in which it comes, so that a longer prompt re-uses what the
shorter one before it left in the cache.  The n samples of a request are drawn side by side from
that one prompt.  With the settings of the deterministic mode neither the lane, nor the number of
threads, nor what the cache holds changes a bit of a reply.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnsure.core.errors import (
    ContextOverflow,
    InputError,
    MissingExtraError,
    RequestRejected,
    TurnsureError,
)
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.protocols import Capabilities, Session
from turnsure.files.arrival import file_digest
from turnsure.models.joining import join_generations
from turnsure.models.llama_process import Lane
from turnsure.models.llama_sizing import Layout, computer_memory, layout, usable_cores
from turnsure.models.llama_wire import (
    LABEL_TOP,
    count_new_tokens,
    label_body,
    read_label_reply,
    read_text_reply,
    text_body,
)
from turnsure.models.prompt_tree import PromptTree
from turnsure.models.weights import check_gguf

_BATCH = 512
_DETERMINISTIC = "f32 cache, no flash attention, no repacked weights"
_FAST = "the engine's defaults: f16 cache, flash attention and repacked weights where they fit"


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
        Samples drawn side by side, 1 or more; None for as many as memory allows, at most 20.
    lanes
        Dialogues asked at once, each by a process of its own; None for one a core, as far as
        memory allows and there are dialogues.
    dialogues
        How many there are to ask at once, 1 or more; used where ``lanes`` is None.
    threads
        Of all lanes together; 0 chooses the number of cores.
    gpu_layers
        Layers to put on a GPU where the engine was built with one.
    deterministic
        Whether equal requests give equal bits, whatever was asked before and beside them; at the
        price of some speed and of twice the memory for the cache.
    timeout
        Seconds for one request.
    verbose
        Let the engine's log through to standard error.
    """

    path: Path
    context: int = 2048
    slots: int | None = None
    lanes: int | None = None
    dialogues: int = 1
    threads: int = 0
    gpu_layers: int = 0
    deterministic: bool = True
    timeout: float = 600.0
    verbose: bool = False

    def __post_init__(self) -> None:
        least_of = {"context": 256, "slots": 1, "lanes": 1, "dialogues": 1, "threads": 0}
        for name, least in (*least_of.items(), ("gpu_layers", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise InputError(f"{name} is {value}", field=name, expected=f"{least} or more")


def require_engine() -> None:
    """Raise a MissingExtraError when the llama.cpp package is not installed."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise MissingExtraError("the embedded model", extra="local")


class EmbeddedModel:
    """A GGUF model in worker processes.

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
        self._layout = layout(
            settings.path,
            context=settings.context,
            slots=settings.slots,
            lanes=settings.lanes,
            dialogues=settings.dialogues,
            threads=settings.threads,
            gpu_layers=settings.gpu_layers,
            bytes_per_number=4 if settings.deterministic else 2,
            shared_weights=settings.deterministic,
            memory=computer_memory(),
            cores=usable_cores(),
        )
        load = _load(settings, self._layout)
        self._lanes = tuple(
            Lane(load, seconds=settings.timeout, verbose=settings.verbose)
            for _ in range(self._layout.lanes)
        )
        self._tree = PromptTree()
        self._fingerprint: Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            label_probabilities="top_k",
            max_top_logprobs=LABEL_TOP,
            max_n=self._layout.slots,
            seed=True,
            prefill=True,
            ordered=True,
            lanes=len(self._lanes),
            conversations=len(self._lanes),
            max_context=self._settings.context,
        )

    @property
    def fingerprint(self) -> Mapping[str, str]:
        if self._fingerprint is None:  # hashing the weights takes a while
            self._fingerprint = {
                "engine": f"xllamacpp {importlib.metadata.version('xllamacpp')}",
                "weights": f"sha256:{file_digest(self._settings.path)}",
                "arithmetic": _DETERMINISTIC if self._settings.deterministic else _FAST,
                "schedule": f"one dialogue at a time, {self._layout.slots} sample slots",
                "batch": str(_BATCH),
                "gpu_layers": str(self._settings.gpu_layers),
            }
        return self._fingerprint

    async def start(self) -> None:
        """Start all lanes; those that find no memory beside the first are left out."""
        first, *others = self._lanes
        await first.start()
        started = await asyncio.gather(*(lane.start() for lane in others), return_exceptions=True)
        for failure in started:
            if failure is not None and not isinstance(failure, TurnsureError):
                raise failure
        pairs = zip(others, started, strict=True)
        self._lanes = (first, *(lane for lane, failure in pairs if failure is None))

    async def close(self) -> None:
        for lane in self._lanes:
            await lane.close()

    @asynccontextmanager
    async def session(self, dialogue: str) -> AsyncGenerator[Session]:
        """Lease the lane that the fewest dialogues use; of these, one that knows the dialogue."""
        known = (dialogue, None)  # one that knows none comes before one that knows another
        lane = min(
            self._lanes,
            key=lambda lane: (
                lane.n_sessions,
                lane.dialogue != dialogue,
                lane.dialogue not in known,
            ),
        )
        lane.n_sessions += 1
        lane.dialogue = dialogue
        try:
            yield _EmbeddedSession(lane, self._tree, self.capabilities)
        finally:
            lane.n_sessions -= 1


def _load(settings: EmbeddedSettings, chosen: Layout) -> dict[str, Any]:
    """What a worker is told first."""
    return {
        "path": str(settings.path),
        "verbosity": 3 if settings.verbose else -1,
        "slots": chosen.slots,
        "context": settings.context,
        "batch": _BATCH,
        "threads": chosen.threads_a_lane,
        "gpu_layers": settings.gpu_layers,
        "deterministic": settings.deterministic,
    }


class _EmbeddedSession:
    def __init__(self, lane: Lane, tree: PromptTree, capabilities: Capabilities) -> None:
        self._lane = lane
        self._tree = tree
        self._capabilities = capabilities

    async def generate(self, request: GenerationRequest) -> Generation:
        if request.embed:
            raise RequestRejected("the embedded model gives no embeddings")
        if request.labels is not None:
            reply = await self._ask(label_body(request, request.labels))
            return read_label_reply(request.labels, reply)
        most = self._capabilities.max_n
        parts: list[Generation] = []
        for done in range(0, request.n, most):
            body = text_body(request, n=min(request.n - done, most), seed=request.seed + done)
            part = read_text_reply(request, await self._ask(body))
            self._refuse_cut(request, part)
            parts.append(part)
        return join_generations(parts)

    async def _ask(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        return count_new_tokens(await self._lane.ask(body), self._tree)

    def _refuse_cut(self, request: GenerationRequest, generation: Generation) -> None:
        """The engine ends a reply silently where the context ends; say so instead."""
        context = self._capabilities.max_context or 0
        prompt = generation.usage.prompt_tokens or 0
        if "length" in generation.finish_reasons and prompt + request.max_tokens > context:
            raise ContextOverflow(
                f"a prompt of {prompt} tokens and a reply of up to {request.max_tokens} do not fit "
                f"the context of {context}; raise it with --context"
            )
