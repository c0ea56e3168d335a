"""HTTP to an endpoint, each request in its turn: the transport behind the turnstile."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Literal

from turnsure.core.errors import BackendTimeout, BackendUnavailable
from turnsure.core.generation import Usage
from turnsure.models.openai_errors import HttpReply, retry_after
from turnsure.models.openai_transport import Transport
from turnsure.models.pacing import Limits, Permit
from turnsure.models.turnstile import Turnstile, turnstile_of

CHARACTERS_A_TOKEN = 4
"""By which tokens are estimated before the server has counted them."""

_BUSY = frozenset({429, 503})


class PacedTransport:
    """Sends requests to one endpoint, no more and no sooner than its pacer lets it.

    Parameters
    ----------
    transport
        Sends.
    address, key
        By which models at one endpoint are known to be at one.
    limits
        The user's.
    patience
        Seconds for which a pause that the server asks for is waited for at most.
    clock
        Seconds that only go up.
    now
        The time of day, for a server that says until when to wait.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        address: str,
        key: str | None,
        limits: Limits,
        patience: float,
        clock: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        self._transport = transport
        self._now = now
        self._turnstile: Turnstile | None = None
        self._find = lambda: turnstile_of(address, key, limits, patience=patience, clock=clock)

    @property
    def is_open(self) -> bool:
        return self._transport.is_open

    async def open(self) -> None:
        """Make the pool; nothing is connected yet."""
        self._turnstile = self._find()
        await self._transport.open()

    async def close(self) -> None:
        """Drop all connections; safe to call twice."""
        await self._transport.close()

    async def send(
        self,
        method: Literal["GET", "POST"],
        url: str,
        data: bytes = b"",
        *,
        most_tokens: int = 0,
    ) -> tuple[HttpReply, Permit]:
        """Wait for the turn, send one request, and read the reply to its end.

        Parameters
        ----------
        method, url, data
            What is sent.
        most_tokens
            How long the reply may become, all its texts together.

        Returns
        -------
        tuple
            The reply, whatever its status; and what to settle the tokens with.

        Raises
        ------
        BackendTimeout, BackendUnavailable
            As :meth:`Transport.send`; waiting for the turn does not count towards the timeout.
        """
        turnstile = self._turnstile or self._find()
        permit = await turnstile.enter(len(data) / CHARACTERS_A_TOKEN + most_tokens)
        permit = permit._replace(most_reply=most_tokens)
        try:
            reply = await self._transport.send(method, url, data)
        except BackendTimeout:
            turnstile.failed(permit)
            raise
        except BackendUnavailable:
            turnstile.cut(permit)
            raise
        except BaseException:
            turnstile.dropped(permit)
            raise
        if reply.ok:
            kind = (most_tokens, len(data).bit_length())
            turnstile.answered(permit, kind=kind, seconds=reply.seconds)
        elif reply.status in _BUSY:
            pause = retry_after(reply.headers.get("retry-after"), self._now())
            turnstile.settle(permit, 0)
            turnstile.refused(permit, pause=pause)
        else:
            turnstile.dropped(permit)
        return reply, permit

    def settle(self, permit: Permit, usage: Usage) -> None:
        """Tell what a request used; the estimate stands for what the server does not tell."""
        if self._turnstile is None:
            return
        prompt, reply = usage.prompt_tokens, usage.completion_tokens
        self._turnstile.settle(
            permit,
            (permit.tokens - permit.most_reply if prompt is None else prompt)
            + (permit.most_reply if reply is None else reply),
        )
