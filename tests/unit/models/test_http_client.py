"""The client against servers that say exactly what a test tells them to."""

from __future__ import annotations

import asyncio
import itertools
import ssl
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import trustme

from turnsure.models.http_client import HttpClient
from turnsure.models.http_replies import HttpError

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
Peer = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Server:
    """Reads requests and answers each as told; keeps what it read, by connection."""

    def __init__(self, answer: Callable[[int, Peer], Awaitable[None]]):
        self.answer = answer
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self.n_connections = 0
        self.served: set[asyncio.Task] = set()

    async def serve(self, reader, writer):
        self.n_connections += 1
        self.served.add(asyncio.current_task())
        try:
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                self.heads.append(head)
                self.bodies.append(await reader.readexactly(length))
                await self.answer(len(self.heads), (reader, writer))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def running(answer, *, path="/v1", tls=None, host="127.0.0.1", scheme="http", **options):
    server = Server(answer)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=tls)
    port = listening.sockets[0].getsockname()[1]
    url = f"{scheme}://{host}:{port}{path}"
    client = HttpClient(url, {"User-Agent": "tests"}, **options)
    try:
        yield server, client, url
    finally:
        client.close()
        listening.close()
        await asyncio.sleep(0)
        for task in server.served:
            task.cancel()
        await asyncio.gather(*server.served, return_exceptions=True)


def says(*parts: bytes, close: bool = False):
    async def answer(_, peer):
        for part in parts:
            peer[1].write(part)
            await asyncio.sleep(0.001)
        if close:
            peer[1].close()

    return answer


async def test_what_is_sent():
    async with running(says(OK), path="/v1/straße?a=b") as (server, client, url):
        reply = await client.request("POST", url, b'{"a":1}')
    assert (reply.status, reply.body) == (200, b"ok")
    assert server.bodies == [b'{"a":1}']
    host = url.split("/")[2]
    assert server.heads[0].decode() == (
        "POST /v1/stra%C3%9Fe?a=b HTTP/1.1\r\n"
        f"Host: {host}\r\nUser-Agent: tests\r\nContent-Length: 7\r\n\r\n"
    )


async def test_connections_are_used_again_and_no_more_are_open_than_requests():
    async with running(says(OK)) as (server, client, url):
        for _ in range(10):
            await client.request("POST", url, b"")
        assert server.n_connections == 1
        for _ in range(10):
            await asyncio.gather(*(client.request("POST", url, b"") for _ in range(5)))
        assert server.n_connections == 5


async def test_one_that_was_idle_for_long_is_not_trusted():
    ticks = itertools.count(step=3)
    async with running(says(OK), clock=lambda: float(next(ticks))) as (server, client, url):
        for _ in range(3):
            await client.request("POST", url, b"")
        assert server.n_connections == 1
        next(ticks)
        await client.request("POST", url, b"")
        assert server.n_connections == 2


@pytest.mark.parametrize(
    "answer",
    [
        says(OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), close=True),
        says(b"HTTP/1.1 200 OK\r\n\r\nok", close=True),
        says(OK + b"unasked"),
    ],
)
async def test_a_connection_that_ends_is_replaced(answer):
    async with running(answer) as (server, client, url):
        for _ in range(3):
            assert (await client.request("POST", url, b"")).body == b"ok"
        assert server.n_connections == 3


async def test_a_reply_in_pieces():
    pieces = [OK[k : k + 3] for k in range(0, len(OK), 3)]
    async with running(says(*pieces)) as (server, client, url):
        assert (await client.request("GET", url, b"")).body == b"ok"
        assert (await client.request("GET", url, b"")).body == b"ok"
        assert server.n_connections == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (says(b"nonsense\r\n\r\n"), "no HTTP reply"),
        (says(OK[:-1], close=True), "middle"),
        (says(close=True), "without a reply"),
    ],
)
async def test_what_is_wrong_is_said_and_the_next_request_has_a_new_connection(answer, reason):
    async def first_bad(number, peer):
        await (answer if number == 1 else says(OK))(number, peer)

    async with running(first_bad) as (server, client, url):
        with pytest.raises(HttpError, match=reason):
            await client.request("POST", url, b"")
        assert (await client.request("POST", url, b"")).body == b"ok"
        assert server.n_connections == 2


