"""Names of files and folders, so that a run can be repeated from anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnsure.cli.options import default_folder
from turnsure.core.spec import RunSpec
from turnsure.experiment.run_record import absolute


@pytest.mark.parametrize("name", ["countries", "countries-gain?twists=1", "nothing.jsonl"])
def test_what_is_no_file_stays_as_it_is(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert absolute(RunSpec(data=name)).data == name


def test_files_get_their_full_path_and_settings_stay(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("d.jsonl").touch()
    assert absolute(RunSpec(data="d.jsonl")).data == str(tmp_path / "d.jsonl")
    world = absolute(RunSpec(data="world:w.yaml?style=questions"))
    assert world.data == f"world:{tmp_path / 'w.yaml'}?style=questions"
    assert absolute(world) == world
    wordings = absolute(RunSpec(wordings=("a.toml",), summariser="local:m.gguf"))
    assert wordings.wordings == (str(tmp_path / "a.toml"),)
    assert wordings.summariser == f"local:{tmp_path / 'm.gguf'}"


@pytest.mark.parametrize(
    ("data", "folder"),
    [
        ("countries", "countries-smollm2-135m"),
        ("countries-gain?twists=1&style=questions",
         "countries-gain-twists-1-style-questions-smollm2-135m"),
        ("world:my/w.yaml", "w-smollm2-135m"),
        ("sets/expo/dialogues.jsonl", "expo-smollm2-135m"),
    ],
)  # fmt: skip
def test_a_folder_has_a_plain_name(data, folder):
    assert default_folder(RunSpec(data=data)) == Path("runs") / folder
