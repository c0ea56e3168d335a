"""The rounds of the engine benchmark, and its client that re-uses nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from turnsure.core.dialogue import Dialogue, Hint, Message
from turnsure.core.errors import InputError
from turnsure.core.generation import GenerationRequest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def on_path(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def dialogue(name):
    return Dialogue(id=name, task="Name it.", hints=(Hint(answer="It is."),) * 3, gold=("it",))


class Player:
    def __init__(self, name, log):
        self.name, self.log = name, log

    async def start(self):
        self.log.append((self.name, "start"))

    async def play(self, dialogues, turns):
        self.log.append((self.name, [one.id for one in dialogues], list(turns)))

    async def counts(self):
        from contest.rounds import Counts

        return Counts(
            n_requests=2, prompt_tokens=30, evaluated_tokens=12, distinct_tokens=8, decoded_tokens=5
        )

    async def close(self):
        self.log.append((self.name, "close"))


async def test_every_contestant_plays_each_round_before_the_next_begins():
    from contest.rounds import run_rounds
    from contest.table import table

    log = []
    players = [Player("one", log), Player("two", log)]
    dialogues = [dialogue(name) for name in "abc"]
    results = await run_rounds(
        players, dialogues, 3, together=2, stretch=2, say=lambda text: log.append("said")
    )
    played = [entry for entry in log if len(entry) == 3]
    rounds = [(["a", "b"], [1, 2]), (["a", "b"], [3]), (["c"], [1, 2]), (["c"], [3])]
    assert played == [(name, *one) for one in rounds for name in ("one", "two")]
    assert log[-2:] == [("one", "close"), ("two", "close")]
    assert "| one | 2 | 30 | 12 | 1.500 | 5 | 1.00 × |" in table(results)


async def test_contestants_are_closed_when_one_fails():
    from contest.rounds import run_rounds

    log = []

    class Broken(Player):
        async def play(self, dialogues, turns):
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await run_rounds(
            [Player("one", log), Broken("two", log)],
            [dialogue("a")],
            1,
            together=1,
            stretch=1,
            say=log.append,
        )
    assert log[-2:] == [("one", "close"), ("two", "close")]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells")
def test_cpu_time_includes_processes_that_were_started_and_still_run():
    from contest.rounds import cpu_seconds

    used = "time.process_time()"
    busy = f"import time\nwhile {used} < 0.2: pass\nprint({used}, flush=True)\ninput()"
    before = cpu_seconds()
    child = subprocess.Popen(
        [sys.executable, "-c", busy], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        told = float(child.stdout.readline())
        # User and system time are each cut to whole ticks, of it and of this process.
        assert cpu_seconds() - before > told - 5 / os.sysconf("SC_CLK_TCK")
    finally:
        child.kill()
        child.communicate()


async def test_without_re_use_every_sample_is_a_request_with_the_cache_off(monkeypatch):
    from contest.ours import OneAtATime

    bodies = []

    class Worker:
        async def exchange(self, body, seconds):
            bodies.append(body)
            message = {"content": f"text {body['seed']}"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            return {"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}

    client = OneAtATime(model=None, load={})
    client._worker = Worker()
    reply = await client.generate(
        GenerationRequest(
            messages=(Message(role="user", content="Hi"),),
            max_tokens=4, temperature=1.0, n=3, seed=7,
        )
    )  # fmt: skip
    assert reply.texts == ("text 7", "text 8", "text 9")
    assert [body["cache_prompt"] for body in bodies] == [False] * 3
    assert [body["n"] for body in bodies] == [1] * 3
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (9, 6)
    assert client.n_requests == 3


def talk(task, *, wanted, replies):
    messages = [{"role": "system", "content": "policy"}, {"role": "user", "content": "hello"}]
    for place in range(replies):
        messages += [
            {"role": "assistant", "content": f"question {place}"},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "content": "{}"},
            {"role": "user", "content": f"reply {place}"},
        ]
    actions = [{"name": name} for name in wanted]
    return {"task_id": task, "info": {"task": {"actions": actions}}, "traj": messages}


def test_a_customers_replies_become_hints(tmp_path):
    """One talk of each task, those that are too short or want no action are left out."""
    from contest.talks import read_talks

    runs = [
        talk(1, wanted=["book_reservation", "calculate"], replies=3),
        talk(1, wanted=["book_reservation"], replies=4),
        talk(2, wanted=["cancel"], replies=1),
        talk(3, wanted=[], replies=3),
        talk(4, wanted=["cancel"], replies=2),
    ]
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(runs), encoding="utf-8")
    found = read_talks(path, 2)
    assert [one.id for one in found] == ["talk-1", "talk-4"]
    assert found[0].gold == ("book reservation",)
    assert [(hint.question, hint.answer) for hint in found[0].hints] == [
        ("question 0", "reply 0"),
        ("question 1", "reply 1"),
    ]


@pytest.mark.parametrize("text", ["no JSON", "[1]", '[{"traj": []}]'])
def test_what_is_no_file_of_talks_is_named(tmp_path, text):
    from contest.talks import read_talks

    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"other\.json"):
        read_talks(path, 2)
    with pytest.raises(InputError, match=r"missing\.json"):
        read_talks(tmp_path / "missing.json", 2)
