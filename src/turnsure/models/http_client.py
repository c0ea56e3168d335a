"""A client for one server: HTTP/1.1, connections that are kept open, one request on each at a time.

An HTTP library spends several times as long on a small request as everything else here together
(redirects, cookies, proxies, several hosts), and needs none of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast
from urllib.parse import quote, urlsplit

from turnsure.models.http_replies import HttpError, RawReply, ReplyParser

if TYPE_CHECKING:
    import ssl

_IDLE_SECONDS = 4.0
"""Idle connections are dropped before servers drop them (llama.cpp and uvicorn do after 5 s)."""

_NEXT_ADDRESS_SECONDS = 0.25
"""After which another address of a host is tried beside the first (RFC 8305)."""

_PORTS: Mapping[str, int] = {"http": 80, "https": 443}
_LEFT_AS_THEY_ARE = "/?&=%:@!$'()*+,;~"


class _Connection(asyncio.Protocol):
    """One connection; at most one request on it waits for its reply."""

    def __init__(self) -> None:
        self._parser = ReplyParser()
        self._reply: asyncio.Future[RawReply] | None = None
        self._heard = False
        self.is_open = True
        self.idle_since = 0.0
        self.left_in_silence = False
        """The server closed it before it said anything to the last request."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def send(self, data: bytes) -> asyncio.Future[RawReply]:
        """Send a request; the reply comes in the future."""
        self._heard = False
        self._reply = reply = asyncio.get_running_loop().create_future()
        self._transport.write(data)
        return reply

    def data_received(self, data: bytes) -> None:
        self._heard = True
        waiting = self._reply
        if waiting is None:  # nothing was asked
            self.drop()
            return
        try:
            reply = self._parser.feed(data)
        except HttpError as error:
            self._fail(error)
            self.drop()
            return
        if reply is not None:
            self._reply = None
            if not waiting.done():
                waiting.set_result(reply)

    def connection_lost(self, exc: Exception | None) -> None:
        self.left_in_silence = self.is_open and not self._heard
        self.is_open = False
        waiting = self._reply
        if waiting is None or waiting.done():
            return
        try:
            reply = None if exc else self._parser.end()
        except HttpError as error:
            self._fail(error)
            return
        if reply is None:
            self._fail(exc or HttpError("the connection was lost"))
        else:
            waiting.set_result(reply)

    def drop(self) -> None:
        """Close it at once."""
        self.is_open = False
        self._transport.abort()

    def _fail(self, error: Exception) -> None:
        waiting, self._reply = self._reply, None
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)


class HttpClient:
    """Asks one server.

    Parameters
    ----------
    address
        Any address there; of it, scheme, host and port count.
    headers
        Sent with every request.
    clock
        Seconds that only go up.
    """

    def __init__(
        self,
        address: str,
        headers: Mapping[str, str],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        parts = urlsplit(address)
        self._host = parts.hostname or ""
        self._port = parts.port or _PORTS[parts.scheme]
        self._secure = parts.scheme == "https"
        named = f"[{self._host}]" if ":" in self._host else self._host
        port = "" if parts.port in (None, _PORTS[parts.scheme]) else f":{parts.port}"
        self._fixed = "".join(
            f"{name}: {value}\r\n"
            for name, value in {"Host": f"{ascii_host(named)}{port}", **headers}.items()
        )
        self._clock = clock
        self._heads: dict[tuple[str, str], bytes] = {}
        self._idle: list[_Connection] = []
        self._busy: set[_Connection] = set()
        self._tls: ssl.SSLContext | None = None

    async def request(self, method: str, url: str, data: bytes) -> RawReply:
        """Send a request, and wait for the whole of the reply.

        A server may close an idle connection just when it is used again.  So what is sent on such a
        one and is left without a single byte of a reply is sent once more, on a new connection.

        Raises
        ------
        HttpError
            What came is no reply, or only a part of one.
        OSError
            The server cannot be reached, or its certificate is not trusted.
        """
        head = self._heads.get((method, url)) or self._head(method, url)
        message = b"%b%d\r\n\r\n%b" % (head, len(data), data)
        used = self._unused()
        if used is not None:
            try:
                return await self._exchange(used, message)
            except (HttpError, OSError):
                if not used.left_in_silence:
                    raise
        return await self._exchange(await self._connected(), message)

    async def _exchange(self, connection: _Connection, message: bytes) -> RawReply:
        self._busy.add(connection)
        try:
            reply = await connection.send(message)
        except BaseException:
            connection.drop()
            raise
        finally:
            self._busy.discard(connection)
        if reply.stays_open and connection.is_open:
            connection.idle_since = self._clock()
            self._idle.append(connection)
        else:
            connection.drop()
        return reply

    def close(self) -> None:
        """Drop all connections; safe to call twice."""
        for connection in (*self._idle, *self._busy):
            connection.drop()
        self._idle.clear()

    def _unused(self) -> _Connection | None:
        """The connection that was used last, which is the one the server keeps longest."""
        while self._idle:
            connection = self._idle.pop()
            fresh = self._clock() - connection.idle_since < _IDLE_SECONDS
            if connection.is_open and fresh:
                return connection
            connection.drop()
        return None

    async def _connected(self) -> _Connection:
        if self._secure and self._tls is None:
            import ssl

            self._tls = ssl.create_default_context()
        _, connection = await asyncio.get_running_loop().create_connection(
            _Connection,
            self._host,
            self._port,
            ssl=self._tls,
            happy_eyeballs_delay=_NEXT_ADDRESS_SECONDS,
        )
        return connection

    def _head(self, method: str, url: str) -> bytes:
        """Request line and headers up to the length of the body."""
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        target = quote(f"{parts.path or '/'}{query}", safe=_LEFT_AS_THEY_ARE)
        head = f"{method} {target} HTTP/1.1\r\n{self._fixed}Content-Length: ".encode("ascii")
        self._heads[method, url] = head
        return head


def ascii_host(host: str) -> str:
    """A host's name as it stands on the wire.

    Raises
    ------
    UnicodeError
        It holds a character that no host has, or a part that is empty or too long.
    """
    return host.encode("idna").decode("ascii")
