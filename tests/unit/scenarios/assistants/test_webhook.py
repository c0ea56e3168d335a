"""A webhook on loopback as the assistant, well behaved and not."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from tests.support.suites import run_of, scenario
from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError
from turnsure.core.scenario import Limits
from turnsure.scenarios.assistants.webhook import WebhookAssistant
from turnsure.scenarios.seams import AssistantReply, Fault

ASKED = (
    Message(role="user", content="Hi"),
    Message(role="assistant", content="Hello"),
    Message(role="user", content="A flat?"),
)


class Hook:
    """Gives its answers in order, the last again and again; remembers what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = deque(answers)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[Any] = []
        self.pauses: list[float] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(await request.json())
        self.headers.append(request.headers)
        answer = self.answers.popleft() if len(self.answers) > 1 else self.answers[0]
        match answer:
            case "cut":
                assert request.transport is not None
                request.transport.close()
                return web.Response()
            case float():
                await asyncio.sleep(answer)
                return web.json_response({"content": "late"})
            case (int(status), headers):
                return web.Response(status=status, text="the\nreason", headers=headers)
            case bytes():
                return web.Response(body=answer)
        return web.json_response(answer)

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    @asynccontextmanager
    async def assistant(self, **settings: Any) -> AsyncGenerator[WebhookAssistant]:
        app = web.Application()
        app.router.add_post("/reply", self.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/reply?key=hidden"
        made = WebhookAssistant(url, sleep=self.sleep, jitter=lambda: 0.5, **settings)
        await made.start()
        try:
            yield made
        finally:
            await made.close()
            await runner.cleanup()

    async def reply(self, **settings: Any) -> AssistantReply | Fault:
        limits = Limits(seconds=settings.pop("seconds", 30.0))
        async with self.assistant(**settings) as assistant:
            run = run_of(scenario(limits=limits, meta={"city": "Pune"}), replicate=3)
            return await assistant.reply(ASKED, turn=2, run=run)


async def test_it_gets_messages_and_context_and_gives_content_items_and_calls():
    call = {"name": "find", "arguments": {"area": "Baner"}, "result": ["B1"]}
    hook = Hook({"content": "B1", "items": [{"id": "B1"}], "tool_calls": [call]})
    reply = await hook.reply(token="secret")
    assert isinstance(reply, AssistantReply)
    assert [one.role for one in reply.messages] == ["assistant", "tool", "assistant"]
    assert reply.items == ({"id": "B1"},)
    [asked] = hook.asked
    assert asked["messages"][2] == {"role": "user", "content": "A flat?"}
    assert asked["context"]["scenario"] == "flat"
    assert (asked["context"]["replicate"], asked["context"]["turn"]) == (3, 2)
    assert asked["context"]["meta"] == {"city": "Pune"}
    assert asked["context"]["conversation"].startswith("flat/3/")
    assert hook.headers[0]["Authorization"] == "Bearer secret"


@pytest.mark.parametrize("trouble", [(500, {}), (503, {}), (429, {}), "cut"])
async def test_trouble_of_the_infrastructure_is_waited_out(trouble):
    hook = Hook(trouble, trouble, {"content": "ok"})
    reply = await hook.reply()
    assert isinstance(reply, AssistantReply)
    assert reply.n_calls == len(hook.asked) == 3
    assert hook.pauses == [0.375, 0.75]


async def test_a_pause_that_the_server_asks_for_is_made():
    hook = Hook((503, {"Retry-After": "7"}), {"content": "ok"})
    assert isinstance(await hook.reply(), AssistantReply)
    assert hook.pauses == [7 * 1.05]


@pytest.mark.parametrize("trouble", [(502, {}), (429, {}), "cut"])
async def test_within_limits_and_then_it_is_no_fault_of_the_assistant(trouble):
    hook = Hook(trouble)
    fault = await hook.reply()
    assert isinstance(fault, Fault)
    assert fault.is_infrastructure
    assert fault.n_calls == len(hook.asked) == 4
    assert "(sent 4 times)" in fault.problem
    assert "hidden" not in fault.problem


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((404, {}), "answered HTTP 404: the reason"),
        ((400, {}), "answered HTTP 400: the reason"),
        ((301, {"Location": "/other"}), "answered HTTP 301"),
        (b"<html>hello</html>", "not JSON: <html>hello</html>"),
        (b"\xff\xfe", "not JSON"),
        ({"text": "B1"}, "'text' is unknown"),
        ({"content": ""}, "says nothing"),
        ([], "says nothing"),
        (7, "it is an int"),
    ],
)
async def test_a_reply_that_cannot_be_used_is_the_assistants_fault_at_once(answer, said):
    hook = Hook(answer)
    fault = await hook.reply()
    assert isinstance(fault, Fault)
    assert not fault.is_infrastructure
    assert said in fault.problem
    assert len(hook.asked) == 1


async def test_a_late_reply_is_the_assistants_fault():
    hook = Hook(0.5)
    fault = await hook.reply(seconds=0.05)
    assert isinstance(fault, Fault)
    assert not fault.is_infrastructure
    assert fault.problem.endswith("it gave no reply in 0.05 s")
    assert len(hook.asked) == 1


async def test_the_token_is_never_shown():
    hook = Hook(b"your token is secret-token")
    fault = await hook.reply(token="secret-token")
    assert isinstance(fault, Fault)
    assert "[token]" in fault.problem
    async with hook.assistant(token="secret-token") as assistant:
        assert "secret-token" not in json.dumps(dict(assistant.fingerprint))
        assert "hidden" not in assistant.name


@pytest.mark.parametrize(
    "url", ["", "localhost:80", "ftp://host/x", "http://", "http://a b/c", "http://u:p@host/"]
)
def test_an_address_is_checked(url):
    with pytest.raises(InputError, match="webhook"):
        WebhookAssistant(url)
