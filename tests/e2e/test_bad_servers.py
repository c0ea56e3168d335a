"""``turnsure run`` as a process against servers that misbehave.

What succeeded equals what a healthy server gives, what failed is typed and counted, and the run
goes on where it can and stops with one line where it cannot.
"""

from __future__ import annotations

import asyncio
import email.utils
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.support.answering_server import AnsweringServer, Behaviour, number_of
from tests.support.flows import dialogue
from tests.support.http_server import cut, hang_up, raw, status
from turnsure.core.confidence import Confidence
from turnsure.core.outcome import Failure
from turnsure.core.spec import DEFAULT_METHODS as METHODS
from turnsure.dialogues.jsonl import write_dialogues
from turnsure.store.turns_file import read_turns

KEY = "sk-very-secret-0123456789"
SHORT_TIMEOUT = 3.0

OVERFLOW = {"error": {"message": "too many tokens", "code": "context_length_exceeded"}}
REFUSED_KEY = {"error": {"message": f"Incorrect API key provided: {KEY}"}}


@pytest.fixture(scope="module")
def running():
    with AnsweringServer() as server:
        yield server


@pytest.fixture
def server(running):
    """The one server, healthy again: the address is part of what is compared."""
    running.behave = lambda body, time: None
    running.models = None
    running.asked.clear()
    running.answered.clear()
    return running


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "data.jsonl"
    write_dialogues(path, [dialogue(3, name=name) for name in ("a", "b")])
    return path


@pytest.fixture(scope="module")
def whole(running, data, tmp_path_factory):
    """The folder of a run that nothing disturbed."""
    out = tmp_path_factory.mktemp("whole")
    ran = run(running, data, out)
    assert ran.returncode == 0, ran.stderr
    return out


def run(
    server: AnsweringServer, data: Path, out: Path, *more: object
) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(
        [
            sys.executable, "-m", "turnsure", "run", "--data", str(data), "--model", "openai:tiny",
            "--base-url", server.base_url, "--samples", "3", "--resamples", "20", "--out", str(out),
            *map(str, more),
        ],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "COLUMNS": "120", "OPENAI_API_KEY": KEY},
    )  # fmt: skip
    assert "Traceback" not in ran.stderr, ran.stderr
    assert KEY not in ran.stdout + ran.stderr
    return ran


def results(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "turns.parquet").read_bytes(), (folder / "metrics.json").read_bytes()


def scores(folder: Path) -> dict[tuple[str, int, str, str, str], Any]:
    """The confidence of every row, or its failure, by the row's key."""
    table, _ = read_turns(folder / "turns.parquet")
    return {row.key: row.confidence for row in table.rows}


def is_measuring(body: dict[str, Any]) -> bool:
    """Whether a request shows a clue; the others find out what the server can do."""
    return "Clue" in json.dumps(body)


def most_often_answered(server: AnsweringServer) -> int:
    return max(n for body, n in server.answered.items() if is_measuring(json.loads(body)))


def one_of(behaviours: Sequence[Behaviour], body: dict[str, Any]) -> Behaviour:
    return behaviours[number_of(body) % len(behaviours)]


def changed(change: Callable[[dict[str, Any]], object]) -> Behaviour:
    """The honest reply, spoilt."""

    async def behave(
        server: AnsweringServer, request: web.Request, body: dict[str, Any]
    ) -> web.Response:
        reply = server.reply(body)
        change(reply)
        return web.json_response(reply)

    return behave


def says(content: str | None) -> Behaviour:
    return changed(
        lambda reply: [choice["message"].update(content=content) for choice in reply["choices"]]
    )


def drop_log_probabilities(reply: dict[str, Any]) -> None:
    for choice in reply["choices"]:
        choice.pop("logprobs", None)


def keep_one_choice(reply: dict[str, Any]) -> None:
    del reply["choices"][1:]


async def too_slow(
    server: AnsweringServer, request: web.Request, body: dict[str, Any]
) -> web.Response:
    await asyncio.sleep(2 * SHORT_TIMEOUT)
    return web.json_response(server.reply(body))


async def busy_until(
    server: AnsweringServer, request: web.Request, body: dict[str, Any]
) -> web.Response:
    when = email.utils.formatdate(time.time() + 1, usegmt=True)
    return web.json_response({}, status=429, headers={"Retry-After": when})


def test_passing_troubles_leave_no_trace_in_the_results(whole, server, data, tmp_path):
    troubles = (
        status(429, {"error": {"message": "slow down"}}, headers={"Retry-After": "0.2"}),
        busy_until, status(500, {"error": "boom"}), status(503), raw("<html>oops"),
        raw('{"choices": [{"message": 5}]}'), raw("[1, 2]"), raw('{"choices": []}'), cut, hang_up,
        too_slow, changed(drop_log_probabilities), changed(keep_one_choice),
    )  # fmt: skip
    used: Counter[Behaviour] = Counter()

    def once(body: dict[str, Any], time: int) -> Behaviour | None:
        if time > 1 or not is_measuring(body):
            return None
        chosen = one_of(troubles, body)
        used[chosen] += 1
        return chosen

    server.behave = once
    ran = run(server, data, tmp_path / "troubled", "--timeout", SHORT_TIMEOUT)
    assert ran.returncode == 0, ran.stderr
    assert ", 0 failed." in ran.stdout
    assert results(tmp_path / "troubled") == results(whole)
    assert len(used) >= len(troubles) - 3
    assert most_often_answered(server) == 1


