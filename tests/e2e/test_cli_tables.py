"""``turnsure score`` and ``turnsure compare`` as a user runs them."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.e2e.test_cli import turnsure
from tests.support.run_folders import dialogues, made_up_rows, write_run

TEXT = (
    "llm,qset,question_id,turn,stated_confidence,token_confidence,correct\n"
    "m-1B,q,a,1,0.2,0.1,FALSE\nm-1B,q,a,2,0.9,NA,TRUE\nm-1B,q,b,1,0.7,0.3,TRUE\n"
    "m-7B,q,a,1,0.3,,FALSE\nm-7B,q,a,2,0.8,0.9,TRUE\nm-7B,q,b,1,0.6,0.2,FALSE\n"
)
FAST = ("--resamples", 50)


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TEXT)
    return path


@pytest.fixture
def runs(tmp_path):
    given = dialogues(12)
    small = made_up_rows(given, {"p_true": 0.4, "p_sufficient": 0.0}, right=0.3)
    large = made_up_rows(given, {"p_true": 0.4, "p_sufficient": 0.0}, right=0.9, seed=1)
    return [
        write_run(tmp_path / "small", given, small),
        write_run(tmp_path / "large", given, large, model="openai:Qwen2.5-7B"),
    ]


def test_score_says_what_it_took_and_prints_a_table(scores):
    ran = turnsure("score", scores, *FAST)
    assert ran.returncode == 0, ran.stderr
    assert (
        "Columns taken as dialogue: question_id; turn: turn; confidence: stated_confidence, "
        "token_confidence; correct: correct; model: llm; data: qset."
    ) in ran.stderr
    assert "stated_confidence" in ran.stdout
    assert "Common turns only" in ran.stdout
    assert "No column says n_turns" in ran.stdout


def test_score_writes_a_folder_that_compare_reads(scores, tmp_path):
    out = tmp_path / "out"
    ran = turnsure("score", scores, "-o", out, *FAST)
    assert ran.returncode == 0, ran.stderr
    assert {path.name for path in out.iterdir()} == {
        "metrics.json", "scores.parquet", "tables.md", "tables.tex", "tables.csv",
    }  # fmt: skip
    compared = turnsure("compare", out, "--format", "csv", *FAST)
    assert compared.returncode == 0, compared.stderr
    records = list(csv.DictReader(io.StringIO(compared.stdout)))
    assert {"grid", "differences_sizes", "differences_methods"} == {one["table"] for one in records}
    assert {one["model"] for one in records} >= {"m-1B", "m-7B"}
    assert "equal ids are taken to be equal dialogues" in compared.stderr


@pytest.mark.parametrize("kind", ["table", "markdown", "latex", "csv", "json"])
def test_every_format_of_both_commands(scores, runs, kind):
    for arguments in (("score", scores), ("compare", *runs)):
        ran = turnsure(*arguments, "--format", kind, *FAST)
        assert ran.returncode == 0, ran.stderr
        assert "p_true" in ran.stdout or r"p\_true" in ran.stdout or arguments[0] == "score"
        if kind == "json":
            assert json.loads(ran.stdout)["format"] == 1


def test_compare_writes_a_file_in_the_format_of_its_name(runs, tmp_path):
    for name, begins in (("t.md", "**"), ("t.tex", "% Runs"), ("t.csv", "table,"), ("t.json", "{")):
        ran = turnsure("compare", *runs, "-o", tmp_path / name, *FAST)
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout == f"Comparison: {tmp_path / name}\n"
        assert (tmp_path / name).read_text().startswith(begins)


def test_compare_leaves_differences_out_on_request(runs):
    ran = turnsure("compare", *runs, "--differences", "none", "--metrics", "ece,auroc", *FAST)
    assert ran.returncode == 0, ran.stderr
    assert "Runs side by side" in ran.stdout
    assert "AUROC" in ran.stdout
    assert "Differences" not in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["score", "nothing.csv"], 2, "nothing.csv: no such file"),
        (["score", "."], 2, "this is a folder"),
        (["score", "{scores}", "--correct", "right"], 2, "there is no column 'right'"),
        (["score", "{scores}", "--confidence", "llm"], 2, "'llm' is taken for"),
        (["score", "{scores}", "--percent"], 2, "no value is above 1"),
        (["score", "{scores}", "--bins", "0"], 2, "bins is 0"),
        (["score", "{scores}", "--format", "xml"], 2, "'xml' is not one of"),
        (["score", "{scores}", "-o", "{run}"], 8, "is the folder of a run"),
        (["compare"], 2, "Missing argument"),
        (["compare", "nothing"], 8, "there is no such folder"),
        (["compare", "{scores}"], 8, "no run is here"),
        (["compare", "{run}", "{run}"], 8, "is named twice"),
        (["compare", "{run}", "--metrics", "tau"], 2, "'tau' is unknown"),
        (["compare", "{run}", "-o", "t.xls"], 2, "does not say a format"),
        (["compare", "{run}", "-o", "missing/t.md"], 10, "No such file"),
    ],
)
def test_a_mistake_is_one_clear_line_and_a_code(scores, runs, arguments, code, says):
    named = [one.format(scores=scores, run=runs[0]) for one in arguments]
    ran = turnsure(*named)
    assert ran.returncode == code, ran.stderr
    assert says in ran.stderr


@pytest.mark.parametrize("command", ["score", "compare"])
def test_help_has_examples_and_loads_nothing_heavy(command):
    ran = turnsure(command, "--help", PYTHONPROFILEIMPORTTIME="1")
    assert ran.returncode == 0
    assert "Examples:" in ran.stdout
    loaded = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert "click" in loaded
    assert not loaded & {"numpy", "rich", "arro3", "pydantic", "turnsure.pipeline"}
