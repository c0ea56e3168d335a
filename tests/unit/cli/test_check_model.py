"""``turnsure dialogues check --model``, against an endpoint on loopback."""

from __future__ import annotations

import json

import pytest
from aiohttp import web
from click.testing import CliRunner

from tests.support.answering_server import AnsweringServer
from tests.support.planted_answers import N_TURNS, answering, gold, planted
from turnsure.cli.check import NOT_CLEAN, check
from turnsure.core.dialogue import Hint
from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import read_dialogues, write_dialogues


class Model(AnsweringServer):
    """Answers as planted; it refuses prompts with a word in ``refused``."""

    def __init__(self):
        super().__init__()
        self.right = lambda k, n: n >= 3
        self.refused = ()
        self.behave = self._refusal

    def _text(self, body, text, place):
        return answering(self.right)(text)

    def _refusal(self, body, time):
        prompt = body["messages"][-1]["content"]
        if not any(word in prompt for word in self.refused):
            return None

        async def refuse(server, request, body):
            return web.json_response({"error": {"message": "no"}}, status=400)

        return refuse


@pytest.fixture(scope="module")
def running():
    with Model() as model:
        yield model


@pytest.fixture
def model(running, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    running.right, running.refused = lambda k, n: n >= 3, ()
    running.asked.clear()
    return running


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "d.jsonl"
    write_dialogues(path, planted(12))
    return path


def call(model, *arguments):
    reached = ("--model", "openai:tiny", "--base-url", model.base_url, "--resamples", "100")
    flags = [str(one) for one in (*arguments, *reached)]
    return CliRunner().invoke(check, flags, env={"COLUMNS": "120"})


def body_of(ran):
    return json.loads(ran.stdout)


def asked_about(model):
    return sum(model.asked.values()) - 1  # the first finds out what the endpoint can do


def test_dialogues_that_grow_on_hints_are_clean(model, data, tmp_path):
    ran = call(model, data)
    assert ran.exit_code == 0, ran.output
    assert "12 dialogues, clean" in ran.stdout
    assert "Hints help" in ran.stdout
    assert "0 of 12 dialogues" in ran.stdout
    assert "runs/check-d-tiny" in ran.stderr
    kept = json.loads((tmp_path / "runs" / "check-d-tiny" / "answers.json").read_text())
    assert (kept["rise"], len(kept["dialogues"])) == ("rises", 12)


def test_what_was_answered_is_not_asked_again(model, data, tmp_path):
    call(model, data, "-o", "kept", "--limit", 4)
    before = asked_about(model)
    assert before == 4 * (N_TURNS + 1)
    ran = call(model, data, "-o", "kept", "--limit", 6)
    assert asked_about(model) - 1 - before == 2 * (N_TURNS + 1)
    assert "6 dialogues beyond --limit not asked about" in ran.stdout


def test_accuracy_that_falls_is_a_warning(model, data):
    model.right = lambda k, n: 0 < n < 3
    ran = call(model, data)
    assert ran.exit_code == 0
    assert "answers_do_not_rise" in ran.stdout
    assert "Hints do not help" in ran.stdout
    assert call(model, data, "--strict").exit_code == NOT_CLEAN


def test_guessed_dialogues_are_listed_and_fail_above_the_limit(model, data):
    model.right = lambda k, n: k < 3 or n >= 3
    ran = call(model, data, "--max-guessed", 0.25)
    assert ran.exit_code == 0
    for n in range(3):
        assert f"line {n + 1}, d{n}: {gold(n)!r} with the task alone" in ran.stdout
    ran = call(model, data, "--max-guessed", 0.2)
    assert ran.exit_code == NOT_CLEAN
    assert "all dialogues together: 3 of 12" in ran.stdout


def test_guessed_dialogues_are_left_out_only_when_told_so(model, data, tmp_path):
    model.right = lambda k, n: k < 3 or n >= 3
    call(model, data, "--fix", "all.jsonl")
    assert len(read_dialogues(tmp_path / "all.jsonl")) == 12
    ran = call(model, data, "--fix", "some.jsonl", "--drop-guessable")
    assert [one.id for one in read_dialogues(tmp_path / "some.jsonl")] == [
        f"d{k}" for k in range(3, 12)
    ]
    assert "left out dialogue, line 2, d1: the model guesses the answer" in ran.stdout
    assert "9 dialogues; left out 3 dialogues and 0 hints" in ran.stdout


def test_a_model_that_fails_on_some_is_told_with_what_is_left(model, data):
    model.refused = ("number 4.", "number 7.")
    ran = call(model, data, "--format", "json")
    assert ran.exit_code == 0, ran.output
    answers = body_of(ran)["answers"]
    assert answers["cost"]["n_failed"] == 2 * (N_TURNS + 1)
    assert (answers["guessed"]["n_turns"], answers["guessed"]["n_failed"]) == (10, 2)
    assert answers["rise"] == "rises"
    assert [one["why_none"] for one in answers["dialogues"]].count("rejected") == 2
    assert "10 failed" in call(model, data).stdout


def test_dialogues_with_errors_are_not_asked_about_unless_mended(model, tmp_path):
    first, *rest = planted(8)
    told = Hint(answer=f"It is {gold(0)}.")
    broken = type(first)(id="d0", task=first.task, hints=(*first.hints, told), gold=first.gold)
    write_dialogues(tmp_path / "b.jsonl", [broken, *rest])
    ran = call(model, "b.jsonl", "--format", "json")
    assert ran.exit_code == NOT_CLEAN
    assert [one["dialogue"] for one in body_of(ran)["answers"]["dialogues"]] == [
        f"d{k}" for k in range(1, 8)
    ]
    assert body_of(ran)["answers"]["n_unfit"] == 1
    model.right = lambda k, n: k == 0 or n >= 3
    ran = call(model, "b.jsonl", "--format", "json", "--fix", "out.jsonl", "--drop-guessable")
    body = body_of(ran)
    assert (body["answers"]["n_dialogues"], body["answers"]["n_turns"]) == (8, 8 * N_TURNS)
    assert [(one["turn"], one["because"]) for one in body["fix"]["dropped"]] == [
        (None, ["guessable"]), (N_TURNS + 1, ["answer_named"]),
    ]  # fmt: skip
    assert len(read_dialogues(tmp_path / "out.jsonl")) == 7


def test_dialogues_of_several_files_are_asked_about(model, data, tmp_path):
    write_dialogues(tmp_path / "more.jsonl", planted(14)[12:])
    ran = call(model, data, "more.jsonl", "--format", "json")
    assert body_of(ran)["answers"]["n_dialogues"] == 14


def test_a_dry_run_asks_nothing_and_counts(model, data, tmp_path):
    ran = call(model, data, "--dry-run")
    assert ran.exit_code == 0
    assert str(12 * (N_TURNS + 1)) in ran.stdout
    assert not model.asked
    assert not (tmp_path / "runs").exists()
    [planned] = body_of(call(model, data, "--dry-run", "--format", "json"))["plan"]["calls"]
    assert planned["n_requests"] == 12 * (N_TURNS + 1)


def test_without_a_dialogue_to_ask_about_it_says_so(model, tmp_path):
    (tmp_path / "x.jsonl").write_text("{}\n")
    ran = call(model, "x.jsonl")
    assert isinstance(ran.exception, InputError)
    assert "no dialogue is without errors" in str(ran.exception)
    assert not model.asked


@pytest.mark.parametrize(
    ("flags", "field"),
    [
        (["--limit", "3"], "limit"),
        (["--max-guessed", "0.1"], "max_guessed"),
        (["--out", "x"], "out"),
        (["--base-url", "http://127.0.0.1:1/v1"], "base_url"),
        (["--no-seeding"], "seeding"),
        (["--dry-run"], "dry_run"),
        (["--model", "openai:tiny", "--drop-guessable"], "drop_guessable"),
        (["--model", "openai:tiny", "--dry-run", "--fix", "o.jsonl"], "dry_run"),
        (["--model", "openai:tiny"], "base_url"),
        (["--model", "tiny"], "model"),
        (["--model", " "], "model"),
    ],
)
def test_a_flag_that_would_do_nothing_is_refused(data, flags, field, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(check, [str(data), *flags])
    assert isinstance(ran.exception, InputError)
    assert ran.exception.field == field
    assert [path.name for path in tmp_path.iterdir()] == ["d.jsonl"]
