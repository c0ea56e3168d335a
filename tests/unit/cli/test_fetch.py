"""``turnsure dialogues fetch``, against a server on loopback."""

from __future__ import annotations

import hashlib

import pytest
from click.testing import CliRunner

from tests.support.file_server import serving
from turnsure.cli.fetch import BY_HAND, fetch
from turnsure.core import errors

CONTENT = b'[{"task": "math"}]'


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as running:
        running.files["/a.json"] = CONTENT
        yield running


@pytest.fixture
def sources(server, tmp_path, monkeypatch):
    """A table with a set on loopback and one that has to be got by hand."""
    monkeypatch.chdir(tmp_path)
    entry = (
        'title = "Small"\nlicence = "MIT"\nhome = "https://example.org"\nform = "sharded"\n'
        'use = "turnsure dialogues convert sharded {folder}/a.json -o a.jsonl"\n'
    )
    table = tmp_path / "sets.toml"
    table.write_text(
        f'[[sets]]\nname = "small"\n{entry}\n[[sets.files]]\nname = "a.json"\n'
        f'url = "{server.url("/a.json")}"\nsha256 = "{hashlib.sha256(CONTENT).hexdigest()}"\n'
        f'bytes = {len(CONTENT)}\n[[sets]]\nname = "closed"\nnote = "Ask them."\n{entry}'
    )
    return table


def call(*arguments):
    return CliRunner().invoke(fetch, [str(one) for one in arguments], catch_exceptions=True)


def test_a_set_is_fetched_once_and_the_next_command_is_named(server, sources, tmp_path):
    ran = call("small", "--sources", sources)
    assert ran.exit_code == 0, ran.output
    assert (tmp_path / "small" / "a.json").read_bytes() == CONTENT
    assert "fetched" in ran.stdout
    assert "Next: turnsure dialogues convert sharded small/a.json -o a.jsonl" in ran.stdout
    assert "Licence: MIT" in ran.stdout
    again = call("small", "--sources", sources)
    assert again.exit_code == 0
    assert "already there" in again.stdout
    assert server.paths == ["/a.json"]


def test_a_folder_with_a_blank_is_quoted_in_the_next_command(sources, tmp_path):
    ran = call("small", "--sources", sources, "-o", "my data")
    assert (tmp_path / "my data" / "a.json").exists()
    assert "sharded 'my data'/a.json" in ran.stdout


def test_a_set_to_be_got_by_hand_says_where_and_how(server, sources, tmp_path):
    ran = call("closed", "--sources", sources)
    assert ran.exit_code == BY_HAND
    for words in ("by hand", "https://example.org", "MIT", "Ask them.", "sharded closed/a.json"):
        assert words in ran.stdout
    assert server.paths == []
    assert [path.name for path in tmp_path.iterdir()] == ["sets.toml"]


def test_the_built_in_table_is_shown_without_asking_anybody(server):
    ran = call("--list")
    assert ran.exit_code == 0
    for name in ("mtbench101", "qanta", "by hand", "Apache-2.0"):
        assert name in ran.stdout


@pytest.mark.parametrize("name", ["qanta", "grace", "allenai_20q"])
def test_sets_without_a_pin_fetch_nothing(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = call(name)
    assert ran.exit_code == BY_HAND
    assert f"turnsure dialogues convert {name} {name}/" in ran.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "says"), [([], "no set is named"), (["smal"], "did you mean 'small'")]
)
def test_a_mistake_is_one_clear_error(sources, arguments, says):
    ran = call(*arguments, "--sources", sources)
    assert isinstance(ran.exception, errors.InputError)
    assert says in str(ran.exception)


def test_a_changed_file_at_the_server_is_refused(server, sources, tmp_path):
    server.files["/a.json"] = b"x" + CONTENT[1:]
    ran = call("small", "--sources", sources)
    assert isinstance(ran.exception, errors.BackendUnavailable)
    assert not (tmp_path / "small").exists()


def test_the_exit_code_is_no_other_error():
    codes = {
        one.exit_code for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, errors.TurnsureError)
    }  # fmt: skip
    assert BY_HAND not in codes | {0, 1, 2, 10, 20, 130}
