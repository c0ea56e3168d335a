"""Functions that a card names."""

from __future__ import annotations

import json
import sys

import pytest

from turnsure.core.errors import InputError
from turnsure.scenarios.functions import call_function, error_line, function_of


def test_a_function_is_found_by_its_name():
    assert function_of("json:loads") is json.loads


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("json", "names no function"),
        ("json:loads()", "names no function"),
        ("nowhere_at_all:f", "No module named"),
        ("json:nothing", "has no 'nothing'"),
        ("json:__doc__", "is no function"),
    ],
)
def test_what_cannot_be_called_is_refused(name, why):
    with pytest.raises(InputError, match=why):
        function_of(name)


def test_a_module_that_raises_is_told(tmp_path, monkeypatch):
    (tmp_path / "raises_at_import.py").write_text("1 / 0", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(InputError, match="raises ZeroDivisionError"):
        function_of("raises_at_import:f")


def test_whatever_a_function_raises_is_told():
    with pytest.raises(InputError, match="json:loads raises JSONDecodeError"):
        call_function(json.loads, "json:loads", "{")


class _Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (_Unspeakable(), "_Unspeakable"),
        (ValueError("two\n  lines"), "ValueError: two lines"),
        (ValueError("x" * 1000), f"ValueError: {'x' * 400}…"),
    ],
)
def test_an_error_is_told_on_one_line_whatever_its_text(error, told):
    assert error_line(error) == told
