"""Requests in their turn, and what is said of their tokens; nothing is really sent."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from tests.support.virtual_time import time_standing_still
from turnsure.core.generation import Usage
from turnsure.models import openai_transport
from turnsure.models.http_replies import RawReply
from turnsure.models.openai_transport import Transport
from turnsure.models.paced import CHARACTERS_A_TOKEN, PacedTransport
from turnsure.models.pacing import Limits

DATA = b"x" * (50 * CHARACTERS_A_TOKEN)
PER_MINUTE = 6_000
BURST = PER_MINUTE // 60


class Client:
    """Says what it was told to, one after the other, and then that all is well."""

    def __init__(self, *replies: RawReply):
        self.replies = list(replies)
        self.n_asked = 0

    async def request(self, method, url, data):
        self.n_asked += 1
        return self.replies.pop(0) if self.replies else RawReply(200, {}, b"{}", True)

    def close(self):
        pass


async def opened(monkeypatch, client: Client, **limits) -> PacedTransport:
    monkeypatch.setattr(openai_transport, "HttpClient", lambda *_: client)
    clock = asyncio.get_running_loop().time
    paced = PacedTransport(
        Transport("http://h/v1", key=None, quote=str, timeout=120.0, clock=clock),
        address="http://h/v1",
        key=None,
        limits=Limits(**{"concurrency": 4, **limits}),
        patience=900.0,
        clock=clock,
        now=lambda: datetime(2025, 3, 1, tzinfo=UTC),
    )
    await paced.open()
    return paced


def refusal(status: int = 429, pause: str = "0") -> RawReply:
    return RawReply(status, {"retry-after": pause}, b"{}", True)


async def test_waiting_for_the_turn_is_no_part_of_the_time_limit(monkeypatch):
    with time_standing_still() as pass_by:
        client = Client(refusal(pause="600"))
        paced = await opened(monkeypatch, client)
        assert (await paced.send("POST", "http://h/v1"))[0].status == 429
        waiting = [asyncio.create_task(paced.send("POST", "http://h/v1")) for _ in range(8)]
        await pass_by(599.0)
        assert client.n_asked == 1
        for _ in range(20):
            await pass_by(1.0)
        assert [task.result()[0].status for task in waiting] == [200] * 8
    assert client.n_asked == 9


@pytest.mark.parametrize(
    ("usage", "used"),
    [
        (Usage(prompt_tokens=20, completion_tokens=5), 25),
        (Usage(prompt_tokens=20), 20 + 30),
        (Usage(completion_tokens=5), 50 + 5),
        (Usage(), 50 + 30),
    ],
)
async def test_where_the_server_does_not_say_the_estimate_stands(monkeypatch, usage, used):
    with time_standing_still() as pass_by:
        paced = await opened(monkeypatch, Client(), tokens_per_minute=PER_MINUTE)
        _, permit = await paced.send("POST", "http://h/v1", DATA, most_tokens=30)
        assert permit.tokens == 50 + 30
        paced.settle(permit, usage)
        # The burst that is left is enough for so many tokens at once, and for not one more; what
        # trickles in meanwhile only makes up for rounding, which depends on the clock.
        left = BURST - used
        fits = asyncio.create_task(paced.send("POST", "http://h/v1", most_tokens=left))
        more = asyncio.create_task(paced.send("POST", "http://h/v1", most_tokens=1))
        await pass_by(1e-6)
        assert (fits.done(), more.done()) == (True, False)
        await pass_by(60.0)
        assert more.done()


@pytest.mark.parametrize(("status", "is_free"), [(429, True), (503, True), (400, False)])
async def test_what_is_refused_for_the_load_has_used_no_tokens(monkeypatch, status, is_free):
    with time_standing_still() as pass_by:
        paced = await opened(monkeypatch, Client(refusal(status)), tokens_per_minute=PER_MINUTE)
        await paced.send("POST", "http://h/v1", DATA, most_tokens=30)
        await pass_by(0.001)
        again = asyncio.create_task(paced.send("POST", "http://h/v1", DATA, most_tokens=30))
        await pass_by(0.0)
        assert again.done() is is_free
        await pass_by(60.0)
        assert again.done()
