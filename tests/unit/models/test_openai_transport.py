"""Addresses, and connections that a server has closed."""

from __future__ import annotations

import time

import pytest

from tests.support import http_server as double
from tests.support.http_server import DoubleServer
from turnsure.core.errors import BackendUnavailable, InputError
from turnsure.models.openai_transport import Transport, checked_url


@pytest.mark.parametrize(
    "host",
    [
        "ho\x00st", "ho\x01st", "host\x7f", "ho\x80st", "ho\tst", "ho\nst", "ho\u2028st",
        "ä..b", "a..b", "é" * 64, "a" * 64,
    ],
)  # fmt: skip
def test_a_host_that_cannot_be_is_refused(host):
    with pytest.raises(InputError, match="base_url") as caught:
        checked_url(f"http://{host}/v1")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "url",
    [
        "http://straße.de:8/v1",
        "https://host",
        "http://[::1]:8080/v1",
        "http://a_b.c./v1",
        "http://h/ä",
    ],
)
def test_an_address_that_can_be_is_kept(url):
    assert checked_url(f"{url}/") == url


async def test_a_server_that_hangs_up_on_a_new_connection_too_gave_no_answer():
    async with DoubleServer() as server:
        server.then(double.hang_up, double.hang_up)
        url = f"{server.base_url}/chat/completions"
        transport = Transport(url, key=None, quote=str, timeout=60.0, clock=time.monotonic)
        await transport.open()
        await transport.send("GET", f"{server.base_url}/models")
        with pytest.raises(BackendUnavailable, match="no answer from"):
            await transport.send("POST", url, b"{}")
        # Asking once more is for the engine to decide.
        assert len(server.asked) == 2
        server.then(double.hang_up)
        with pytest.raises(BackendUnavailable, match="no answer from"):
            await transport.send("POST", url, b"{}")
        assert len(server.asked) == 3
        await transport.close()
