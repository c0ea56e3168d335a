"""``turnsure build`` as a user runs it, against a real HTTP server on loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from aiohttp import web
from click.testing import CliRunner, Result

from tests.e2e.test_cli import KEY, turnsure
from tests.support.answering_server import AnsweringServer
from tests.support.playing import WORDS, entities
from turnsure.cli.build import NOTHING_KEPT
from turnsure.cli.main import cli
from turnsure.core import errors
from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import read_dialogues

NAMES = ("Peru", "Chad", "Japan", "Kenya")
N_TURNS = 2
REQUESTS_A_TURN = 4


class PlayingServer(AnsweringServer):
    """Plays both roles: told apart by what it is asked, as a model would."""

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        text = body["messages"][-1]["content"]
        if "Secret: " not in text and "fact?" not in text:
            return super().reply(body)  # finding out what the server can do
        answer = super().reply({**body, "logprobs": False})
        choice = answer["choices"][0]
        if not body.get("logprobs"):
            choice["message"]["content"] = self._said(text)
        elif self.log_probabilities:
            known = text.count("fact?") >= N_TURNS
            letter = "A" if known == ("A. Only" in text) else "B"
            top = [{"token": letter, "logprob": -0.1}, {"token": "AB".strip(letter), "logprob": -3}]
            choice["message"]["content"] = letter
            choice["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
        return answer

    def _said(self, text: str) -> str:
        if "Secret: " in text:
            place = next(i for i, name in enumerate(NAMES) if f"Secret: {name}\n" in text)
            n = text.count("fact")
            return f"Q: What is its {WORDS[n]} fact?\nA: {WORDS[place]} {WORDS[n + 10]}"
        place = next(i for i, word in enumerate(WORDS) if f"fact? {word} " in text)
        return NAMES[place] if text.count("fact?") >= N_TURNS else "Atlantis"


@pytest.fixture
def server():
    with PlayingServer() as running:
        yield running


def in_process(*arguments: object) -> Result:
    """The same command without the second that a process takes to start."""
    texts = [str(one) for one in arguments]
    return CliRunner(env={"OPENAI_API_KEY": KEY, "COLUMNS": "120"}).invoke(cli, texts)


def command(server, folder, *more: object) -> list[object]:
    return [
        "build", "guess", "--entities", entities(folder, *NAMES), "--task", "Name the country.",
        "--hinter", "openai:tiny", "--base-url", server.base_url, "--turns", 3,
        "-o", folder / "out.jsonl", *more,
    ]  # fmt: skip


def games_asked(server) -> Counter[str]:
    """Requests of the games alone; what a server can do is found out anew at each start."""
    return Counter(
        {body: n for body, n in server.asked.items() if "Secret: " in body or "fact?" in body}
    )


def test_a_build_is_whole_and_can_be_run(server, tmp_path):
    ran = turnsure(*command(server, tmp_path), OPENAI_API_KEY=KEY)
    assert ran.returncode == 0, ran.stderr
    assert "4 of 4 games kept: 100.0 %" in ran.stdout
    assert len(read_dialogues(tmp_path / "out.jsonl")) == 4
    folder = tmp_path / "out.build"
    assert {path.name for path in folder.iterdir()} >= {
        "build.json", "build.md", "games.jsonl", "store.sqlite",
    }  # fmt: skip
    assert "to read" in (folder / "build.md").read_text()
    assert games_asked(server).total() == len(NAMES) * N_TURNS * REQUESTS_A_TURN
    written = ran.stdout + ran.stderr
    for path in folder.iterdir():
        written += path.read_bytes().decode("utf-8", "replace")
    assert KEY not in written
    record = json.loads((folder / "build.json").read_text())
    assert record["protocol"]["uniqueness"]["reading"] == "logprobs"

    server.asked.clear()
    again = in_process(*command(server, tmp_path))
    assert again.exit_code == 0, again.output
    assert games_asked(server).total() == 0
    checked = in_process("dialogues", "check", tmp_path / "out.jsonl", "--strict")
    assert checked.exit_code == 0, checked.output


def test_a_build_that_is_killed_goes_on_where_it_was(server, tmp_path):
    arguments = [sys.executable, "-m", "turnsure", *map(str, command(server, tmp_path))]
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)

    def kill(count: int) -> None:
        if games_asked(server).total() == 17:
            os.kill(process.pid, signal.SIGKILL)

    server.after = kill
    assert process.wait(60) == -signal.SIGKILL
    server.after = lambda count: None
    assert not (tmp_path / "out.jsonl").exists()
    ran = in_process(*command(server, tmp_path))
    assert ran.exit_code == 0, ran.output
    assert len(read_dialogues(tmp_path / "out.jsonl")) == 4
    asked = games_asked(server)
    assert len(asked) == len(NAMES) * N_TURNS * REQUESTS_A_TURN
    # Only what was in flight is asked again: each game has one request at a time.
    assert asked.total() - len(asked) <= len(NAMES)


def test_roles_have_their_own_servers_and_keys(server, tmp_path):
    with PlayingServer() as other:
        more = ("--guesser", "openai:tiny", "--guesser-url", other.base_url)
        ran = in_process(*command(server, tmp_path, *more))
        assert ran.exit_code == 0, ran.output
        assert all("Secret: " in body for body in games_asked(server))
        assert not any("Secret: " in body for body in games_asked(other))
        assert games_asked(other).total() == len(NAMES) * N_TURNS * 3


def test_a_server_without_log_probabilities_is_asked_for_letters(server, tmp_path):
    server.log_probabilities = False
    ran = in_process(*command(server, tmp_path, "--limit", 1))
    # The letters are the double's answers, which are none.
    assert ran.exit_code == NOTHING_KEPT, ran.output
    record = json.loads((tmp_path / "out.build" / "build.json").read_text())
    assert record["protocol"]["uniqueness"]["reading"] == "sampled"
    assert record["counts"]["dropped"] == {"never_certified": 1}
    assert "Nothing was kept" in ran.output
    assert not (tmp_path / "out.jsonl").exists()


def test_a_request_that_is_refused_drops_one_game_and_is_asked_again(server, tmp_path):
    async def refuse(server, request, body):
        return web.json_response({"error": {"message": "content policy"}}, status=400)

    server.behave = lambda body, time: (
        refuse if "Secret: Chad" in body["messages"][-1]["content"] else None
    )
    ran = in_process(*command(server, tmp_path))
    assert ran.exit_code == 0, ran.output
    assert "3 of 4 games kept" in ran.output
    assert "backend_failed" in ran.output
    assert "asks what failed again" in ran.output
    server.behave = lambda body, time: None
    again = in_process(*command(server, tmp_path))
    assert "4 of 4 games kept" in again.output


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--turns", 0), "field 'turns'"),
        (("--certain", 1), "field 'certain'"),
        (("--entities", "missing.txt"), "no such file"),
        (("--entities", "world:narnia"), "narnia"),
        (("--wording", "missing.toml"), "no such file"),
        (("--task", "Say Peru."), "names the entity 'Peru'"),
        (("--guesser", "openai:tiny", "--base-url", "nowhere"), "base_url"),
        (("--hinter", "nonsense"), "names no model"),
        (("-o", "x.build"), "no file of dialogues"),
        (("--out", ""), "the path is empty"),
    ],
)
def test_a_mistake_is_one_clear_line_and_nothing_is_asked(server, tmp_path, more, says):
    ran = in_process(*command(server, tmp_path, *more))
    assert isinstance(ran.exception, InputError)
    assert says in str(ran.exception)
    assert "\n" not in str(ran.exception)
    assert games_asked(server).total() == 0


def test_the_exit_code_is_no_other_error():
    codes = {
        one.exit_code for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, errors.TurnsureError)
    }  # fmt: skip
    assert NOTHING_KEPT not in codes | {0, 1, 2, 10, 20, 130}
