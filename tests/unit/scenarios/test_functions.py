"""Functions that a card names."""

from __future__ import annotations

import json
import sys

import pytest

from turnsure.core.errors import InputError
from turnsure.scenarios.functions import call_function, function_of


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
