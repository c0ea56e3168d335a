"""A Python function as the assistant: what it gets, what it may do, and what goes wrong."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

import pytest

from tests.support.suites import python, run_of, scenario
from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError
from turnsure.core.scenario import Limits
from turnsure.scenarios.assistants.python_callable import PythonAssistant
from turnsure.scenarios.assistants.threads import Blocked, SideLoop, TooLong
from turnsure.scenarios.seams import AssistantReply, Fault

ASKED = (Message(role="user", content="Hello"),)
QUICK = scenario(limits=Limits(seconds=0.05))


async def reply_of(function: Any, *, given=None, run=None, turn: int = 1, messages=ASKED):
    assistant = python(function)
    try:
        return await assistant.reply(messages, turn=turn, run=run or run_of(given))
    finally:
        await assistant.close()


def plain(messages):
    return f"{messages[-1]['role']}: {messages[-1]['content']}"


async def awaited(messages, *, context):
    await asyncio.sleep(0)
    return plain(messages)


class Counting:
    def __init__(self):
        self.n = 0

    def __call__(self, messages, **more):
        self.n += 1
        return f"{self.n} {sorted(more)}"


class AsyncCounting(Counting):
    async def __call__(self, messages):
        return Counting.__call__(self, messages)


@pytest.mark.parametrize(
    "function", [plain, awaited, lambda messages: awaited(messages, context=0)]
)
async def test_functions_of_every_kind_are_called(function):
    reply = await reply_of(function)
    assert isinstance(reply, AssistantReply)
    assert [one.content for one in reply.messages] == ["user: Hello"]


@pytest.mark.parametrize(("kind", "second"), [(Counting, "2 ['context']"), (AsyncCounting, "2 []")])
async def test_a_class_is_made_anew_for_every_run(kind, second):
    assistant, first = python(kind), run_of()
    texts = [
        (await assistant.reply(ASKED, turn=1, run=run)).messages[0].content
        for run in (first, first, run_of(replicate=1))
    ]
    await assistant.close()
    assert texts[1] == second
    assert texts[2] == texts[0]


async def test_the_context_says_which_run_it_is():
    seen = []

    def look(messages, *, context):
        context.memory["turns"] = context.memory.get("turns", 0) + 1
        context.fixtures["flats"].append(context.turn)
        seen.append(context)
        return str(context.memory["turns"])

    given = scenario(fixtures={"flats": []}, meta={"city": "Pune"})
    run, other = run_of(given), run_of(given, replicate=1)
    assert (await reply_of(look, run=run)).messages[0].content == "1"
    assert (await reply_of(look, run=run, turn=2)).messages[0].content == "2"
    assert (await reply_of(look, run=other)).messages[0].content == "1"
    assert (run.tables, other.tables) == ({"flats": [1, 2]}, {"flats": [1]})
    assert given.fixtures == {"flats": []}
    assert [(one.scenario, one.replicate, one.turn, one.meta["city"]) for one in seen] == [
        ("flat", 0, 1, "Pune"),
        ("flat", 0, 2, "Pune"),
        ("flat", 1, 1, "Pune"),
    ]
    assert seen[0].seed == seen[1].seed != seen[2].seed


async def test_what_it_does_to_the_messages_stays_with_it():
    def spoil(messages):
        messages[0]["content"] = "spoilt"
        messages.clear()
        return "done"

    asked = (Message(role="user", content="Hello"),)
    await reply_of(spoil, messages=asked)
    assert asked[0].content == "Hello"


async def test_a_frozen_tool_that_it_calls_is_in_the_transcript():
    def search(messages, *, context):
        found = context.call("find", area="Baner")
        return f"{found[0]['id']} {context.call('now')}"

    given = scenario(
        fixtures={"flats": [{"id": "B1", "area": "Baner"}, {"id": "W1", "area": "Wakad"}]},
        tools={"find": {"table": "flats"}, "now": {"results": [{"result": "noon"}]}},
    )
    reply = await reply_of(search, given=given)
    assert [one.role for one in reply.messages] == [
        "assistant", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert reply.messages[0].tool_calls[0].arguments == '{"area": "Baner"}'
    assert reply.messages[1].tool_call_id == reply.messages[0].tool_calls[0].id
    assert reply.messages[-1].content == "B1 noon"


def raises(messages):
    raise ValueError("the index is empty")


def exits(messages):
    sys.exit(3)


def cancels(messages):
    raise asyncio.CancelledError


async def raises_later(messages):
    raise KeyError("id")


class CannotBeMade:
    def __init__(self):
        raise OSError("no disk")

    def __call__(self, messages):
        return "never"


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (raises, "it raised ValueError: the index is empty (test_python_callable.py, line"),
        (raises_later, "it raised KeyError: 'id' (test_python_callable.py, line"),
        (exits, "it raised SystemExit: 3"),
        (cancels, "it raised CancelledError"),
        (CannotBeMade, "it raised OSError: no disk"),
        (lambda: "no argument", "it raised TypeError"),
        (lambda messages: None, "cannot be used: it is nothing (None)"),
        (lambda messages: 3, "cannot be used: it is an int"),
        (lambda messages: "", "says nothing"),
        (lambda messages: {"content": "x", "items": 3}, "'items'"),
    ],
)
async def test_what_goes_wrong_is_a_fault_with_its_reason(function, said):
    fault = await reply_of(function)
    assert isinstance(fault, Fault)
    assert not fault.is_infrastructure
    assert fault.problem.startswith("tests:double: ")
    assert said in fault.problem


async def test_a_function_that_hangs_is_left_behind_and_others_go_on():
    free = threading.Event()
    run = run_of(QUICK)
    assistant = python(lambda messages: free.wait(30) and "late")
    fault = await assistant.reply(ASKED, turn=1, run=run)
    assert isinstance(fault, Fault)
    assert fault.problem == "tests:double: it gave no reply in 0.05 s"
    free.set()
    assert isinstance(await assistant.reply(ASKED, turn=1, run=run_of()), AssistantReply)
    await assistant.close()


async def test_a_coroutine_that_hangs_is_cancelled():
    ended = threading.Event()

    async def hang(messages):
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    fault = await reply_of(hang, given=QUICK)
    assert fault.problem == "tests:double: it gave no reply in 0.05 s"
    assert ended.wait(30)


async def test_a_coroutine_that_blocks_its_loop_is_told_from_one_that_it_blocks(monkeypatch):
    monkeypatch.setattr("turnsure.scenarios.assistants.threads.GRACE", 0.05)
    loop = SideLoop()
    blocking, release = threading.Event(), threading.Event()

    async def block():
        blocking.set()
        release.wait(30)

    async def wait():
        await asyncio.sleep(0.02)

    culprit = asyncio.create_task(loop.call(block, seconds=0.1))
    await asyncio.to_thread(blocking.wait, 30)
    innocent = await loop.call(wait, seconds=0.05)
    assert (await culprit, innocent) == (TooLong(blocks_loop=True), Blocked())
    release.set()
    assert await loop.call(lambda: asyncio.sleep(0, "fine"), seconds=30) == "fine"
    loop.close()


async def test_all_coroutines_share_one_loop():
    loops = set()

    async def remember(messages):
        loops.add(asyncio.get_running_loop())
        return "ok"

    assistant = python(remember)
    await asyncio.gather(
        *(assistant.reply(ASKED, turn=1, run=run_of(replicate=n)) for n in range(5))
    )
    await assistant.close()
    assert len(loops) == 1


def test_an_assistant_is_named_by_module_and_function(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    source = tmp_path / "my_named_bot.py"
    source.write_text("def reply(messages):\n    return 'hi'\n")
    before = PythonAssistant.named("my_named_bot:reply").fingerprint
    assert before["name"] == "my_named_bot:reply"
    source.write_text("def reply(messages):\n    return 'hello'\n")
    assert PythonAssistant.named("my_named_bot:reply").fingerprint["source"] != before["source"]
    for name, said in (
        ("my_named_bot:none", "has no 'none'"),
        ("no_such_bot:reply", "cannot be imported"),
        ("my_named_bot", "module:function"),
    ):
        with pytest.raises(InputError, match=said):
            PythonAssistant.named(name)


def typed_in(text):
    """A function as a notebook makes it: of no file."""
    names = {"__name__": "typed_in"}
    exec(compile(text, "<stdin>", "exec"), names)
    return PythonAssistant(names["reply"], name="reply").fingerprint["source"]


def test_a_function_without_a_file_is_known_by_its_code():
    text = "def reply(messages):\n    return [str(one in {'a', 'b'}) for one in messages]\n"
    assert typed_in(text) == typed_in(f"\n\n{text}")
    others = (
        text.replace("'b'", "'c'"),
        text.replace("str", "len"),
        text.replace("in {", "not in {"),
    )
    assert len({typed_in(one) for one in (text, *others)}) == 4
    assert typed_in("reply = print") == "unknown"


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class TooMuch(Exception):
    def __str__(self):
        return "much\n" * 10_000


@pytest.mark.parametrize(
    ("error", "told"), [(Unspeakable, "it raised Unspeakable ("), (TooMuch, "TooMuch: much much")]
)
async def test_an_error_is_told_in_one_line_whatever_its_text(error, told):
    def fails(messages):
        raise error

    fault = await reply_of(fails)
    assert isinstance(fault, Fault)
    assert told in fault.problem
    assert len(fault.problem.splitlines()) == 1
    assert len(fault.problem) < 600