def test_lasting_troubles_fail_their_items_and_no_others(whole, server, data, tmp_path):
    lasting: dict[str, Sequence[Behaviour]] = {
        "rejected": (status(400, {"error": {"message": "no"}}), status(404, {})),
        "context_overflow": (status(400, OVERFLOW),),
        "rate_limited": (status(429, {}, headers={"Retry-After": "9999"}),),
        "malformed_response": (raw('{"choices": [{"message": 5}]}'), raw("<html>oops")),
        "empty": (says(""), says(None)),
    }
    kinds = list(lasting)
    chosen: dict[str, Behaviour | None] = {}

    def always(body: dict[str, Any], time: int) -> Behaviour | None:
        if not is_measuring(body) or body["temperature"]:
            return None
        written = json.dumps(body)
        if written not in chosen:
            # Every other question is in trouble, with all kinds in turn.
            turn, spoilt = divmod(len(chosen), 2)
            kind = kinds[turn % len(kinds)]
            if kind == "empty" and body.get("logprobs"):
                kind = "rejected"  # to a probe an empty text is no trouble
            chosen[written] = lasting[kind][turn % len(lasting[kind])] if spoilt else None
        return chosen[written]

    server.behave = always
    out = tmp_path / "troubled"
    ran = run(server, data, out)
    assert ran.returncode == 0, ran.stderr

    expected, found = scores(whole), scores(out)
    assert found.keys() == expected.keys()
    failed: Counter[tuple[str, str, str]] = Counter()
    for key, confidence in found.items():
        if isinstance(confidence, Confidence):
            assert confidence == expected[key]
        else:
            failed[key[3], key[4], confidence.kind] += 1
    assert {kind for *_, kind in failed} == set(lasting)
    assert 0 < failed.total() < len(expected)
    told = json.loads((out / "metrics.json").read_text())["methods"]
    counted = {
        ("answer", one["method"], kind): n for one in told for kind, n in one["failures"].items()
    }
    assert counted.items() <= failed.items()
    assert counted

    # Empty replies are replies and are kept; everything else is asked again.
    server.behave = lambda body, time: None
    again = run(server, data, out)
    assert again.returncode == 0, again.stderr
    left = [one.kind for one in scores(out).values() if isinstance(one, Failure)]
    assert set(left) == {"empty"}
    assert most_often_answered(server) == 1


def test_log_probabilities_that_stop_in_mid_run_fail_the_probes_alone(
    whole, server, data, tmp_path
):
    server.behave = lambda body, time: (
        changed(drop_log_probabilities) if is_measuring(body) else None
    )
    out = tmp_path / "blind"
    ran = run(server, data, out)
    assert ran.returncode == 0, ran.stderr
    expected = scores(whole)
    for key, confidence in scores(out).items():
        if key[-1] in ("p_true", "p_sufficient"):
            assert confidence.kind == "malformed_response"
            assert "no log-probabilities" in confidence.message
        else:
            assert confidence == expected[key]


def test_a_refused_key_stops_the_run_before_the_first_clue(server, data, tmp_path):
    server.models = status(200, {"data": []})
    server.behave = lambda body, time: status(401, REFUSED_KEY)
    ran = run(server, data, tmp_path / "run")
    assert ran.returncode == 4
    assert ran.stderr.splitlines()[-1].startswith("turnsure: ")
    assert "the key was refused; it is read from OPENAI_API_KEY" in ran.stderr
    assert server.asked.total() == 1


def test_a_model_that_is_not_there_is_named_with_those_that_are(server, data, tmp_path):
    server.models = status(200, {"data": [{"id": "small"}, {"id": "large"}]})
    ran = run(server, data, tmp_path / "run")
    assert ran.returncode == 2
    assert "has no model 'tiny'" in ran.stderr
    assert "small" in ran.stderr
    assert not server.asked


def test_a_run_in_which_nothing_was_answered_is_no_result(server, data, tmp_path):
    server.behave = lambda body, time: status(404, {}) if is_measuring(body) else None
    ran = run(server, data, tmp_path / "run", "--limit", 1, "--no-gold")
    assert ran.returncode == 4
    assert "every request failed, so the run stops" in ran.stderr
    assert not (tmp_path / "run" / "metrics.json").exists()


def test_a_server_that_is_away_for_a_moment_is_waited_for(whole, server, data, tmp_path):
    dying = dies_at_request(server, 20)
    back = threading.Thread(target=lambda: dying.wait(60) and server.revive())
    back.start()
    ran = run(server, data, tmp_path / "waited")
    back.join()
    assert ran.returncode == 0, ran.stderr
    assert ", 0 failed." in ran.stdout
    assert results(tmp_path / "waited") == results(whole)


def test_a_run_whose_server_died_is_finished_by_running_it_again(whole, server, data, tmp_path):
    short = (server, data, tmp_path / "interrupted", "--limit", 1, "--no-gold")
    a_turn = 1 + len(METHODS)
    dies_at_request(server, 2 * a_turn + 1)  # the first question of the third turn
    ran = run(*short)
    assert ran.returncode == 0, ran.stderr
    kinds = Counter(getattr(one, "kind", "scored") for one in scores(short[2]).values())
    assert kinds == {"scored": 2 * len(METHODS), "unavailable": len(METHODS)}

    server.revive()
    ran = run(*short)
    assert ran.returncode == 0, ran.stderr
    assert scores(short[2]) == {
        key: one for key, one in scores(whole).items() if (key[0], key[3]) == ("a", "answer")
    }
    assert most_often_answered(server) == 1


def dies_at_request(server: AnsweringServer, number: int) -> threading.Event:
    """Let the server die instead of answering the request of this number that shows a clue."""
    dying = threading.Event()
    seen = itertools.count(1)

    def behave(body: dict[str, Any], time: int) -> Behaviour | None:
        if dying.is_set() or not is_measuring(body) or next(seen) < number:
            return None
        server.die()
        dying.set()
        return hang_up

    server.behave = behave
    return dying
