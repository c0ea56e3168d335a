"""``turnsure dialogues check`` and ``split`` as a user runs them."""

from __future__ import annotations

import json

import pytest

from tests.e2e.test_cli import turnsure
from turnsure.cli.check import NOT_CLEAN
from turnsure.core import errors
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.jsonl import read_dialogues, write_dialogues


def dialogue(name: str, *hints: str, gold: str | None = None) -> Dialogue:
    said = hints or (f"Clue about {name}.", f"More on {name}.")
    return Dialogue(
        id=name, task="t", hints=tuple(Hint(answer=one) for one in said), gold=(gold or f"G{name}",)
    )


@pytest.fixture
def clean(tmp_path):
    path = tmp_path / "clean.jsonl"
    write_dialogues(path, [dialogue(f"d{n}") for n in range(40)])
    return path


@pytest.fixture
def bad(tmp_path):
    path = tmp_path / "bad.jsonl"
    write_dialogues(
        path,
        [
            dialogue("a"),
            dialogue("b", "Red \x1b[31m.", "It is Peru.", "Round.", gold="Peru"),
            dialogue("c", "It is Mali.", "Tall.", gold="Mali"),
            dialogue("d", "One clue."),
        ],
    )
    return path


def test_the_exit_code_is_no_other_error():
    codes = {
        one.exit_code for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, errors.TurnsureError)
    }  # fmt: skip
    assert NOT_CLEAN not in codes | {0, 1, 2, 10, 130}


def test_a_clean_file_passes_in_one_line(clean):
    ran = turnsure("dialogues", "check", clean, COLUMNS="500")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == f"{clean}: 40 dialogues, clean\n"


def test_errors_are_counted_shown_and_fail(bad):
    ran = turnsure("dialogues", "check", bad, COLUMNS="80")
    assert ran.returncode == NOT_CLEAN
    assert ran.stderr == ""
    assert "4 dialogues, 2 errors, 2 warnings" in " ".join(ran.stdout.split())
    for words in ("answer_named", "first_turn_names_answer", "one_turn", "line 2, b, turn 2"):
        assert words in ran.stdout
    assert "\x1b" not in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 80


def test_examples_are_limited(bad):
    ran = turnsure("dialogues", "check", bad, "--examples", 0)
    assert "answer_named" in ran.stdout
    assert "line 2" not in ran.stdout


def test_warnings_fail_only_when_told_so(tmp_path):
    path = tmp_path / "short.jsonl"
    write_dialogues(path, [dialogue("a", "One clue.")])
    assert turnsure("dialogues", "check", path).returncode == 0
    assert turnsure("dialogues", "check", path, "--strict").returncode == NOT_CLEAN


def test_json_has_every_finding(bad, tmp_path):
    out = tmp_path / "out.jsonl"
    ran = turnsure("dialogues", "check", bad, "--format", "json", "--fix", out)
    assert ran.returncode == NOT_CLEAN
    body = json.loads(ran.stdout)
    assert (body["format"], body["n_errors"], body["n_warnings"]) == (1, 2, 2)
    [named] = [one for one in body["findings"] if one["kind"] == "answer_named"]
    assert named == {
        "severity": "error",
        "kind": "answer_named",
        "evidence": "'Peru' as it is written: It is Peru.",
        "dialogue": "b",
        "turn": 2,
        "field": "hints[1].answer",
        "place": {"file": str(bad), "line": 2},
    }
    assert body["fix"]["n_dialogues"] == 3
    assert [(one["dialogue"], one["turn"]) for one in body["fix"]["dropped"]] == [
        ("b", 2), ("c", None),
    ]  # fmt: skip


def test_fix_writes_what_is_left_and_says_what_is_not(bad, tmp_path):
    before, out = bad.read_bytes(), tmp_path / "out.jsonl"
    ran = turnsure("dialogues", "check", bad, "--fix", out, COLUMNS="300")
    assert ran.returncode == NOT_CLEAN
    assert (
        "left out hint, line 2, b, turn 2: a hint names an accepted answer: It is Peru.\n"
        "left out dialogue, line 3, c: the first hint names an accepted answer "
        "(fewer than 2 hints would be left)\n"
        f"{out}: 3 dialogues; left out 1 dialogue and 1 hint\n"
    ) in ran.stdout
    assert bad.read_bytes() == before
    assert [one.n_turns for one in read_dialogues(out)] == [2, 2, 1]
    assert turnsure("dialogues", "check", out).returncode == 0


