"""Naming a metric loads its module; naming none loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

from turnsure import metrics


def run(code):
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_the_package_alone_loads_no_numpy():
    assert run("import sys, turnsure.metrics; print('numpy' in sys.modules)") == "False"


def test_a_name_can_be_imported_from_the_package():
    assert run("from turnsure.metrics import wilson; print(wilson(1, 2).method)") == "wilson"


def test_the_names():
    assert dir(metrics) == metrics.__all__
    for name in metrics.__all__:
        assert getattr(metrics, name).__name__ == name


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="nonsense"):
        _ = metrics.nonsense
