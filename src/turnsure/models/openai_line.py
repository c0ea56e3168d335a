"""The line to one server: sends what a style makes of a request, and reads the reply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from turnsure.core.errors import MalformedResponse, RequestRejected
from turnsure.core.generation import Generation
from turnsure.models.openai_errors import HttpReply, ReplyReader, wants_newer_limit
from turnsure.models.openai_replies import count_at
from turnsure.models.openai_transport import Transport
from turnsure.models.openai_wire import Body, Json, Style, encoded
from turnsure.models.paced import PacedTransport
from turnsure.models.pacing import Limits, Permit

T = TypeVar("T")

Sent = tuple[HttpReply, Permit]
"""A reply, and what to settle its tokens with."""


@dataclass(slots=True, kw_only=True)
class Line:
    """Asks one server.

    Attributes
    ----------
    url
        Its address.
    transport
        Sends, each request in its turn.
    reader
        Reads replies.
    style
        How the server wants to be asked, as far as it is known.
    now
        The time of day.
    """

    url: str
    transport: PacedTransport
    reader: ReplyReader
    style: Style
    now: Callable[[], datetime]

    async def get(self, url: str) -> HttpReply:
        """What stands at an address."""
        reply, _ = await self.transport.send("GET", url)
        return reply

    async def post(self, path: str, body: Body, *, most_tokens: int = 0) -> Sent:
        """Send a body; ``most_tokens`` bounds the reply's length."""
        url = f"{self.url}{path}"
        return await self.transport.send("POST", url, encoded(body), most_tokens=most_tokens)

    async def chat(self, build: Callable[[Style], Body]) -> Sent:
        """Send a chat request; how the server wants its length limited is learned once."""
        style = self.style
        sent = await self._chat(build(style), style)
        if style.limit_field == "max_tokens" and wants_newer_limit(sent[0]):
            self.style = style = replace(self.style, limit_field="max_completion_tokens")
            sent = await self._chat(build(style), style)
        return sent

    def json(self, reply: HttpReply) -> Json:
        """The body of a good reply.

        Raises
        ------
        BackendError
            As :meth:`ReplyReader.json`.
        """
        return self.reader.json(reply, self.now())

    def read(self, reply: HttpReply, read: Callable[[Json], T]) -> T:
        """What ``read`` makes of the body; its errors then name the server."""
        body = self.json(reply)
        try:
            return read(body)
        except (MalformedResponse, RequestRejected) as error:
            reason = self.reader.quote(str(error))
            raise type(error)(f"{self.reader.where}: {reason}") from None

    def generation(self, sent: Sent, read: Callable[[Json, float], Generation]) -> Generation:
        """What ``read`` makes of body and seconds; what it used is settled."""
        reply, permit = sent
        generation = self.read(reply, lambda body: read(body, reply.seconds))
        self.transport.settle(permit, generation.usage)
        return generation

    async def _chat(self, body: Body, style: Style) -> Sent:
        most = (count_at(body, style.limit_field) or 0) * (count_at(body, "n") or 1)
        return await self.post("/chat/completions", body, most_tokens=most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """How much and how long is waited.

    Attributes
    ----------
    limits
        What the user allows.
    patience
        Seconds for which a pause that the server asks for is waited for at most.
    timeout
        Seconds for one request, from sending to the last byte.
    """

    limits: Limits
    patience: float
    timeout: float


def line_to(
    url: str,
    style: Style,
    *,
    key: str | None,
    key_variable: str | None,
    pacing: Pacing,
    clock: Callable[[], float],
    now: Callable[[], datetime],
) -> Line:
    """A line that is not open yet.

    Raises
    ------
    InputError
        The key or the timeout cannot be.
    """
    reader = ReplyReader(where=f"{style.model} at {url}", key_variable=key_variable, key=key)
    transport = Transport(url, key=key, quote=reader.quote, timeout=pacing.timeout, clock=clock)
    paced = PacedTransport(
        transport,
        address=url,
        key=key,
        limits=pacing.limits,
        patience=pacing.patience,
        clock=clock,
        now=now,
    )
    return Line(url=url, transport=paced, reader=reader, style=style, now=now)
