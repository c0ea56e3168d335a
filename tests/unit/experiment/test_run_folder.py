"""The run's folder."""

from __future__ import annotations

import json
from types import MappingProxyType

import pytest

from turnsure.core.errors import StoreError
from turnsure.core.results import Undefined
from turnsure.experiment.run_folder import RunFolder
from turnsure.store.json_files import plain, write_json


def test_only_one_may_hold_a_folder(tmp_path):
    folder = RunFolder(tmp_path / "run")
    with folder.locked(), pytest.raises(StoreError, match="in use"), folder.locked():
        pass
    with folder.locked():  # and it is free again afterwards
        assert folder.path.is_dir()


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with (
        pytest.raises(StoreError, match=r"file.*cannot be made"),
        RunFolder(tmp_path / "file" / "run").locked(),
    ):
        pass


def test_run_json_comes_back(tmp_path):
    folder = RunFolder(tmp_path)
    body = {"spec": {"data": "countries"}, "protocol": {}, "digest": "x", "versions": {}}
    folder.write_run({**body, "finished": None})
    assert folder.read_run()["spec"] == {"data": "countries"}


def test_a_run_json_without_its_fields_is_refused(tmp_path):
    (tmp_path / "run.json").write_text('{"format": 1, "spec": {}}')
    with pytest.raises(StoreError, match="lacks protocol, digest, versions, finished"):
        RunFolder(tmp_path).read_run()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": 99}'])
def test_what_is_no_run_is_refused(tmp_path, text):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(StoreError, match=r"run\.json"):
        RunFolder(tmp_path).read_run()


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(StoreError, match="no run is here"):
        RunFolder(tmp_path).read_run()


def test_values_become_plain():
    value = {"a": (Undefined(name="x", reason="y"), MappingProxyType({"b": 1}))}
    assert plain(value) == {
        "a": [{"name": "x", "reason": "y", "n_turns": 0, "n_failed": 0}, {"b": 1}]
    }


def test_a_number_that_is_none_is_never_written(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "x.json", {"value": float("nan")})
    write_json(tmp_path / "x.json", {"value": 0.5})
    assert json.loads((tmp_path / "x.json").read_text()) == {"value": 0.5}