def test_fix_writes_no_empty_file(tmp_path):
    path, out = tmp_path / "bad.jsonl", tmp_path / "out.jsonl"
    write_dialogues(path, [dialogue("a", "It is Peru.", "Red.", gold="Peru")])
    ran = turnsure("dialogues", "check", path, "--fix", out)
    assert "Nothing is left" in ran.stdout
    assert not out.exists()


def test_files_are_compared(clean, tmp_path):
    other = tmp_path / "other.jsonl"
    write_dialogues(other, [dialogue("new"), dialogue("d7")])
    ran = turnsure("dialogues", "check", clean, other)
    assert ran.returncode == NOT_CLEAN
    assert "id_twice" in ran.stdout
    assert "line 8" in ran.stdout


def test_a_split_is_the_same_for_any_order_and_shares_nothing(clean, tmp_path):
    parts = ("--parts", "fit=0.5,test=0.5", "--seed", 3)
    ran = turnsure("dialogues", "split", clean, *parts, "-o", tmp_path / "one")
    assert ran.returncode == 0, ran.stderr
    turned = tmp_path / "turned.jsonl"
    write_dialogues(turned, read_dialogues(clean)[::-1])
    turnsure("dialogues", "split", turned, *parts, "-o", tmp_path / "two")
    ids = {}
    for folder in ("one", "two"):
        for part in ("fit", "test"):
            read = read_dialogues(tmp_path / folder / f"{part}.jsonl")
            ids[folder, part] = {one.id for one in read}
    assert ids["one", "fit"] == ids["two", "fit"]
    assert ids["one", "fit"] | ids["one", "test"] == {f"d{n}" for n in range(40)}
    files = [tmp_path / "one" / f"{part}.jsonl" for part in ("fit", "test")]
    assert turnsure("dialogues", "check", *files, "--strict").returncode == 0
    record = json.loads((tmp_path / "one" / "split.json").read_text())
    assert (record["by"], record["seed"], record["format"]) == ("entity", 3, 1)
    assert record["parts"]["fit"]["n_dialogues"] == len(ids["one", "fit"])


def test_what_is_in_no_part_is_said(clean, tmp_path):
    out = tmp_path / "some"
    ran = turnsure("dialogues", "split", clean, "--parts", "some=0.5", "-o", out)
    n = len(read_dialogues(out / "some.jsonl"))
    assert f"in no part: {40 - n} dialogues" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check"], "Missing argument"),
        (["check", "nothing.jsonl"], "nothing.jsonl: no such file"),
        (["check", "{clean}", "{clean}"], "is named twice"),
        (["check", "{clean}", "--fix", "{clean}"], "is a file that is checked"),
        (["check", "{clean}", "--fix", "missing/out.jsonl"], "cannot be written"),
        (["check", "{clean}", "--max-turns", "0"], "0 is not in the range"),
        (["split", "{clean}", "-o", "x"], "Missing option '--parts'"),
        (["split", "{clean}", "--parts", "fit", "-o", "x"], "'fit' has no fraction"),
        (["split", "{clean}", "--parts", "fit=a", "-o", "x"], "'fit=a' has no fraction"),
        (["split", "{clean}", "--parts", "a/b=1", "-o", "x"], "names no new part"),
        (["split", "{clean}", "--parts", "a=.5,a=.5", "-o", "x"], "names no new part"),
        (["split", "{clean}", "--parts", "a=.9,b=.9", "-o", "x"], "add up to 1.8"),
        (["split", "{clean}", "--parts", "a=1e-9", "-o", "x"], "nothing falls into part 'a'"),
        (["split", "{clean}", "--parts", "clean=1", "-o", "{folder}"], "would replace the file"),
    ],
)
def test_a_mistake_is_one_clear_line(clean, arguments, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    named = [one.format(clean=clean, folder=clean.parent) for one in arguments]
    ran = turnsure("dialogues", *named)
    assert ran.returncode == 2, ran.stderr
    assert says in ran.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"clean.jsonl"}


@pytest.mark.parametrize("command", ["check", "fetch", "split"])
def test_help_has_examples_and_loads_nothing_heavy(command):
    ran = turnsure("dialogues", command, "--help", PYTHONPROFILEIMPORTTIME="1")
    assert ran.returncode == 0
    assert "Examples:" in ran.stdout
    loaded = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert "click" in loaded
    assert not loaded & {
        "numpy",
        "rich",
        "pydantic",
        "turnsure.dialogues.checking.check",
        "aiohttp",
    }
