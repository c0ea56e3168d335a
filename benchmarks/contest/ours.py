"""turnsure on the embedded engine: as it is, and one request at a time without any re-use."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from contest.rounds import Counts
from turnsure.core.dialogue import Dialogue
from turnsure.core.errors import BackendUnavailable
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.protocols import Backend, Capabilities, Flow, Session
from turnsure.engine.drive import Engine, Job
from turnsure.experiment.run_record import run_cost
from turnsure.experiment.setup import Setup
from turnsure.models.embedded import EmbeddedModel
from turnsure.models.joining import join_generations
from turnsure.models.llama_process import WorkerProcess
from turnsure.models.llama_wire import (
    count_new_tokens,
    engine_error,
    label_body,
    read_label_reply,
    read_text_reply,
    text_body,
)
from turnsure.models.prompt_tree import PromptTree
from turnsure.store.sqlite import Store

_SECONDS = 600.0

Asked = list[tuple[GenerationRequest, Generation]]


class Recording:
    """A back-end that remembers what it was asked and what it said."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.asked: Asked = []

    @property
    def name(self) -> str:
        return self._backend.name

    @property
    def capabilities(self) -> Capabilities:
        return self._backend.capabilities

    @property
    def fingerprint(self) -> Mapping[str, str]:
        return self._backend.fingerprint

    async def start(self) -> None:
        await self._backend.start()

    async def close(self) -> None:
        await self._backend.close()

    @asynccontextmanager
    async def session(self, dialogue: str) -> AsyncGenerator[Session]:
        async with self._backend.session(dialogue) as session:
            yield _RecordedSession(session, self.asked)


class _RecordedSession:
    def __init__(self, session: Session, asked: Asked) -> None:
        self._session = session
        self._asked = asked

    async def generate(self, request: GenerationRequest) -> Generation:
        reply = await self._session.generate(request)
        self._asked.append((request, reply))
        return reply


class OneAtATime:
    """The embedded engine asked as a simple client does.

    Every sample is a request of its own, and every prompt is evaluated from its first token.
    Seeds, limits and arithmetic are the same; see :func:`compared` for whether the replies are.

    Parameters
    ----------
    model
        The same model; it is not started, it only says what it is and can do.
    load
        What a worker process is told first.
    """

    def __init__(self, model: EmbeddedModel, load: Mapping[str, Any]) -> None:
        self._model = model
        self._load = load
        self._tree = PromptTree()
        self._worker: WorkerProcess | None = None
        self.n_requests = 0

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def capabilities(self) -> Capabilities:
        return self._model.capabilities

    @property
    def fingerprint(self) -> Mapping[str, str]:
        return self._model.fingerprint

    async def start(self) -> None:
        self._worker = await WorkerProcess.spawn(verbose=False)
        reply = await self._worker.exchange(self._load, _SECONDS)
        if "failed" in reply:
            raise BackendUnavailable(str(reply["failed"]))

    async def close(self) -> None:
        if self._worker is not None:
            await self._worker.kill()

    @asynccontextmanager
    async def session(self, dialogue: str) -> AsyncGenerator[Session]:
        del dialogue
        yield self

    async def generate(self, request: GenerationRequest) -> Generation:
        if request.labels is not None:
            reply = await self._ask(label_body(request, request.labels))
            return read_label_reply(request.labels, reply)
        parts: list[Generation] = []
        for place in range(request.n):
            body = text_body(request, n=1, seed=request.seed + place)
            parts.append(read_text_reply(request, await self._ask(body)))
        return join_generations(parts)

    async def _ask(self, body: dict[str, Any]) -> Mapping[str, Any]:
        if self._worker is None:
            raise BackendUnavailable("it was not started")
        self.n_requests += 1
        reply = await self._worker.exchange(body | {"cache_prompt": False}, _SECONDS)
        if "error" in reply:
            raise engine_error(reply["error"])
        return count_new_tokens(reply, self._tree)


class Driven:
    """turnsure's flows of a turn, driven by its engine against a back-end, store and all.

    Parameters
    ----------
    name
        Of the contestant.
    setup
        How a turn is measured.
    backend
        The model.
    store
        Where the replies are kept; a new file.
    """

    def __init__(self, name: str, setup: Setup, backend: Backend, store: Path) -> None:
        self._name = name
        self._setup = setup
        self._backend = backend
        self._recording = Recording(backend)
        self._store = Store(store)
        self._engine = Engine(backend=self._recording, store=self._store)

    @property
    def name(self) -> str:
        return self._name

    @property
    def asked(self) -> Asked:
        """What the model was asked so far, and what it said."""
        return self._recording.asked

    async def start(self) -> None:
        await self._recording.start()
        self._setup.check(self._backend.capabilities, model=self._backend.name)

    async def play(self, dialogues: Sequence[Dialogue], turns: Sequence[int]) -> None:
        await self._engine.run(
            [Job(dialogue=one.id, flow=self._turns(one, turns)) for one in dialogues]
        )

    def _turns(self, dialogue: Dialogue, turns: Sequence[int]) -> Flow[None]:
        for turn in turns:
            yield from self._setup.measurement.turn(dialogue, turn)

    async def counts(self) -> Counts:
        spent = run_cost(self._engine.counters).whole
        backend = self._backend
        return Counts(
            n_requests=backend.n_requests if isinstance(backend, OneAtATime) else spent.n_sent,
            prompt_tokens=spent.prompt_tokens,
            evaluated_tokens=spent.evaluated_tokens,
            distinct_tokens=spent.distinct_tokens,
            decoded_tokens=None if spent.n_uncounted else spent.completion_tokens,
        )

    async def close(self) -> None:
        await self._recording.close()
        self._store.close()


def compared(ours: Asked, theirs: Asked) -> dict[str, Any]:
    """How many requests got the same from both, to the bit, and the steps of those that did not."""
    said = {request: (reply.texts, reply.labels) for request, reply in ours}
    differing = Counter(
        request.tag for request, reply in theirs if said.get(request) != (reply.texts, reply.labels)
    )
    n = len(theirs) - differing.total()
    return {"equal": n, "of": len(theirs), "differing": dict(differing)}
