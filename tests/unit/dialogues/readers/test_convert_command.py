"""``turnsure dialogues convert``."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from turnsure.cli.main import cli
from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import read_dialogues

TALK = {"task": "GR", "id": 1, "history": [{"user": "a", "bot": "b"}, {"user": "c", "bot": "d"}]}


@pytest.fixture
def source(tmp_path):
    file = tmp_path / "set.jsonl"
    lines = [TALK, TALK, {**TALK, "id": 2}, {**TALK, "id": None}, {**TALK, "history": []}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def convert(*arguments: object, catch: bool = False):
    return CliRunner().invoke(
        cli, ["dialogues", "convert", *map(str, arguments)], catch_exceptions=catch
    )


def test_it_writes_dialogues_and_says_what_became_of_every_record(source, tmp_path):
    out = tmp_path / "out.jsonl"
    ran = convert("mtbench101", source, "-o", out, "--task", "Say it.")
    assert ran.exit_code == 0
    dialogues = read_dialogues(out)
    assert [one.id for one in dialogues] == ["mtbench101-GR-1", "mtbench101-GR-2"]
    assert {one.task for one in dialogues} == {"Say it."}
    assert ran.stdout.splitlines() == [
        "5 records: 2 dialogues with 4 turns, 3 dropped",
        "Dropped records:",
        "        1  repeats an earlier record",
        f"           first: {source}, line 2",
        "        1  malformed",
        f"           first: {source}, line 4, field 'id': the field is missing or blank "
        "(expected text or a number)",
        "        1  an empty conversation",
        f"           first: {source}, line 5",
    ]


def test_strict_stops_and_leaves_the_old_file(source, tmp_path):
    out = tmp_path / "out.jsonl"
    out.write_text("old")
    with pytest.raises(InputError) as caught:
        convert("mtbench101", source, "-o", out, "--strict")
    assert (caught.value.file, caught.value.line) == (str(source), 4)
    assert out.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == [out, source]


def test_another_format_writes_nothing(source, tmp_path):
    with pytest.raises(InputError, match="no record became a dialogue"):
        convert("qanta", source, "-o", tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == [source]


def test_an_unknown_format(source, tmp_path):
    with pytest.raises(InputError, match="did you mean 'mtbench101'"):
        convert("mtbench", source, "-o", tmp_path / "out.jsonl")


def test_the_file_that_is_read_is_not_written_over(source):
    before = source.read_bytes()
    with pytest.raises(InputError, match="the file that is read"):
        convert("mtbench101", source, "-o", source)
    assert source.read_bytes() == before


def test_a_place_to_write_is_needed(source):
    ran = convert("mtbench101", source, catch=True)
    assert ran.exit_code != 0
    assert "--out" in ran.output


def test_help_has_examples_and_every_format():
    ran = convert("--help")
    assert "Examples:" in ran.stdout
    assert "twenty_questions" in ran.stdout
