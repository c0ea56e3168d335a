"""The gate as an endpoint: errors, limits, and its end."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import aiohttp
import pytest

from tests.support import gates
from tests.support.chat_upstream import events
from tests.support.gate_service import asking, serving
from turnsure.core.errors import InputError
from turnsure.experiment.gating.service import ServiceLimits


@pytest.mark.parametrize("streams", [False, True])
async def test_the_endpoint_s_own_refusals_pass_as_they_are(service, upstream, streams):
    upstream.failing = 1.0
    seen: Counter[int] = Counter()
    body = {"model": "tiny", "messages": asking("x1"), "stream": streams}
    for _ in range(24):
        status, headers, raw = await service.post(body)
        seen[status] += 1
        message = json.loads(raw)["error"]["message"]
        if status in (429, 500):
            assert message == f"made up {status}"
            assert headers.get("Retry-After") == ("0" if status == 429 else None)
        else:
            assert "no answer from the model's endpoint" in message
    assert set(seen) <= {429, 500, 502}
    assert seen[429] == upstream.failures["429"]
    assert seen[500] == upstream.failures["500"]


async def test_a_stream_may_end_without_its_last_blank_line(service, monkeypatch):
    sent = [*events("x9")[:-1], b"data: [DONE]"]
    monkeypatch.setattr("tests.support.chat_upstream.events", lambda _: sent)
    _, _, raw = await service.post({"model": "tiny", "messages": asking("x9"), "stream": True})
    assert raw.endswith(b"\n\ndata: [DONE]")
    assert b'"turnsure": {' in raw


async def test_a_stream_that_is_cut_is_not_passed_off_as_whole(service, monkeypatch):
    monkeypatch.setattr("tests.support.chat_upstream.events", lambda name: events(name)[:3])
    body = {"model": "tiny", "messages": asking("x9"), "stream": True}
    with pytest.raises(aiohttp.ClientError):
        await service.post(body)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"{", "not JSON"),
        (b"[1]", "no JSON object"),
        ({"turnsure": 1}, "field 'turnsure'"),
        ({"turnsure": {"may_aks": False}}, "turnsure.may_aks"),
        ({"turnsure": {"may_ask": "no"}}, "turnsure.may_ask"),
        ({"turnsure": {"n_turns": 0}}, "turnsure.n_turns"),
        ({"turnsure": {"slices": {"a": 1}}}, "turnsure.slices"),
        ({"turnsure": {"act": " "}}, "turnsure.act"),
    ],
)
async def test_what_cannot_be_read_is_refused_before_it_is_passed_on(
    service, upstream, body, problem
):
    status, _, raw = await service.post(body)
    assert status == 400
    assert problem in json.loads(raw)["error"]["message"]
    assert upstream.asked == []


async def test_a_body_that_is_too_long_is_refused(path, upstream):
    async with serving(path, upstream, body_bytes=2000) as service:
        status, _, raw = await service.post({"model": "tiny", "messages": ["x" * 3000]})
    assert status == 413
    assert json.loads(raw)["error"]["type"] == "turnsure_gate"
    assert upstream.asked == []


async def test_too_many_at_once_are_turned_away_with_a_time_to_come_back(path, upstream):
    body = {"model": "tiny", "messages": asking("x1")}
    async with serving(path, upstream, in_flight=2) as service:
        upstream.delay = 0.2
        replies = await asyncio.gather(*(service.post(body) for _ in range(6)))
        async with aiohttp.ClientSession() as session:
            health = await session.get(service.url.replace("/v1", "/health"))
            assert (await health.json())["in_flight"] == 0
    statuses = Counter(status for status, _, _ in replies)
    assert statuses == {200: 2, 503: 4}
    assert all(headers["Retry-After"] == "1" for status, headers, _ in replies if status == 503)


async def test_silence_ends_in_a_timeout(path, upstream):
    async with serving(path, upstream, timeout=0.1) as service:
        upstream.delay = 0.6
        status, _, raw = await service.post({"model": "tiny", "messages": asking("x1")})
    assert status == 504
    assert "in time" in json.loads(raw)["error"]["message"]


async def test_models_and_health(service):
    models = await service.client.models.list()
    assert [one.id for one in models.data] == ["tiny"]
    async with aiohttp.ClientSession() as session:
        health = await (await session.get(service.url.replace("/v1", "/health"))).json()
        assert (health["status"], health["model"], health["in_flight"]) == ("ok", "tiny", 0)
        unknown = await session.get(f"{service.url}/completions")
        assert unknown.status == 404
        wrong = await session.get(f"{service.url}/chat/completions")
        assert wrong.status == 405


async def test_told_to_stop_it_finishes_what_is_in_flight(path, upstream):
    async with serving(path, upstream) as service:
        upstream.delay = 0.2
        asked = asyncio.create_task(service.post({"model": "tiny", "messages": asking("x5")}))
        await upstream.arrived.wait()
        service.stop.set()
        status, _, raw = await asked
        assert status == 200
        assert json.loads(raw)["turnsure"]["score"] == pytest.approx(gates.share("x5"))
        await service.task
        with pytest.raises(aiohttp.ClientError):
            await service.post({})


@pytest.mark.parametrize("name", ["body_bytes", "in_flight", "timeout", "grace"])
def test_limits_are_above_nothing(name):
    with pytest.raises(InputError) as caught:
        ServiceLimits(**{name: 0})
    assert caught.value.field == name
