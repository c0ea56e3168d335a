"""What every assistant under test must keep to."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from aiohttp import web

from tests.support.flows import drive, texts
from tests.support.suites import python, run_of, scenario
from turnsure.core.dialogue import Message
from turnsure.models.scripted import ScriptedBackend
from turnsure.scenarios.assistants.model import ModelAssistant
from turnsure.scenarios.assistants.webhook import WebhookAssistant
from turnsure.scenarios.seams import Assistant, AssistantReply, Fault

Opened = Callable[[str], AbstractAsyncContextManager[Assistant]]
MESSAGES = (
    Message(role="user", content="Hi"),
    Message(role="assistant", content="Hello"),
    Message(role="user", content="A flat?"),
)


@asynccontextmanager
async def of_function(text: str) -> AsyncGenerator[Assistant]:
    yield python(lambda messages: text)


@asynccontextmanager
async def of_coroutine(text: str) -> AsyncGenerator[Assistant]:
    async def reply(messages):
        return text

    yield python(reply)


@asynccontextmanager
async def of_model(text: str) -> AsyncGenerator[Assistant]:
    yield ModelAssistant(backend=ScriptedBackend(lambda request: text))


@asynccontextmanager
async def of_webhook(text: str) -> AsyncGenerator[Assistant]:
    async def handle(request: web.Request) -> web.Response:
        return web.json_response({"content": text})

    app = web.Application()
    app.router.add_post("/", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield WebhookAssistant(f"http://127.0.0.1:{runner.addresses[0][1]}/", token="hidden")
    finally:
        await runner.cleanup()


ASSISTANTS: dict[str, Opened] = {
    "function": of_function,
    "coroutine": of_coroutine,
    "model": of_model,
    "webhook": of_webhook,
}


@pytest.fixture(params=ASSISTANTS)
def opened(request: pytest.FixtureRequest) -> Opened:
    return ASSISTANTS[request.param]


async def answered(assistant: Assistant, text: str) -> AssistantReply | Fault:
    async def ask(flow):
        return drive(flow, lambda request: texts(text))[0]

    return await assistant.reply(MESSAGES, turn=2, run=run_of(ask=ask))


async def test_a_reply_ends_with_what_the_user_reads(opened):
    async with opened("B1 is free.") as assistant:
        await assistant.start()
        reply = await answered(assistant, "B1 is free.")
        await assistant.close()
    assert isinstance(reply, AssistantReply)
    assert reply.messages[-1] == Message(role="assistant", content="B1 is free.")


async def test_silence_is_a_fault_that_names_the_assistant(opened):
    async with opened("") as assistant:
        await assistant.start()
        fault = await answered(assistant, "")
        await assistant.close()
        assert isinstance(fault, Fault)
        assert fault.problem.startswith(assistant.name)
    assert not fault.is_infrastructure


async def test_closing_is_safe_at_any_time(opened):
    async with opened("Hi") as assistant:
        await assistant.close()
        await assistant.start()
        assert not isinstance(await answered(assistant, "Hi"), Fault)
        await assistant.close()
        await assistant.close()


async def test_it_says_what_it_is_and_no_secret(opened):
    async with opened("Hi") as assistant:
        await assistant.start()
        assistant.check(scenario())
        told = json.dumps(dict(assistant.fingerprint))
        assert dict(assistant.fingerprint) == json.loads(told)
        assert assistant.fingerprint["name"] == assistant.name
        assert "hidden" not in told
        await assistant.close()
