"""The command line as a user runs it, against a real HTTP server on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import web

from tests.support.answering_server import AnsweringServer
from tests.support.flows import dialogue
from turnsure.dialogues.jsonl import write_dialogues

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server():
    with AnsweringServer() as running:
        yield running


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.jsonl"
    write_dialogues(path, [dialogue(3, name=name) for name in ("a", "b", "c")])
    return path


def turnsure(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(
        [sys.executable, "-m", "turnsure", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "COLUMNS": "120", **environment},
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran


def endpoint(server: AnsweringServer) -> list[object]:
    return ["--model", "openai:tiny", "--base-url", server.base_url, "--samples", 3]


def measured(server, data, out, *more) -> subprocess.CompletedProcess[str]:
    ran = turnsure(
        "run", "--data", data, *endpoint(server), "--resamples", 50, "--out", out, *more,
        OPENAI_API_KEY=KEY,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran


def test_a_run_leaves_a_whole_folder_and_no_key(server, data, tmp_path):
    out = tmp_path / "run"
    ran = measured(server, data, out)
    assert {path.name for path in out.iterdir()} >= {
        "run.json", "dialogues.jsonl", "store.sqlite", "turns.parquet", "metrics.json",
        "report.html",
    }  # fmt: skip
    for method in ("vanilla_verb", "cot_verb", "self_consistency", "p_true", "p_sufficient"):
        assert method in ran.stdout
    assert str(out / "report.html") in ran.stdout
    everything = ran.stdout + ran.stderr
    for path in out.iterdir():
        everything += path.read_bytes().decode("utf-8", "replace")
    assert KEY not in everything
    numbers = json.loads((out / "metrics.json").read_text())
    assert numbers["methods"][0]["method"] == "vanilla_verb"
    assert numbers["accuracy"]["n_turns"] == 9


def test_run_json_can_be_run_again(server, data, tmp_path):
    measured(server, data, tmp_path / "first")
    ran = turnsure("run", "--config", tmp_path / "first" / "run.json", "--out", tmp_path / "again")
    assert ran.returncode == 0, ran.stderr
    for name in ("turns.parquet", "metrics.json"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_the_finished_run_of_another_protocol_is_kept(server, data, tmp_path):
    out = tmp_path / "run"
    measured(server, data, out, "--methods", "p_true")
    before = (out / "metrics.json").read_bytes()
    other = turnsure("run", "--data", data, *endpoint(server), "--out", out)
    assert other.returncode == 8
    assert "holds a finished run of another protocol" in other.stderr
    assert (out / "metrics.json").read_bytes() == before
    more = turnsure(
        "run", "--config", out / "run.json", "--out", out, "--limit", 1
    )  # the same protocol on fewer dialogues is welcome
    assert more.returncode == 0, more.stderr


def test_a_report_is_not_drawn_from_an_earlier_runs_table(server, data, tmp_path):
    out = tmp_path / "run"
    measured(server, data, out, "--methods", "p_true")
    body = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps({**body, "finished": None}))
    assert turnsure("report", out).returncode == 8
    (out / "run.json").write_text(json.dumps({**body, "digest": "other"}))
    ran = turnsure("report", out)
    assert ran.returncode == 8
    assert "of an earlier run" in ran.stderr


def test_a_place_that_cannot_be_written_to_is_one_line(server, data, tmp_path):
    out = tmp_path / "run"
    measured(server, data, out, "--methods", "p_true")
    ran = turnsure("report", out, "--csv", tmp_path / "missing" / "t.csv")
    assert ran.returncode == 10
    assert "No such file" in ran.stderr


def test_flags_win_over_a_config_file(server, data, tmp_path):
    config = tmp_path / "c.toml"
    config.write_text(f'data = "{data}"\nmethods = ["p_true"]\nsamples = 2\nlimit = 1\n')
    out = tmp_path / "run"
    ran = turnsure("run", "--config", config, *endpoint(server), "--limit", 2, "--out", out)
    assert ran.returncode == 0, ran.stderr
    spec = json.loads((out / "run.json").read_text())["spec"]
    assert (spec["limit"], spec["methods"], spec["samples"]) == (2, ["p_true"], 3)


def test_report_draws_again_and_writes_charts_and_csv(server, data, tmp_path):
    out = tmp_path / "run"
    measured(server, data, out)
    before = (out / "report.html").read_text()
    (out / "report.html").unlink()
    ran = turnsure("report", out, "--charts", "svg", "--csv", tmp_path / "t.csv")
    assert ran.returncode == 0, ran.stderr
    again = (out / "report.html").read_text()
    assert "<svg" in again
    assert len(again) > 0.8 * len(before)
    assert list((out / "charts").glob("*.svg"))
    assert (tmp_path / "t.csv").read_text().startswith("dialogue,turn,")


def test_dry_run_asks_nothing_and_counts_right(server, data, tmp_path):
    out = tmp_path / "run"
    ran = turnsure("run", "--data", data, *endpoint(server), "--out", out, "--dry-run")
    assert ran.returncode == 0, ran.stderr
    assert server.asked.total() == 0
    assert not out.exists()
    assert "99" in ran.stdout  # 9 turns, 11 requests each


def test_a_model_without_log_probabilities_is_refused_before_the_first_question(
    server, data, tmp_path
):
    server.log_probabilities = False
    ran = turnsure("run", "--data", data, *endpoint(server), "--out", tmp_path / "run")
    assert ran.returncode == 3
    assert "p_true needs token log-probabilities" in ran.stderr
    assert "--label-reading sampled" in ran.stderr
    assert not [body for body in server.asked if "Clue" in body]
    sampled = turnsure(
        "run", "--data", data, *endpoint(server), "--out", tmp_path / "run", "--label-reading",
        "sampled", "--methods", "vanilla_verb,self_consistency",
    )  # fmt: skip
    assert sampled.returncode == 0, sampled.stderr


def test_items_that_fail_are_rows_and_do_not_stop_the_run(server, data, tmp_path):
    def refuse_some(count: int) -> web.Response | None:
        return (
            web.json_response({"error": {"message": "no"}}, status=400) if count % 7 == 0 else None
        )

    server.before = refuse_some
    out = tmp_path / "run"
    ran = measured(server, data, out)
    assert "failed" in ran.stdout
    numbers = json.loads((out / "metrics.json").read_text())
    failures = [method["failures"] for method in numbers["methods"]]
    assert any("rejected" in kinds for kinds in failures)


def test_a_server_that_is_not_there_is_one_line(data, tmp_path):
    ran = turnsure(
        "run", "--data", data, "--model", "openai:tiny", "--base-url", "http://127.0.0.1:9/v1",
        "--out", tmp_path / "run",
    )  # fmt: skip
    assert ran.returncode == 4
    assert ran.stderr.strip().splitlines()[-1].startswith("turnsure: ")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["run", "--data", "nothing.jsonl"], 2, "there is no file 'nothing.jsonl'"),
        (["run", "--model", "gpt"], 2, "'gpt' names no model"),
        (["run", "--model", "openai:x"], 2, "an endpoint needs an address"),
        (["run", "--model", "local:nothing.gguf"], 2, "no such model file"),
        (["run", "--methods", "p_ture"], 2, "did you mean 'p_true'"),
        (["run", "--samples", "0"], 2, "samples is 0"),
        (["run", "--samples", "x"], 2, "'x' is not a valid integer"),
        (["run", "--config", "nothing.toml"], 2, "no such file"),
        (["run", "--templates", "nothing.toml"], 2, "no such file"),
        (["report", "nothing"], 8, "no run is here"),
        (["report", "nothing", "--charts", "gif"], 2, "'gif' is no chart format"),
        (["dialogues", "show", "nothing.jsonl"], 2, "there is no file"),
        (["models", "check", "nonsense"], 2, "names no model"),
        (["nonsense"], 2, "No such command"),
    ],
)
def test_a_mistake_is_one_clear_line_and_a_code(arguments, code, says, tmp_path):
    ran = subprocess.run(
        [sys.executable, "-m", "turnsure", *arguments],
        capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert "Traceback" not in ran.stderr
    assert ran.returncode == code, ran.stderr
    assert says in ran.stderr


@pytest.mark.parametrize(
    "command",
    [
        [], ["demo"], ["run"], ["report"], ["models"], ["models", "list"], ["models", "check"],
        ["dialogues"], ["dialogues", "show"],
    ],
)  # fmt: skip
def test_every_command_has_help_and_the_leaves_have_an_example(command):
    ran = turnsure(*command, "--help")
    assert ran.returncode == 0
    assert ran.stdout.startswith("Usage: turnsure")
    if command not in (["models"], ["dialogues"]):
        assert "Example" in ran.stdout or "Try it" in ran.stdout


def test_models_check_says_what_an_endpoint_can_do(server):
    ran = turnsure("models", "check", "openai:tiny", "--base-url", server.base_url)
    assert ran.returncode == 0, ran.stderr
    assert "mass on labels" in ran.stdout
    assert "p_sufficient" in ran.stdout
    server.log_probabilities = False
    blind = turnsure("models", "check", "openai:tiny", "--base-url", server.base_url)
    assert "LACKS" in blind.stdout


def test_models_list_and_version():
    assert "smollm2-135m" in turnsure("models", "list").stdout
    assert turnsure("--version").stdout.startswith("turnsure 0.")


def test_dialogues_show_prints_a_file_and_its_prompt(data, tmp_path):
    plain = turnsure("dialogues", "show", data, "--limit", 1)
    assert "1. Clue 1 of a." in plain.stdout
    prompt = turnsure("dialogues", "show", data, "--limit", 1, "--prompt")
    assert "[user]" in prompt.stdout
    lines = turnsure("dialogues", "show", data, "--jsonl").stdout
    (tmp_path / "copy.jsonl").write_text(lines)
    assert turnsure("dialogues", "show", tmp_path / "copy.jsonl", "--jsonl").stdout == lines


def test_output_into_a_closed_pipe_is_no_error(data):
    ran = subprocess.run(
        f"{sys.executable} -m turnsure dialogues show {data} --prompt | head -1",
        shell=True, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.stderr.count("Error") == 0, ran.stderr


def test_the_environment_variable_of_the_key_can_be_named(server, data, tmp_path):
    ran = measured(server, data, Path(tmp_path / "run"), "--api-key-env", "MY_KEY")
    assert ran.returncode == 0
