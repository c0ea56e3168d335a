"""Mistakes on the command line, told before anything is asked."""

from __future__ import annotations

import pytest

from turnsure.cli.main import cli
from turnsure.core.errors import InputError

ENDPOINT = ("--model", "openai:tiny", "--base-url")


def refused(*arguments: object) -> InputError:
    with pytest.raises(InputError) as caught:
        cli.main([str(one) for one in arguments], standalone_mode=False)
    return caught.value


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Nothing may be left behind in the present folder."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    yield
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("blank", ["", " "])
@pytest.mark.parametrize(
    ("command", "option", "field"),
    [
        (("run",), "--out", "out"),
        (("run",), "--config", "config"),
        (("run",), "--data", "data"),
        (("run",), "--templates", "templates"),
        (("run",), "--base-url", "base_url"),
        (("run",), "--model", "model"),
        (("run",), "--api-key-env", "api_key_env"),
        (("run",), "--methods", "methods"),
        (("demo",), "--out", "out"),
        (("report", "somewhere"), "--out", "out"),
        (("report", "somewhere"), "--csv", "csv"),
    ],
)
def test_an_empty_value_is_refused(command, option, field, blank):
    assert refused(*command, option, blank).field == field


@pytest.mark.parametrize(
    ("command", "field"),
    [
        (("report", ""), "run"),
        (("dialogues", "show", ""), "data"),
        (("models", "check", ""), "model"),
    ],
)
def test_an_empty_argument_is_refused(command, field):
    assert refused(*command).field == field


@pytest.mark.parametrize(
    "address", ["127.0.0.1:8000/v1", "ftp://host/v1", "http://", "http:///v1", "http://a b/v1"]
)
@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_dry_run_refuses_the_address_that_a_run_would(address, more):
    error = refused("run", "--limit", 1, "--out", "run", *ENDPOINT, address, *more)
    assert error.field == "base_url"
    assert "http://HOST:PORT/v1" in str(error)


def test_a_dry_run_of_an_endpoint_needs_its_address():
    assert refused("run", "--limit", 1, "--model", "openai:tiny", "--dry-run").field == "base_url"


def test_a_wrong_flag_is_not_blamed_on_the_file(tmp_path):
    config = tmp_path / "c.toml"
    config.write_text("samples = 5\nbins = 0\n")
    flag = refused("run", "--config", config, "--bins", 3, "--samples", 0)
    assert (flag.field, flag.file) == ("samples", None)
    setting = refused("run", "--config", config)
    assert (setting.field, setting.file) == ("bins", str(config))


def test_words_of_the_dialogue_that_do_not_fit_name_their_file(tmp_path):
    templates = tmp_path / "t.toml"
    templates.write_text('[history]\nclue = "no slot"\n')
    error = refused("run", "--limit", 1, "--templates", templates)
    assert (error.file, error.field) == (str(templates), "history.clue")
