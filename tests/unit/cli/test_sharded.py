"""``turnsure sharded``, against an endpoint on loopback."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from tests.support.answering_server import AnsweringServer
from turnsure.cli.sharded import sharded
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import write_dialogues

N_TASKS, N_PIECES, N_RUNS = 20, 3, 2


class LostInConversation(AnsweringServer):
    """Solves what it is told in one message; piece by piece it solves every other task."""

    def _text(self, body, text, place):
        asked = body["messages"]
        if "task " not in asked[0]["content"]:
            return "hello"  # it is being found out what the endpoint can do
        k = int(asked[0]["content"].split("task ")[1].split()[0])
        lost = len(asked) > 1 and k % 2
        return f"\\boxed{{{'nothing' if lost else k}}}"


@pytest.fixture(scope="module")
def running():
    with LostInConversation() as model:
        yield model


@pytest.fixture
def model(running, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    running.asked.clear()
    return running


def task(k, **meta):
    pieces = [f"task {k} piece {piece}" for piece in range(N_PIECES)]
    return Dialogue(
        id=f"t{k}",
        task="Find the number.",
        hints=tuple(Hint(answer=piece) for piece in pieces),
        gold=(str(k),),
        meta={"full": " and ".join(pieces)} | meta,
    )


@pytest.fixture
def tasks(tmp_path):
    path = tmp_path / "tasks.jsonl"
    write_dialogues(path, [task(k) for k in range(N_TASKS)])
    return path


def run(model, *arguments):
    settings = ("--model", "openai:tiny", "--base-url", model.base_url, "--resamples", "200")
    return CliRunner().invoke(
        sharded, [*map(str, arguments), *settings], catch_exceptions=False, standalone_mode=False
    )


def questions(model):
    bodies = [json.loads(text) for text in model.asked.elements()]
    return [body for body in bodies if "Find the number" in body["messages"][0]["content"]]


def test_what_is_lost_piece_by_piece_is_found_and_kept(model, tasks, tmp_path):
    arguments = (tasks, "--runs", N_RUNS, "-o", tmp_path / "out")
    shown = run(model, *arguments)
    assert "sharded version is harder than the full one" in " ".join(shown.stdout.split())
    assert "the concatenated version is solved exactly as well" in " ".join(shown.stdout.split())
    body = json.loads((tmp_path / "out" / "sharded.json").read_text())
    assert body["versions"]["full"]["mean"]["value"] == 1.0
    assert body["versions"]["sharded"]["mean"]["value"] == 0.5
    assert body["drops"]["sharded"]["mean"]["value"] == 0.5
    assert body["drops"]["concatenated"]["mean"]["value"] == 0.0
    lines = (tmp_path / "out" / "runs.jsonl").read_text().splitlines()
    assert len(lines) == N_TASKS * N_RUNS * 3
    n_asked = len(questions(model))
    assert n_asked == N_TASKS * N_RUNS * (1 + 1 + N_PIECES)
    again = run(model, *arguments, "--format", "json")
    assert len(questions(model)) == n_asked
    assert json.loads(again.stdout)["versions"] == body["versions"]


def test_some_versions_of_some_tasks(model, tasks, tmp_path):
    shown = run(
        model, tasks, "--runs", 1, "--limit", 3, "--versions", "sharded", "--format", "markdown",
        "-o", tmp_path / "out", "--scoring", "any",
    )  # fmt: skip
    assert len(questions(model)) == 3 * N_PIECES
    assert "| sharded |" in shown.stdout
    assert "full" not in shown.stdout
    assert "A right answer at any turn counts." in shown.stdout


def test_a_task_without_its_full_text_is_refused_before_anything_is_asked(model, tmp_path):
    path = tmp_path / "bare.jsonl"
    write_dialogues(path, [task(1), Dialogue(id="t2", task="x", hints=task(2).hints, gold=("2",))])
    with pytest.raises(InputError, match="'t2' has no full text"):
        run(model, path)
    assert not model.asked
    run(model, path, "--versions", "sharded", "--runs", 1, "-o", tmp_path / "out")


@pytest.mark.parametrize("wrong", [("--runs", 0), ("--versions", "full,half")])
def test_a_wrong_setting_is_refused(model, tasks, wrong):
    with pytest.raises(InputError):
        run(model, tasks, *wrong)
    assert not model.asked
