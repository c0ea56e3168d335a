"""What stands in the way of an output is told before any work is done, and left as it was."""

from __future__ import annotations

import pytest

from turnsure.cli.main import cli
from turnsure.core.errors import InputError

MODEL = ("--hinter", "openai:tiny", "--base-url", "http://127.0.0.1:9/v1")

TO_FILES = [
    (("gate", "build", "scores.csv", "--answer-at", "0.5"), "-o", "out"),
    (("dialogues", "convert", "chat_messages", "chats.jsonl"), "-o", "out"),
    (("dialogues", "check", "dialogues.jsonl"), "--fix", "fix"),
    (("build", "20q", "--entities", "names.txt", *MODEL), "-o", "out"),
]
TO_FOLDERS = [
    (("calibrate", "scores.csv"), "-o", "out"),
    (("dialogues", "split", "dialogues.jsonl", "--parts", "a=1"), "-o", "out"),
    (("dialogues", "fetch", "mtbench101"), "-o", "out"),
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("kept")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert {one.name for one in tmp_path.iterdir()} == {"folder", "file"}
    assert list((tmp_path / "folder").iterdir()) == []
    assert (tmp_path / "file").read_text() == "kept"


def refused(*arguments: str) -> InputError:
    with pytest.raises(InputError) as caught:
        cli.main(list(arguments), standalone_mode=False)
    return caught.value


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("path", [".", "..", "folder", "folder/"])
@pytest.mark.parametrize(("command", "option", "field"), TO_FILES)
def test_a_folder_where_a_file_is_to_be_written(command, option, field, path):
    error = refused(*command, option, path)
    assert (error.field, error.problem) == (field, "this is a folder")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("path", ["file", "file/inside"])
@pytest.mark.parametrize(("command", "option", "field"), TO_FOLDERS)
def test_a_file_where_a_folder_is_to_be_made(command, option, field, path):
    error = refused(*command, option, path)
    assert (error.file, error.field, error.problem) == ("file", field, "this is no folder")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("command", "option", "field"), TO_FILES)
def test_a_file_in_place_of_the_folder_around(command, option, field):
    error = refused(*command, option, "file/x.json")
    assert (error.file, error.field, error.problem) == ("file", field, "this is no folder")
