"""One file over HTTP, known beforehand by its digest."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from turnsure.core.errors import BackendUnavailable, InputError
from turnsure.files.arrival import Progress, arrivals, file_digest, put_in_place

_CHUNK = 1 << 16
_SILENCE_SECONDS = 60.0
"""A server that sends nothing for so long is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFile:
    """A file that can be downloaded.

    Attributes
    ----------
    name
        What it is called in the folder it goes to; no path.
    url
        Where it is.
    sha256
        Its digest, in hexadecimal.
    n_bytes
        Its size.
    """

    name: str
    url: str
    sha256: str
    n_bytes: int


def download(
    remote: RemoteFile,
    folder: Path,
    progress: Progress | None = None,
    *,
    silence: float = _SILENCE_SECONDS,
) -> bool:
    """Download a file, unless it is there already.

    Parameters
    ----------
    remote
        The file.
    folder
        Where to; made when absent.
    progress
        Told how far it is.
    silence
        Seconds without a byte after which the server is given up.

    Returns
    -------
    bool
        True when it was downloaded, False when the very same file was there.

    Raises
    ------
    InputError
        Another file of this name is there; it stays as it is.
    BackendUnavailable
        The server cannot be reached, refuses, or sent something else; nothing was kept.
    """
    target = folder / remote.name
    if target.exists():
        _refuse_other(target, remote)
        return False
    with arrivals(target) as temporary:
        arrived = temporary / remote.name
        asyncio.run(_receive(remote, arrived, progress, silence))
        found = put_in_place(arrived, target, sha256=remote.sha256)
    if found != remote.sha256:
        raise BackendUnavailable(
            f"{remote.url} holds another file than expected: its SHA-256 is {found}, expected "
            f"{remote.sha256}; nothing was kept"
        )
    return True


def _refuse_other(target: Path, remote: RemoteFile) -> None:
    if not target.is_file():
        raise InputError("this is not a file", file=target, expected="a file, or nothing yet")
    found = file_digest(target)
    if found != remote.sha256:
        raise InputError(
            f"another file is here, with SHA-256 {found}; it was left as it is",
            file=target,
            expected=f"{remote.sha256}, or nothing yet: move it away, or choose another folder",
        )


async def _receive(
    remote: RemoteFile, arrived: Path, progress: Progress | None, silence: float
) -> None:
    """Write what the server sends, which is not trusted to be short."""
    import aiohttp

    limits = aiohttp.ClientTimeout(total=None, sock_connect=silence, sock_read=silence)
    try:
        # The environment's proxies are used: many a company has no other way out.
        async with (
            aiohttp.ClientSession(
                timeout=limits, trust_env=True, headers={"User-Agent": "turnsure"}
            ) as client,
            client.get(remote.url) as reply,
        ):
            if reply.status != HTTPStatus.OK:
                raise BackendUnavailable(
                    f"{remote.url}: the server answered HTTP {reply.status} {reply.reason}"
                )
            n = 0
            with arrived.open("wb") as out:
                async for chunk in reply.content.iter_chunked(_CHUNK):
                    n += len(chunk)
                    if n > remote.n_bytes:
                        raise BackendUnavailable(
                            f"{remote.url} holds more than the {remote.n_bytes:,} bytes expected; "
                            "nothing was kept"
                        )
                    out.write(chunk)
                    if progress is not None:
                        progress(n, remote.n_bytes)
    except TimeoutError:
        raise BackendUnavailable(
            f"{remote.url}: the server was silent for {silence:g} seconds"
        ) from None
    except aiohttp.ClientError as error:
        raise BackendUnavailable(
            f"{remote.url} cannot be fetched ({error or type(error).__name__}); it takes a "
            "connection to the internet, or the file put there by hand"
        ) from error
