"""Every command of ``docs/testing.md`` that needs no server does what the page says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.unit.cli.test_scenario import BUG
from turnsure.cli.main import cli

PAGE = Path(__file__).parents[2] / "docs" / "testing.md"
NEEDS_MORE = ("my_bot", "labels.csv", "tasks.jsonl")
"""Commands with a stand-in for something of the reader's."""


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def commands() -> list[str]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.startswith("    turnsure ")]


def test_the_commands_run_in_their_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bug.jsonl").write_text(json.dumps({"id": "c7", "messages": BUG}))
    [parts] = blocks("yaml")
    (tmp_path / "parts.yaml").write_text(parts)
    codes, shown = {}, {}
    for command in commands():
        if any(name in command for name in NEEDS_MORE):
            continue
        try:
            cli.main(shlex.split(command)[1:], standalone_mode=False)
            codes[command] = 0
        except SystemExit as ended:
            codes[command] = ended.code or 0
        shown[command] = capsys.readouterr().out
    assert len(codes) >= 9
    for command, code in codes.items():
        expected = (
            29
            if "from-transcript bug.jsonl --turn" in command
            else 25
            if command.startswith("turnsure test example") and ":right" not in command
            else 0
        )
        assert code == expected, command
    [example] = blocks("text")
    forgetful = next(out for command, out in shown.items() if ":forgetful" in command)
    for line in example.splitlines():
        assert line == "…" or line in [one.rstrip() for one in forgetful.splitlines()], line
    assert (tmp_path / "junit.xml").exists()
    assert (tmp_path / "runs/forgetful/report.html").exists()


@pytest.mark.parametrize("command", commands())
def test_every_option_that_the_page_names_is_there(command, capsys):
    words = shlex.split(command)[1:]
    nested = words[0] in ("scenario", "judge") or words[1] == "compare"
    called = words[: 2 if nested else 1]
    with pytest.raises(SystemExit):
        cli.main([*called, "--help"])
    shown = capsys.readouterr().out
    for word in words:
        if word.startswith("-"):
            assert word in shown, (command, word)


def test_the_exit_codes_are_those_of_the_command():
    from turnsure.cli.test import FAILED, INCONCLUSIVE, UNDECIDED

    table = re.findall(r"^\| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(one) for one in table] == [0, FAILED, UNDECIDED, INCONCLUSIVE]


def test_the_python_of_the_page_is_python():
    codes = blocks("python")
    assert len(codes) > 1
    for code in codes:
        compile(code, "docs/testing.md", "exec")
