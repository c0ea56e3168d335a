"""A run that is stopped, however roughly, ends as if it had never stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.answering_server import AnsweringServer
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.jsonl import write_dialogues

N_DIALOGUES, N_TURNS = 4, 3
REQUESTS_A_TURN = 9  # answer, samples, and four methods for two targets


@pytest.fixture
def server():
    with AnsweringServer() as running:
        yield running


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.jsonl"
    write_dialogues(
        path,
        [
            Dialogue(
                id=f"d{number}",
                task="Name the country.",
                hints=tuple(Hint(answer=f"Clue {number}.{turn}.") for turn in range(N_TURNS)),
                gold=("Peru",),
            )
            for number in range(N_DIALOGUES)
        ],
    )
    return path


def command(data: Path, server: AnsweringServer, out: Path, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "turnsure", "run", "--data", str(data), "--model", "openai:tiny",
        "--base-url", server.base_url, "--samples", "3", "--resamples", "50", "--out", str(out),
        "--concurrency", "3", *more,
    ]  # fmt: skip


def finish(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)


def results(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "turns.parquet").read_bytes(), (folder / "metrics.json").read_bytes()


@pytest.fixture
def whole(data, server, tmp_path):
    """The results of a run that nobody stopped."""
    ran = finish(command(data, server, tmp_path / "whole"))
    assert ran.returncode == 0, ran.stderr
    server.asked.clear()
    return results(tmp_path / "whole")


@pytest.mark.parametrize("kill_at", [5, 20, 47, 90])
def test_kill_9_loses_nothing_and_repeats_nothing(kill_at, data, server, whole, tmp_path):
    out = tmp_path / "killed"
    process = subprocess.Popen(command(data, server, out), stderr=subprocess.DEVNULL)

    def kill(count: int) -> None:
        if count == kill_at:
            os.kill(process.pid, signal.SIGKILL)

    server.after = kill
    assert process.wait(60) == -signal.SIGKILL
    server.after = lambda count: None
    before = dict(server.asked)

    ran = finish(command(data, server, out))
    assert ran.returncode == 0, ran.stderr
    assert results(out) == whole

    # Only what was in flight may be asked again: three dialogues with one turn's requests each.
    # (Finding out what the server can do is asked anew at each start; it shows no clue.)
    in_flight = 3 * REQUESTS_A_TURN
    again = [body for body, count in server.asked.items() if count > 1 and "Clue" in body]
    assert len(again) <= in_flight
    kept = int(json.loads((out / "run.json").read_text())["asked"]["n_from_store"])
    assert kept >= sum(1 for body in before if "Clue" in body) - in_flight


def test_a_finished_run_asks_nothing_more(data, server, whole, tmp_path):
    ran = finish(command(data, server, tmp_path / "whole"))
    assert ran.returncode == 0, ran.stderr
    assert not [body for body in server.asked if "Clue" in body]
    assert results(tmp_path / "whole") == whole


def test_ctrl_c_stops_quickly_and_says_how_to_go_on(data, server, whole, tmp_path):
    out = tmp_path / "stopped"
    arguments = command(data, server, out)
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
    reached = []

    def note(count: int) -> None:
        if count == 30:
            reached.append(time.monotonic())
            process.send_signal(signal.SIGINT)

    server.after = note
    _, message = process.communicate(timeout=60)
    assert time.monotonic() - reached[0] < 5.0
    assert process.returncode == 130
    assert "Traceback" not in message
    assert "Go on with: turnsure run" in message
    server.after = lambda count: None
    assert finish(arguments).returncode == 0
    assert results(out) == whole


def test_a_second_process_on_the_same_folder_refuses(data, server, tmp_path):
    out = tmp_path / "shared"
    second = []

    def start_another(count: int) -> None:
        if count == 30:
            second.append(
                subprocess.Popen(command(data, server, out), stderr=subprocess.PIPE, text=True)
            )

    server.after = start_another
    first = subprocess.Popen(command(data, server, out), stderr=subprocess.DEVNULL)
    slow = time.monotonic()

    def hold(count: int) -> None:
        # The first run stays busy until the second one has given up.
        if count > 40 and second and second[0].poll() is None and time.monotonic() - slow < 30:
            time.sleep(0.2)

    server.before = hold
    assert first.wait(90) == 0
    _, message = second[0].communicate(timeout=60)
    assert second[0].returncode == 8
    assert "is in use by another turnsure" in message
    assert "Traceback" not in message