async def closes(_, peer):
    """Answer, and close before the next request."""
    peer[1].write(OK)
    peer[1].close()


async def test_one_that_the_server_closed_while_idle_is_replaced_without_a_failure():
    async with running(closes) as (server, client, url):
        for _ in range(5):
            # Nothing is awaited in between, so the client does not know yet that it was closed.
            assert (await client.request("POST", url, b"x")).body == b"ok"
        assert server.bodies == [b"x"] * 5


async def test_what_a_used_connection_left_unanswered_is_sent_once_more():
    async def second_silent(number, peer):
        await (says(close=True) if number == 2 else says(OK))(number, peer)

    async with running(second_silent) as (server, client, url):
        for body in (b"1", b"2", b"3"):
            assert (await client.request("POST", url, body)).body == b"ok"
        assert server.bodies == [b"1", b"2", b"2", b"3"]
        assert server.n_connections == 2


async def test_what_was_answered_in_part_is_not_sent_again():
    async def second_cut(number, peer):
        await (says(OK[:1], close=True) if number == 2 else says(OK))(number, peer)

    async with running(second_cut) as (server, client, url):
        await client.request("POST", url, b"1")
        with pytest.raises(HttpError, match="middle"):
            await client.request("POST", url, b"2")
        assert server.bodies == [b"1", b"2"]


async def test_what_is_in_flight_on_a_used_connection_when_it_is_closed_is_not_sent_again():
    arrived = asyncio.Event()

    async def second_silent(number, peer):
        if number == 2:
            arrived.set()
            await peer[0].read()
        else:
            await says(OK)(number, peer)

    async with running(second_silent) as (server, client, url):
        await client.request("POST", url, b"1")
        task = asyncio.create_task(client.request("POST", url, b"2"))
        await arrived.wait()
        client.close()
        with pytest.raises(HttpError):
            await task
        assert server.n_connections == 1


async def test_a_request_given_up_closes_its_connection():
    arrived = asyncio.Event()

    async def first_silent(number, peer):
        if number > 1:
            await says(OK)(number, peer)
        else:
            arrived.set()
            assert await peer[0].read() == b""

    async with running(first_silent) as (server, client, url):
        task = asyncio.create_task(client.request("POST", url, b""))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await client.request("POST", url, b"")).body == b"ok"
        assert server.n_connections == 2


async def test_closing_ends_what_is_in_flight():
    arrived = asyncio.Event()

    async def silent(_, peer):
        arrived.set()
        await peer[0].read()

    async with running(silent) as (_, client, url):
        task = asyncio.create_task(client.request("POST", url, b""))
        await arrived.wait()
        client.close()
        with pytest.raises(HttpError):
            await task


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def secure(authority) -> ssl.SSLContext:
    """Of a server that has a certificate for ``localhost``."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    return context


async def test_a_certificate_that_nobody_vouches_for_is_refused(secure):
    async with running(says(OK), tls=secure, host="localhost", scheme="https") as served:
        server, client, url = served
        with pytest.raises(ssl.SSLCertVerificationError):
            await client.request("POST", url, b"")
    assert server.heads == []


@pytest.mark.parametrize(("host", "trusted"), [("localhost", True), ("127.0.0.1", False)])
async def test_a_trusted_certificate_is_taken_for_its_own_host(
    monkeypatch, tmp_path, authority, secure, host, trusted
):
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    async with running(says(OK), tls=secure, host=host, scheme="https") as served:
        server, client, url = served
        if trusted:
            for _ in range(2):
                assert (await client.request("POST", url, b"x" * 300_000)).body == b"ok"
            assert server.n_connections == 1
        else:
            with pytest.raises(ssl.SSLCertVerificationError):
                await client.request("POST", url, b"")


def test_no_web_library_is_loaded():
    code = "import sys, turnsure.models.http_client; sys.exit('aiohttp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
