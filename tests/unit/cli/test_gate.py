"""``turnsure gate``, in process."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.support import gates
from turnsure.calibration.gate_file import gate_schema
from turnsure.cli.gate import gate
from turnsure.core.errors import InputError, LeakageError
from turnsure.experiment.gating.files import read_gate, write_gate


def call(*arguments: object) -> Result:
    return CliRunner().invoke(gate, [str(one) for one in arguments], catch_exceptions=True)


def refused(*arguments: object) -> InputError:
    error = call(*arguments).exception
    assert isinstance(error, InputError), error
    return error


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gates.run(tmp_path_factory.mktemp("cli"))[0]


@pytest.fixture(scope="module")
def made(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gate") / "gate.json"
    flags = ("--answer-at", 0.6, "--ask-at", 0.2, "--resamples", 20)
    assert call("build", run, "-o", path, *flags).exit_code == 0
    return path


def test_build_writes_what_show_says(run, made):
    shown = call("show", made)
    assert shown.exit_code == 0
    assert "answers from a probability of 0.6000 on" in shown.output
    assert "asks from 0.2000 on" in shown.output
    assert "fitted on 24 dialogues" in shown.output
    assert "Name the country." in shown.output
    assert max(map(len, shown.output.splitlines())) <= 110


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (("--target-error", 0.4, "--confidence", 0.8), "fixed sequence"),
        (("--target-error", 0.4, "--bound", "bonferroni", "--unit", "dialogue"), "bonferroni"),
        (("--cost-wrong", 10, "--cost-ask", 1, "--cost-review", 4), "costs"),
        (("--answer-at", 0.7, "--irreversible", "refund", "--most-turns", 2), "refund"),
        (("--answer-at", 0.7, "--expires", "2030-01-01"), "answers nothing after 2030-01-01"),
        (("--target-error", 0.0001), "never answers"),
    ],
)
def test_ways_to_build(run, tmp_path, flags, text):
    path = tmp_path / "gate.json"
    result = call("build", run, "-o", path, *flags, "--resamples", 20)
    assert result.exit_code == 0, result.exception
    assert text in result.output
    assert read_gate(path).method == "p_true"


def test_a_gate_that_answers_nothing_is_said_aloud(run, tmp_path):
    flags = ("--target-error", 0.0001, "--resamples", 20)
    result = call("build", run, "-o", tmp_path / "g.json", *flags)
    assert "this gate answers nothing" in result.stderr


@pytest.mark.parametrize(
    ("flags", "field"),
    [
        ((), "rule"),
        (("--target-error", 5), "error"),
        (("--confidence", 0.9), "target-error"),
        (("--cost-ask", 1), "cost-wrong"),
        (("--cost-wrong", -1), "wrong_answer"),
        (("--answer-at", 0.5, "--target-error", 0.1), "rule"),
        (("--answer-at", 1.5), "answer_at"),
        (("--answer-at", 0.5, "--ask-at", 0.7), "ask_at"),
        (("--answer-at", 0.5, "--expires", "soon"), "expires"),
        (("--answer-at", 0.5, "--most-turns", 0), "most_turns"),
        (("--answer-at", 0.5, "--method", "p_tru"), "method"),
    ],
)
def test_mistakes_in_building_leave_no_file(run, tmp_path, flags, field):
    path = tmp_path / "gate.json"
    assert refused("build", run, "-o", path, *flags).field == field
    assert not path.exists()


def test_columns_of_a_file_can_be_named(tmp_path):
    scores = tmp_path / "s.csv"
    lines = [f"q{n},{n},{n % 3 > 0}" for n in range(0, 100, 5)]
    scores.write_text("key,sure,fine\n" + "\n".join(lines) + "\n")
    path = tmp_path / "gate.json"
    flags = ("--score", "sure", "--correct", "fine", "--dialogue", "key", "--percent")
    result = call(
        "build", scores, "-o", path, "--answer-at", 0.5, *flags, "--map", "identity",
        "--resamples", 20,
    )  # fmt: skip
    assert result.exit_code == 0, result.exception
    assert "no model can be asked" in result.output
    assert read_gate(path).evidence["n_rows"] == 20


def test_check_says_whether_it_is_as_it_was_built(made, tmp_path):
    assert "as it was built" in call("check", made).output
    forged = tmp_path / "forged.json"
    gate_of_no_map = replace(read_gate(made), map={"name": "platt"})
    write_gate(gate_of_no_map, forged)
    assert refused("check", forged).field == "map.feature"
    spoilt = tmp_path / "gate.json"
    spoilt.write_text(made.read_text().replace('"answer_at": 0.6', '"answer_at": 0.1'))
    error = refused("check", spoilt)
    assert (error.field, error.file) == ("rule", str(spoilt))


def test_the_schema_is_printed():
    assert json.loads(call("schema").output) == gate_schema()


def test_replay_prints_policies_or_json(made, run, tmp_path):
    assert isinstance(call("replay", made, run).exception, LeakageError)
    result = call("replay", made, run, "--in-sample", "--resamples", 20)
    assert "IN SAMPLE" in result.output
    for name in ("gate", "always the last turn", "oracle"):
        assert name in result.output
    body = json.loads(
        call(
            "replay", made, run, "--in-sample", "--format", "json", "--resamples", 20,
            "--at-end", "answer",
        ).output
    )  # fmt: skip
    assert body["in_sample"] is True
    assert body["policies"][0]["n_answered"] == 24


@pytest.mark.parametrize(
    ("flags", "field"),
    [
        (("--model", "local:file.gguf"), "model"),
        (("--model", "openai:"), "model"),
        (("--model", "openai:x", "--base-url", "ftp://host"), "base_url"),
        (("--model", "openai:x", "--most-requests", 0), "in_flight"),
        (("--model", "openai:x", "--timeout", -1), "timeout"),
    ],
)
def test_a_service_that_cannot_be(made, flags, field):
    address = () if "--base-url" in flags else ("--base-url", "http://127.0.0.1:9/v1")
    assert refused("serve", "--gate", made, *flags, *address).field == field


def test_a_port_that_is_taken_is_told_with_its_flag(made, monkeypatch):
    from turnsure.experiment.gating.gate import Gate

    async def started(self: Gate) -> None:
        del self

    monkeypatch.setattr(Gate, "start", started)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        error = refused(
            "serve", "--gate", made, "--model", "openai:tiny", "--port", port,
            "--base-url", "http://127.0.0.1:9/v1",
        )  # fmt: skip
    assert error.field == "port"
    assert f"127.0.0.1, port {port}" in error.problem


def test_a_run_that_is_not_there_is_no_file_of_scores(made, tmp_path):
    assert refused("replay", made, tmp_path / "none").problem == "no such folder"


def test_what_is_set_by_hand_and_not_mapped_is_not_said_to_be_chosen_and_fitted(run, tmp_path):
    flags = ("--answer-at", 0.6, "--map", "identity", "--resamples", 20)
    text = call("build", run, "-o", tmp_path / "gate.json", *flags).output
    assert "  map       none: the score is taken as it is\n" in text
    assert "  threshold set by hand\n" in text


async def test_the_service_as_a_process_stops_on_a_signal(made, tmp_path):
    """Started by hand, told its address on standard output, ended by SIGTERM with exit code 0."""
    import asyncio

    from tests.support.chat_upstream import ChatUpstream

    async with ChatUpstream() as upstream:
        code = "from turnsure.cli.gate import gate; gate()"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, "serve", "--gate", str(made), "--model", "openai:tiny",
            "--base-url", upstream.base_url, "--port", "0", "--on-mismatch", "escalate",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        line = (await process.stdout.readline()).decode()
        assert line.startswith("Serving http://127.0.0.1:"), await process.stderr.read()
        process.send_signal(signal.SIGTERM)
        _, said = await process.communicate()
        assert process.returncode == 0, said
        assert b"Everything escalates: model." in said
        assert said.rstrip().endswith(b"Stopped.")
