"""HTTP for endpoints: one pool of connections that are kept open, and typed errors."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from turnsure.core.errors import BackendTimeout, BackendUnavailable, InputError
from turnsure.models.openai_errors import HttpReply
from turnsure.models.openai_wire import Body

if TYPE_CHECKING:
    import aiohttp

_IDLE_SECONDS = 4.0
"""Idle connections are dropped before servers drop them (llama.cpp and uvicorn do after 5 s)."""

_KEY = re.compile(r"[\x21-\x7e]+")


class Transport:
    """Sends requests to one server.

    Parameters
    ----------
    base_url
        The address, for the messages.
    key
        Sent as a bearer token.
    quote
        Makes a foreign text fit to be shown: takes the key out of it, among other things.
    timeout
        Seconds for one request, from sending to the last byte.
    concurrency
        Requests in flight at most.
    clock
        Seconds that only go up, for measuring.

    Raises
    ------
    InputError
        A setting is wrong.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: str | None,
        quote: Callable[[str], str],
        timeout: float,
        concurrency: int,
        clock: Callable[[], float],
    ) -> None:
        if timeout <= 0:
            raise InputError(f"timeout is {timeout}", field="timeout", expected="above 0")
        if concurrency < 1:
            raise InputError(
                f"concurrency is {concurrency}", field="concurrency", expected="1 or more"
            )
        if key is not None and not _KEY.fullmatch(key):
            raise InputError(
                "the API key is empty or holds a space, a line break or an accented letter",
                field="api_key",
                expected="the key as the server's owner gave it",
            )
        self._base_url = base_url
        self._key = key
        self._quote = quote
        self._timeout = timeout
        self._concurrency = concurrency
        self._clock = clock
        self._pool: tuple[aiohttp.ClientSession, asyncio.Semaphore] | None = None

    @property
    def is_open(self) -> bool:
        return self._pool is not None

    async def open(self) -> None:
        """Make the pool; nothing is connected yet."""
        import aiohttp

        headers = {"Content-Type": "application/json", "User-Agent": "turnsure"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        client = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=self._concurrency, keepalive_timeout=_IDLE_SECONDS
            ),
            timeout=aiohttp.ClientTimeout(total=self._timeout),
            headers=headers,
        )
        # The client's own limit would let the time spent waiting count towards the timeout.
        self._pool = client, asyncio.Semaphore(self._concurrency)

    async def close(self) -> None:
        """Drop all connections; safe to call twice."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool[0].close()

    async def send(
        self, method: Literal["GET", "POST"], url: str, body: Body | None = None
    ) -> HttpReply:
        """Send one request and read the reply to its end, whatever its status.

        Raises
        ------
        BackendTimeout
            It took longer than the timeout.
        BackendUnavailable
            The connection was refused, cut, or never opened.
        """
        import aiohttp

        if self._pool is None:
            raise BackendUnavailable(f"there is no connection to {self._base_url}: start it first")
        client, free = self._pool
        data = None if body is None else json.dumps(body).encode("ascii")
        async with free:
            begun = self._clock()
            try:
                # A redirect would send the key on, and turn the POST into a GET.
                async with client.request(
                    method, url, data=data, allow_redirects=False
                ) as response:
                    raw = await response.read()
            except TimeoutError:
                raise BackendTimeout(
                    f"{self._base_url} gave no answer in {self._timeout:g} s"
                ) from None
            except (aiohttp.ClientError, OSError) as error:
                # The cause may quote what the server sent, so it is not shown as it is.
                reason = self._quote(str(error)) or type(error).__name__
                raise BackendUnavailable(f"no answer from {self._base_url}: {reason}") from None
            return HttpReply(
                status=response.status,
                headers={name.lower(): value for name, value in response.headers.items()},
                body=raw,
                seconds=self._clock() - begun,
            )


def checked_url(base_url: str) -> str:
    """The address without a slash at its end.

    Raises
    ------
    InputError
        It is not a plain http or https address.
    """
    expected = "http://HOST:PORT/v1 or https://HOST/v1"
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable, parts = False, urlsplit("")
    if "@" in parts.netloc:
        raise InputError(
            "the address holds a user name or a password",
            field="base_url",
            expected=f"{expected}, with the key in an environment variable",
        )
    if not usable or parts.query or parts.fragment or re.search(r"\s", base_url):
        raise InputError(
            f"{base_url!r} is not the address of a server", field="base_url", expected=expected
        )
    return base_url.rstrip("/")
