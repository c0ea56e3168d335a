"""The least server that an endpoint's client can talk to: every chat request gets the same reply.

It reads requests no further than it must, so that what is compared is clients.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import cast

MODELS = {"object": "list", "data": [{"id": "trivial", "object": "model", "owned_by": "nobody"}]}
COMPLETION = {
    "id": "chatcmpl-0123456789abcdef0123456789abcdef",
    "object": "chat.completion",
    "created": 1740830400,
    "model": "trivial",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "The country is **Peru**."},
            "finish_reason": "stop",
            "logprobs": None,
        }
    ],
    "usage": {
        "prompt_tokens": 164,
        "completion_tokens": 7,
        "total_tokens": 171,
        "prompt_tokens_details": {"cached_tokens": 128},
    },
}


def _reply(body: object) -> bytes:
    written = json.dumps(body).encode()
    head = (
        "HTTP/1.1 200 OK\r\nServer: trivial\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(written)}\r\n\r\n"
    )
    return head.encode() + written


_GET, _POST = _reply(MODELS), _reply(COMPLETION)


class Trivial(asyncio.Protocol):
    """One connection, kept open; a request is its head and as many bytes as that says."""

    def __init__(self) -> None:
        self._read = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Answer every request that is there in full."""
        self._read += data
        while (end := self._read.find(b"\r\n\r\n")) >= 0:
            head = self._read[:end].lower()
            length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
            whole = end + 4 + int(length or 0)
            if len(self._read) < whole:
                return
            self._read = self._read[whole:]
            self._transport.write(_GET if head.startswith(b"get") else _POST)


@contextmanager
def trivial_server() -> Iterator[str]:
    """The address of such a server, in a process of its own."""
    fresh = multiprocessing.get_context("spawn")
    ours, theirs = fresh.Pipe()
    process = fresh.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/v1"
    finally:
        ours.send("stop")
        process.join()


def _serve(told: Connection) -> None:
    asyncio.run(_until_stopped(told))


async def _until_stopped(told: Connection) -> None:
    server = await asyncio.get_running_loop().create_server(Trivial, "127.0.0.1", 0)
    told.send(server.sockets[0].getsockname()[1])
    await asyncio.to_thread(told.recv)
    server.close()
