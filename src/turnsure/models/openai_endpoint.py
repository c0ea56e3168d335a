"""A model behind an OpenAI-compatible address: hosted, vLLM, SGLang, llama.cpp, Ollama.

Every request is sent once: when to ask again is the engine's business.  What is sent and how
replies are read is in the ``openai_*`` modules beside this one.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from turnsure.core.errors import (
    BackendUnavailable,
    InputError,
    MalformedResponse,
    RequestRejected,
)
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.protocols import Capabilities, Session
from turnsure.models.joining import join_at_once, join_generations
from turnsure.models.openai_embeddings import embedding_body, read_embedding
from turnsure.models.openai_errors import HttpReply, ReplyReader, wants_newer_limit
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
from turnsure.models.openai_transport import Transport, checked_url
from turnsure.models.openai_wire import (
    FULL_DISTRIBUTION,
    Body,
    Dialect,
    Json,
    Style,
    dialect_named,
    label_body,
    text_body,
)

T = TypeVar("T")

_NO_LIST = frozenset({403, 404, 405, 501})
"""How servers answer that have no list of models, or keep it from this key."""

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
        Requests in flight at most.
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
        self._now = now
        self._reader = ReplyReader(
            where=f"{model} at {self._url}", key_variable=key_variable, key=api_key
        )
        self._transport = Transport(
            self._url,
            key=api_key,
            quote=self._reader.quote,
            timeout=timeout,
            concurrency=concurrency,
            clock=clock,
        )
        self._facts = ServerFacts(dialect=self._dialect or "openai")
        self._style = Style(model=model, dialect=self._facts.dialect)
        self._capabilities: Capabilities | None = None

    @property
    def name(self) -> str:
        return self._model

    @property
    def capabilities(self) -> Capabilities:
        if self._capabilities is None:
            raise BackendUnavailable(f"{self._reader.where} was not started")
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
        if self._transport.is_open:
            return
        await self._transport.open()
        try:
            self._facts = await self._look()
            self._style = replace(self._style, dialect=self._facts.dialect)
            self._capabilities = replace(await self._probe(), tools=True)
            self._style = replace(self._style, seed=self._capabilities.seed)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        await self._transport.close()

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
                f"{self._reader.where} is not known to continue a reply that was begun for it"
            )
        if request.labels is not None:
            return await self._label(request, request.labels, capabilities)
        most = capabilities.max_n
        return await join_at_once(
            self._samples(request, first, min(most, request.n - first))
            for first in range(0, request.n, most)
        )

    async def _label(
        self, request: GenerationRequest, labels: tuple[str, ...], capabilities: Capabilities
    ) -> Generation:
        top = capabilities.max_top_logprobs
        if capabilities.label_probabilities == "none":
            raise RequestRejected(f"{self._reader.where} gives no log-probabilities to read")
        reply = await self._post(
            lambda style: label_body(style, request.messages, labels, top_logprobs=top)
        )
        return self._read(reply, lambda body: read_label_reply(labels, body, seconds=reply.seconds))

    async def _embed(self, request: GenerationRequest) -> Generation:
        if self._embedding_model is None:
            raise RequestRejected(f"no model for embeddings is named for {self._url}")
        body = embedding_body(self._embedding_model, request)
        reply = await self._transport.send("POST", f"{self._url}/embeddings", body)
        return self._read(reply, lambda body: read_embedding(body, seconds=reply.seconds))

    async def _samples(self, request: GenerationRequest, first: int, n: int) -> Generation:
        """Samples ``first`` to ``first + n − 1``; those left out are asked for one by one."""
        last = request.messages[-1]
        # llama.cpp repeats the beginning of the reply that it was given.
        repeats = last.role == "assistant" and self._facts.dialect == "llama.cpp"
        begun = last.content if repeats else ""
        reply = await self._post(lambda style: text_body(style, request, first=first, n=n))
        part = self._read(
            reply, lambda body: read_texts(body, n=n, seconds=reply.seconds, begun=begun)
        )
        missing = range(first + len(part.texts), first + n)
        if not missing:
            return part
        rest = await join_at_once(self._samples(request, place, 1) for place in missing)
        return join_generations([part, rest])

    async def _look(self) -> ServerFacts:
        """What the server tells about itself."""
        reply = await self._transport.send("GET", f"{self._url}/models")
        body = None if reply.status in _NO_LIST else self._reader.json(reply, self._now())
        facts = read_models(body, reply.headers, model=self._model, dialect=self._dialect)
        check_model(self._model, facts, where=self._url)
        if facts.dialect == "llama.cpp":
            reply = await self._transport.send("GET", f"{self._url.removesuffix('/v1')}/props")
            if reply.ok:
                facts = with_props(facts, self._reader.json(reply, self._now()))
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
        reply = await self._post(lambda style: trial_body(style, trial))
        if reply.status in _REFUSALS and trial != PLAIN:
            return None
        return self._read(reply, lambda body: read_trial(trial, body))

    async def _post(self, build: Callable[[Style], Body]) -> HttpReply:
        url = f"{self._url}/chat/completions"
        style = self._style
        reply = await self._transport.send("POST", url, build(style))
        if style.limit_field == "max_tokens" and wants_newer_limit(reply):
            self._style = replace(self._style, limit_field="max_completion_tokens")
            reply = await self._transport.send("POST", url, build(self._style))
        return reply

    def _read(self, reply: HttpReply, read: Callable[[Json], T]) -> T:
        body = self._reader.json(reply, self._now())
        try:
            return read(body)
        except (MalformedResponse, RequestRejected) as error:
            reason = self._reader.quote(str(error))
            raise type(error)(f"{self._reader.where}: {reason}") from None
