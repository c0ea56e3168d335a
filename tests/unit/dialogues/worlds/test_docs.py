"""The examples of ``docs/worlds.md`` are files that work, and both are one world."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from turnsure.core.errors import InputError
from turnsure.dialogues.worlds.source import draw_dialogues
from turnsure.dialogues.worlds.user_file import read_world

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "worlds.md").read_text(encoding="utf-8")


def example(kind: str) -> str:
    [text] = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return text


def test_the_examples_are_one_world(tmp_path):
    worlds = []
    for kind in ("yaml", "csv"):
        path = tmp_path / f"animals.{kind}"
        path.write_text(example(kind), encoding="utf-8")
        worlds.append(read_world(path))
        assert len(draw_dialogues(worlds[-1])) == 4
    from_yaml, from_csv = worlds
    plain = tuple(dataclasses.replace(one, meta={}) for one in from_yaml.entities)
    assert from_csv == dataclasses.replace(from_yaml, closing=None, entities=plain)


def test_the_message_is_what_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = example("yaml").replace("flies: yes", "flies: perhaps")
    Path("animals.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_world("animals.yaml")
    assert f"    {caught.value}\n" in PAGE
