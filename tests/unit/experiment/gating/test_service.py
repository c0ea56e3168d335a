"""The gate as an endpoint: what passes through it, with the real OpenAI client in front."""

from __future__ import annotations

import json
import logging

import openai
import pytest

from tests.support import gates
from tests.support.chat_upstream import events
from tests.support.gate_service import KEY, SYSTEM, asking


async def test_a_reply_comes_back_unchanged_but_for_what_is_added(service, upstream):
    raw = await service.client.chat.completions.with_raw_response.create(
        model="tiny", messages=asking("x17"), temperature=0.5, seed=3
    )
    reply = raw.parse()
    assert raw.headers["x-request-id"] == "x17"
    assert reply.id == "chatcmpl-x17"
    assert reply.choices[0].message.content == r"\boxed{x17}"
    added = reply.model_extra["turnsure"]
    assert added["score"] == pytest.approx(gates.share("x17"))
    assert added["confidence"] == added["score"]
    assert added["action"] in ("answer", "ask", "escalate")
    assert added["turn"] == 1
    assert added["failure"] is None
    assert added["reasons"]
    assert added["cost"]["calls"] == 1
    assert upstream.asked == [
        {"model": "tiny", "messages": asking("x17"), "temperature": 0.5, "seed": 3}
    ]


async def test_the_client_s_key_is_passed_on_and_its_wishes_are_kept_back(service, upstream):
    reply = await service.client.chat.completions.create(
        model="tiny",
        messages=asking("x1"),
        extra_body={"turnsure": {"irreversible": True, "dialogue": "d1"}},
    )
    assert "turnsure" not in upstream.asked[0]
    assert upstream.headers[0]["Authorization"] == f"Bearer {KEY}"
    types = [one for one in upstream.header_names[0] if one.lower() == "content-type"]
    assert len(types) == 1
    added = reply.model_extra["turnsure"]
    assert added["action"] == "escalate"
    assert added["confidence"] is not None
    assert "cannot be undone" in added["reasons"][0]


async def test_a_key_is_logged_nowhere(service, upstream, caplog):
    caplog.set_level(logging.DEBUG)
    await service.client.chat.completions.create(model="tiny", messages=asking("x1"))
    upstream.failing = 1.0
    with pytest.raises(openai.APIError):
        await service.client.chat.completions.create(model="tiny", messages=asking("x1"))
    ours = [one for one in caplog.records if not one.name.startswith(("openai", "httpcore"))]
    assert not any(KEY in one.getMessage() for one in ours)


async def test_a_stream_passes_unchanged_and_ends_with_what_is_added(service):
    body = {"model": "tiny", "messages": asking("x9"), "stream": True}
    status, headers, raw = await service.post(body)
    assert status == 200
    assert headers["Content-Type"].startswith("text/event-stream")
    sent = events("x9")
    assert raw.startswith(b"".join(sent[:-1]))
    rest = raw.removeprefix(b"".join(sent[:-1]))
    assert rest.endswith(sent[-1])
    last = json.loads(rest.removesuffix(sent[-1]).removeprefix(b"data: "))
    assert last["choices"] == []
    assert last["id"] == "chatcmpl-x9"
    assert last["turnsure"]["score"] == pytest.approx(gates.share("x9"))


async def test_the_real_client_reads_the_stream(service):
    stream = await service.client.chat.completions.create(
        model="tiny", messages=asking("x9"), stream=True
    )
    pieces = [piece async for piece in stream]
    text = "".join(one.choices[0].delta.content or "" for one in pieces if one.choices)
    assert text == r"\boxed{x9}"
    assert pieces[-1].model_extra["turnsure"]["confidence"] == pytest.approx(gates.share("x9"))


TOOL = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("changes", "reply", "reason"),
    [
        ({"n": 2}, {}, "2 choices"),
        ({"model": "other"}, {}, "'other'"),
        ({"messages": [SYSTEM]}, {}, "not the user's"),
        ({"messages": [SYSTEM, {"role": "user", "content": "x" * 9999}]}, {}, "characters"),
        (
            {},
            {"choices": [{"index": 0, "message": {"content": None, "tool_calls": [TOOL]}}]},
            "calls a tool",
        ),
        ({}, {"choices": [{"index": 0, "message": {"content": ""}}]}, "no text"),
        ({}, {"choices": []}, "0 choices"),
        ({}, {"choices": [{"index": 0, "message": {"content": "a?\nb?\nc?"}}]}, ""),
    ],
)
async def test_what_cannot_be_judged_passes_and_escalates(
    service, upstream, changes, reply, reason
):
    upstream.reply, before = reply, upstream.n_probes
    status, _, raw = await service.post({"model": "tiny", "messages": asking("x1"), **changes})
    added = json.loads(raw)["turnsure"]
    assert status == 200
    assert (added["confidence"], added["score"], added["action"]) == (None, None, "escalate")
    assert added["failure"]
    assert reason in added["reasons"][0]
    assert upstream.n_probes == before


async def test_messages_that_are_none_are_the_endpoint_s_business(service, upstream):
    """It is asked first, and what it answers is passed on whatever the gate thinks of it."""
    status, _, raw = await service.post({"model": "tiny", "messages": [{"role": "boss"}]})
    assert status == 200
    added = json.loads(raw)["turnsure"]
    assert (added["action"], added["failure"]) == ("escalate", "unjudged")
    assert "messages[0].role" in added["reasons"][0]
    assert len(upstream.asked) == 1


@pytest.mark.parametrize("text", ["so busy", "[1, 2]"])
async def test_a_reply_that_is_no_object_passes_as_it_is(service, upstream, text):
    upstream.raw = text
    status, _, raw = await service.post({"model": "tiny", "messages": asking("x1")})
    assert (status, raw.decode()) == (200, text)


async def test_when_only_the_probe_fails_the_reply_is_passed_on_without_a_confidence(
    service, upstream
):
    reply = await service.client.chat.completions.create(model="tiny", messages=asking("x1"))
    assert reply.model_extra["turnsure"]["confidence"] is not None
    answered = upstream.answered["x1"]
    upstream.probes_fail = True
    reply = await service.client.chat.completions.create(model="tiny", messages=asking("x1"))
    added = reply.model_extra["turnsure"]
    assert upstream.answered["x1"] == answered + 1
    assert (added["confidence"], added["action"]) == (None, "escalate")
    assert added["failure"] == "unavailable"
    assert upstream.base_url not in json.dumps(added)
