"""A model behind an OpenAI-compatible address: hosted, vLLM, SGLang, llama.cpp, Ollama.

Every request is sent once, but for a used connection that the server had closed: when to ask again
is the engine's business.  What is sent and how replies are read is in the ``openai_*`` modules
beside this one.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

from turnsure.core.errors import BackendUnavailable, InputError, RequestRejected
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.protocols import Capabilities, Session
from turnsure.models.joining import join_at_once, join_generations
from turnsure.models.openai_embeddings import embedding_body, read_embedding
from turnsure.models.openai_line import Pacing, line_to
from turnsure.models.openai_probe import (
    PLAIN,
    DeclaredCapabilities,
    Seen,
    ServerFacts,
    Trial,
    check_model,
    probe,
    read_models,
    read_trial,
    trial_body,
    with_props,
)
from turnsure.models.openai_replies import read_label_reply, read_texts
from turnsure.models.openai_transport import checked_url
from turnsure.models.openai_wire import (
    FULL_DISTRIBUTION,
    Dialect,
    Style,
    dialect_named,
    label_body,
    text_body,
)
from turnsure.models.pacing import LONGEST_PAUSE, Limits

_NO_LIST = frozenset({403, 404, 405, 501})
"""How servers answer that have no list of models, or keep it from this key."""

_DETERMINISTIC = "one request at a time, nothing from a prefix cache where that can be said"

_REFUSALS = frozenset({400, 422})
"""How servers answer to a field that they do not take."""


class OpenAIEndpoint:
    """A model behind an OpenAI-compatible address.

    Parameters
    ----------
    model
        The server's name for the model.
    base_url
        Address under which ``/chat/completions`` lies; it usually ends in ``/v1``.
    api_key
        Sent as a bearer token; in no name, fingerprint, message or log.
    key_variable
        The environment variable from which the caller read the key, for messages.
    dialect
        ``"auto"`` or one of :data:`~turnsure.models.openai_wire.DIALECTS`.
    declared
        Capabilities that need no finding out.
    embedding_model
        The server's name for a model that gives embeddings, None when there is none.
    timeout
        Seconds for one request, from sending to the last byte.
    concurrency
        Requests in flight at most; fewer as long as the server cannot keep up.
    requests_per_minute, tokens_per_minute
        What may be sent a minute, tokens of prompts and replies together; None for no limit.
    deterministic
        Send one request at a time, in a fixed order, and tell llama.cpp not to use its cache, so
        that equal runs ask the server for the same work in the same order.
    patience
        Seconds for which a pause that the server asks for is waited for at most.
    clock
        Seconds that only go up, for measuring.
    now
        The time of day, for a server that says until when to wait.

    Raises
    ------
    InputError
        A setting is wrong.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        *,
        api_key: str | None = None,
        key_variable: str | None = None,
        dialect: str = "auto",
        declared: DeclaredCapabilities | None = None,
        embedding_model: str | None = None,
        timeout: float = 120.0,
        concurrency: int = 8,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        deterministic: bool = False,
        patience: float = LONGEST_PAUSE,
        clock: Callable[[], float] = time.perf_counter,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if not model.strip():
            raise InputError("the model has no name", field="model", expected="the server's name")
        self._model = model
        self._url = checked_url(base_url)
        self._dialect: Dialect | None = dialect_named(dialect)
        self._declared = declared or DeclaredCapabilities()
        self._embedding_model = embedding_model
        self._deterministic = deterministic
        self._facts = ServerFacts(dialect=self._dialect or "openai")
        limits = Limits(
            concurrency=1 if deterministic else concurrency,
            requests_per_minute=requests_per_minute,
            tokens_per_minute=tokens_per_minute,
        )
        self._line = line_to(
            self._url,
            Style(model=model, dialect=self._facts.dialect),
            key=api_key,
            key_variable=key_variable,
            pacing=Pacing(limits=limits, patience=patience, timeout=timeout),
            clock=clock,
            now=now,
        )
        self._capabilities: Capabilities | None = None

    @property
    def name(self) -> str:
        return self._model

    @property
    def capabilities(self) -> Capabilities:
        if self._capabilities is None:
            raise BackendUnavailable(f"{self._line.reader.where} was not started")
        return self._capabilities

    @property
    def fingerprint(self) -> Mapping[str, str]:
        capabilities, dialect = self.capabilities, self._facts.dialect
        return {
            "engine": "OpenAI-compatible endpoint",
            "base_url": self._url,
            "model": self._model,
            "dialect": dialect,
            "sampling": json.dumps({"top_p": 1.0, **FULL_DISTRIBUTION[dialect]}, sort_keys=True),
            "top_logprobs": str(capabilities.max_top_logprobs),
            **({"embedding_model": self._embedding_model} if self._embedding_model else {}),
            **({"schedule": _DETERMINISTIC} if self._deterministic else {}),
            **self._facts.build,
        }

    async def start(self) -> None:
        """Connect, and find out dialect and capabilities.

        Raises
        ------
        InputError
            The server does not know the model.
        BackendError
            The server cannot be reached, refuses the key, or answers what cannot be read.
        """
        if self._line.transport.is_open:
            return
        await self._line.transport.open()
        try:
            self._facts = await self._look()
            self._line.style = replace(self._line.style, dialect=self._facts.dialect)
            found = replace(await self._probe(), tools=True)
            if self._deterministic:
                found = replace(found, ordered=True, lanes=1, conversations=1)
            self._capabilities = found
            self._line.style = replace(
                self._line.style,
                seed=found.seed,
                cached=not self._deterministic,
            )
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        await self._line.transport.close()

    @asynccontextmanager
    async def session(self, dialogue: str) -> AsyncGenerator[Session]:
        """A lease; the dialogue's name does not matter, all share the connections."""
        del dialogue
        yield self

    async def generate(self, request: GenerationRequest) -> Generation:
        """Answer one request.

        Raises
        ------
        BackendError
            The server cannot or did not answer it.
        """
        capabilities = self.capabilities
        if request.embed:
            return await self._embed(request)
        if request.messages[-1].role == "assistant" and not capabilities.prefill:
            raise RequestRejected(
                f"{self._line.reader.where} is not known to continue a reply that was begun for it"
            )
        if request.labels is not None:
            return await self._label(request, request.labels, capabilities)
        most = capabilities.max_n
        if request.n <= most:
            return await self._samples(request, 0, request.n)
        return await join_at_once(
            self._samples(request, first, min(most, request.n - first))
            for first in range(0, request.n, most)
        )

    async def _label(
        self, request: GenerationRequest, labels: tuple[str, ...], capabilities: Capabilities
    ) -> Generation:
        top = capabilities.max_top_logprobs
        if capabilities.label_probabilities == "none":
            raise RequestRejected(f"{self._line.reader.where} gives no log-probabilities to read")
        sent = await self._line.chat(
            lambda style: label_body(style, request.messages, labels, top_logprobs=top)
        )
        return self._line.generation(
            sent, lambda body, seconds: read_label_reply(labels, body, seconds=seconds)
        )

    async def _embed(self, request: GenerationRequest) -> Generation:
        if self._embedding_model is None:
            raise RequestRejected(f"no model for embeddings is named for {self._url}")
        body = embedding_body(self._embedding_model, request)
        sent = await self._line.post("/embeddings", body)
        return self._line.generation(
            sent, lambda body, seconds: read_embedding(body, seconds=seconds)
        )

    async def _samples(self, request: GenerationRequest, first: int, n: int) -> Generation:
        """Samples ``first`` to ``first + n − 1``; those left out are asked for one by one."""
        last = request.messages[-1]
        # llama.cpp repeats the beginning of the reply that it was given.
        repeats = last.role == "assistant" and self._facts.dialect == "llama.cpp"
        begun = last.content if repeats else ""
        sent = await self._line.chat(lambda style: text_body(style, request, first=first, n=n))
        part = self._line.generation(
            sent, lambda body, seconds: read_texts(body, n=n, seconds=seconds, begun=begun)
        )
        missing = range(first + len(part.texts), first + n)
        if not missing:
            return part
        rest = await join_at_once(self._samples(request, place, 1) for place in missing)
        return join_generations([part, rest])

    async def _look(self) -> ServerFacts:
        """What the server tells about itself."""
        reply = await self._line.get(f"{self._url}/models")
        body = None if reply.status in _NO_LIST else self._line.json(reply)
        facts = read_models(body, reply.headers, model=self._model, dialect=self._dialect)
        check_model(self._model, facts, where=self._url)
        if facts.dialect == "llama.cpp":
            reply = await self._line.get(f"{self._url.removesuffix('/v1')}/props")
            if reply.ok:
                facts = with_props(facts, self._line.json(reply))
        return facts

    async def _probe(self) -> Capabilities:
        flow = probe(self._declared, self._facts)
        try:
            trial = next(flow)
            while True:
                trial = flow.send(await self._try(trial))
        except StopIteration as end:
            return end.value

    async def _try(self, trial: Trial) -> Seen | None:
        reply, _ = await self._line.chat(lambda style: trial_body(style, trial))
        if reply.status in _REFUSALS and trial != PLAIN:
            return None
        return self._line.read(reply, lambda body: read_trial(trial, body))
