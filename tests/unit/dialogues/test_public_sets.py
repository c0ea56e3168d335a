"""The table of public sets: the built-in one, and one that a person wrote."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

import pytest

from turnsure import registry
from turnsure.core.errors import InputError
from turnsure.dialogues.public_sets import find_set, read_public_sets
from turnsure.files.arrival import file_digest

SETS = {one.name: one for one in read_public_sets()}
PINNED = [(one.name, file) for one in SETS.values() for file in one.files]

ENTRY = """
[[sets]]
name = "mine"
title = "My set"
licence = "MIT"
home = "https://example.org"
form = "sharded"
use = "turnsure dialogues convert sharded {folder}/a.json -o a.jsonl"

[[sets.files]]
name = "a.json"
url = "https://example.org/a.json"
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
bytes = 3
"""


@pytest.mark.parametrize("one", SETS.values(), ids=SETS)
def test_every_set_has_a_reader_and_says_how_to_use_it(one):
    assert one.form in {*registry.READERS, "scores"}
    command = one.use.format(folder="data")
    assert "data" in command.split(maxsplit=3)[-1]
    wanted = "score" if one.form == "scores" else f"dialogues convert {one.form}"
    assert command.startswith(f"turnsure {wanted} data")
    assert all(f"{{folder}}/{file.name}" in one.use for file in one.files)


def test_every_reader_for_a_public_set_has_one():
    assert {one.form for one in SETS.values()} == {*registry.READERS, "scores"}


@pytest.mark.parametrize(("name", "file"), PINNED, ids=lambda value: getattr(value, "name", value))
def test_a_pinned_file_is_of_one_commit_of_its_home(name, file):
    parts = PurePosixPath(unquote(urlsplit(file.url).path)).parts
    assert urlsplit(file.url).hostname == "raw.githubusercontent.com"
    assert SETS[name].home == f"https://github.com/{parts[1]}/{parts[2]}"
    assert re.fullmatch(r"[0-9a-f]{40}", parts[3])
    assert parts[-1] == file.name


@pytest.mark.shared
@pytest.mark.parametrize(("name", "file"), PINNED, ids=lambda value: getattr(value, "name", value))
def test_a_pin_is_the_digest_of_the_file_at_hand(shared_data, name, file):
    path = shared_data / name / file.name
    assert (file_digest(path), path.stat().st_size) == (file.sha256, file.n_bytes)
    commit = PurePosixPath(urlsplit(file.url).path).parts[3]
    source = (path.parent / "SOURCE.md").read_text()
    assert f"- Commit: {commit} " in source
    assert f"- Repository: github:{SETS[name].home.removeprefix('https://github.com/')}" in source


def test_a_table_of_ones_own_is_read(tmp_path):
    table = tmp_path / "sets.toml"
    table.write_text(ENTRY)
    [one] = read_public_sets(table)
    assert (one.name, one.note, one.n_bytes, one.files[0].url) == (
        "mine", None, 3, "https://example.org/a.json",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('name = "mine"', 'name = "a b"', "field 'sets[0].name': 'a b' does not fit"),
        ('name = "a.json"', 'name = "../a"', "field 'sets[0].files[0].name': '../a' does not fit"),
        ('name = "a.json"', 'name = ".."', "field 'sets[0].files[0].name': '..' does not fit"),
        ("https://example.org/a", "file:///a", "field 'sets[0].files[0].url'"),
        ("0000", "", "expected 64 hexadecimal digits"),
        ("bytes = 3", "bytes = 0", "expected a whole number from 1"),
        ("bytes = 3", 'bytes = "3"', "expected a whole number from 1"),
        ('licence = "MIT"', "", "field 'sets[0].licence': the field is missing"),
        ('licence = "MIT"', 'licence = " "', "expected text in quotes"),
        ("bytes = 3", "bytes = 3\nsize = 3", "unknown field (expected name, url, sha256, bytes)"),
        ('licence = "MIT"', 'licence = "MIT"\nlicense = ""', "expected name, title, licence, home"),
        ("\n[[sets]]", "a = 1\n[[sets]]", "field 'a': unknown field (expected sets)"),
        ("\n[[sets]]", "format = 2\n[[sets]]", "format 2 is unknown (expected 1)"),
        ("[[sets]]", "[[sets", "cannot be parsed"),
        (ENTRY, "", "field 'sets': the field is missing"),
        (ENTRY, ENTRY + ENTRY, "field 'sets': 'mine' is there twice"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path, old, new, says):
    table = tmp_path / "sets.toml"
    assert old in ENTRY
    table.write_text(ENTRY.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_public_sets(table)
    assert says in str(caught.value)
    assert str(table) in str(caught.value)


def test_no_table_is_no_traceback(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_public_sets(tmp_path / "none.toml")
    with pytest.raises(InputError, match="cannot be read"):
        read_public_sets(tmp_path)


def test_a_wrong_name_brings_the_nearest():
    with pytest.raises(InputError, match="did you mean 'mtbench101'"):
        find_set("mtbench", list(SETS.values()))
