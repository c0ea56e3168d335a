"""HTTP for endpoints: one pool of connections that are kept open, and typed errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal
from urllib.parse import urlsplit

from turnsure.core.errors import BackendTimeout, BackendUnavailable, InputError
from turnsure.models.deadlines import Deadlines
from turnsure.models.http_client import HttpClient, ascii_host
from turnsure.models.http_replies import HttpError
from turnsure.models.openai_errors import HttpReply

_KEY = re.compile(r"[\x21-\x7e]+")
_IN_NO_ADDRESS = re.compile(r"[\s\x00-\x1f\x7f]")


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
        clock: Callable[[], float],
    ) -> None:
        if timeout <= 0:
            raise InputError(f"timeout is {timeout}", field="timeout", expected="above 0")
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
        self._clock = clock
        self._deadlines = Deadlines(timeout)
        self._client: HttpClient | None = None

    @property
    def is_open(self) -> bool:
        return self._client is not None

    async def open(self) -> None:
        """Make the pool; nothing is connected yet."""
        headers = {
            "User-Agent": "turnsure",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
        }
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        self._client = HttpClient(self._base_url, headers)

    async def close(self) -> None:
        """Drop all connections; safe to call twice."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    async def send(self, method: Literal["GET", "POST"], url: str, data: bytes = b"") -> HttpReply:
        """Send one request and read the reply to its end, whatever its status.

        A redirect is not followed: it would send the key on, and turn the POST into a GET.

        Raises
        ------
        BackendTimeout
            It took longer than the timeout.
        BackendUnavailable
            The connection was refused, cut, or never opened, or the reply is no HTTP.
        """
        if self._client is None:
            raise BackendUnavailable(f"there is no connection to {self._base_url}: start it first")
        begun = self._clock()
        try:
            reply = await self._deadlines.keep(self._client.request(method, url, data))
        except TimeoutError:
            late = f"{self._base_url} gave no answer in {self._timeout:g} s"
            raise BackendTimeout(late) from None
        except (HttpError, OSError, UnicodeError) as error:
            # The cause may quote what the server sent, so it is not shown as it is.
            reason = self._quote(str(error)) or type(error).__name__
            raise BackendUnavailable(f"no answer from {self._base_url}: {reason}") from None
        return HttpReply(reply.status, reply.headers, reply.body, self._clock() - begun)


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
    if not usable or parts.query or parts.fragment or _IN_NO_ADDRESS.search(base_url):
        raise InputError(
            f"{base_url!r} is not the address of a server", field="base_url", expected=expected
        )
    try:
        ascii_host(parts.hostname or "")
    except UnicodeError:
        raise InputError(
            f"{base_url!r} names a host that cannot be", field="base_url", expected=expected
        ) from None
    return base_url.rstrip("/")
