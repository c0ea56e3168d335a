"""Entities from files."""

from __future__ import annotations

import pytest

from turnsure.core.errors import InputError
from turnsure.dialogues.hinting.entities import read_secrets
from turnsure.grading.normalise import normal


def read(tmp_path, text, *, suffix=".txt", limit=None):
    path = tmp_path / f"entities{suffix}"
    path.write_text(text, encoding="utf-8")
    return read_secrets(path, prefix="20q", limit=limit, normalise=normal)


def refused(tmp_path, text, *, suffix=".txt") -> InputError:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text, suffix=suffix)
    assert caught.value.file == str(tmp_path / f"entities{suffix}")
    return caught.value


def test_a_line_is_a_name_with_its_aliases(tmp_path):
    found = read(tmp_path, "\ufeffPeru\n\nIvory Coast | Côte d'Ivoire |Ivory Coast\r\n# hash\n")
    assert [secret.names for secret in found] == [
        ("Peru",),
        ("Ivory Coast", "Côte d'Ivoire"),
        ("# hash",),
    ]
    assert [secret.id for secret in found] == ["20q-1", "20q-2", "20q-3"]


def test_columns_beside_the_names_go_into_the_meta(tmp_path):
    text = "Name,aliases,Category,tier\nPeru,,country,1\nTV,television | telly,thing,\n"
    first, second = read(tmp_path, text, suffix=".csv")
    assert (first.names, dict(first.meta)) == (("Peru",), {"category": "country", "tier": "1"})
    assert second.names == ("TV", "television", "telly")
    assert dict(second.meta) == {"category": "thing"}


def test_json_lines(tmp_path):
    text = (
        '{"name": "Peru"}\n\n'
        '{"name": "TV", "aliases": ["telly"], "category": "thing", "meta": {"tier": "2"}}\n'
    )
    first, second = read(tmp_path, text, suffix=".jsonl")
    assert (first.names, dict(first.meta)) == (("Peru",), {})
    assert (second.names, dict(second.meta)) == (
        ("TV", "telly"),
        {"category": "thing", "tier": "2"},
    )


def test_the_limit_takes_the_first_and_checks_the_rest(tmp_path):
    assert [one.names[0] for one in read(tmp_path, "Peru\nChad\nMali", limit=2)] == ["Peru", "Chad"]
    with pytest.raises(InputError):
        read(tmp_path, "Peru\nChad\nPeru", limit=1)


@pytest.mark.parametrize(
    ("suffix", "text", "line", "field", "says"),
    [
        (".txt", "Peru\nChad\nthe Peru", 3, "name", "line 1"),
        (".txt", "Peru\nChad | PERU", 2, "aliases", "line 1"),
        (".txt", "Peru\n\n| alias", 3, "name", "blank"),
        (".txt", "Peru | | x", 1, "aliases", "blank"),
        (".txt", "Peru\nX", 2, "name", "secret"),
        (".txt", "Peru\nYes", 2, "name", "secret"),
        (".txt", "Peru\n…", 2, "name", "secret"),
        (".csv", "name,tier\nPeru,1\nPeru,2", 3, "name", "line 2"),
        (".csv", "name,tier\nPeru,1\n,2", 3, "name", "blank"),
        (".csv", "name,tier\nPeru,1,2", 2, None, "3 fields"),
        (".csv", "title\nPeru", 1, "name", "no column"),
        (".csv", "name,control.x\nPeru,1", 2, "control.x", "controls"),
        (".jsonl", '{"name": "Peru"}\n{"name": 3}', 2, "name", "3"),
        (".jsonl", '{"name": "Peru", "alias": ["x"]}', 1, "alias", "unknown"),
        (".jsonl", '{"name": "Peru", "aliases": "x"}', 1, "aliases", "'x'"),
        (".jsonl", '{"name": "Peru", "aliases": [3]}', 1, "aliases", "3"),
        (".jsonl", '{"name": "Peru", "meta": {"tier": 3}}', 1, "meta.tier", "3"),
        (".jsonl", '{"name": "Peru", "meta": []}', 1, "meta", "[]"),
        (".jsonl", "Peru", 1, None, "JSON"),
    ],
)
def test_a_mistake_names_its_line_and_field(tmp_path, suffix, text, line, field, says):
    error = refused(tmp_path, text, suffix=suffix)
    assert (error.line, error.field) == (line, field)
    assert says in error.problem
    assert error.expected


@pytest.mark.parametrize(("suffix", "text"), [(".txt", "\n \n"), (".csv", "name\n"), (".csv", "")])
def test_a_file_without_entities_is_refused(tmp_path, suffix, text):
    refused(tmp_path, text, suffix=suffix)


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    for path in (tmp_path / "missing.txt", tmp_path):
        with pytest.raises(InputError) as caught:
            read_secrets(path, prefix="x")
        assert caught.value.file == str(path)
    latin = tmp_path / "latin.txt"
    latin.write_bytes("Côte".encode("latin-1"))
    with pytest.raises(InputError, match="UTF-8"):
        read_secrets(latin, prefix="x")


def test_a_line_that_is_not_utf_8_and_a_folder_are_told_plainly(tmp_path):
    path = tmp_path / "entities.txt"
    path.write_bytes(b"Peru\nC\xf4te\n")
    with pytest.raises(InputError) as caught:
        read_secrets(path, prefix="20q")
    assert (caught.value.file, caught.value.line) == (str(path), 2)
    with pytest.raises(InputError, match="this is a folder"):
        read_secrets(tmp_path, prefix="20q")
