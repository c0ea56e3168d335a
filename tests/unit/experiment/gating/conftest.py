from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support import gates
from tests.support.chat_upstream import ChatUpstream
from tests.support.gate_service import Running, gate_of, serving
from turnsure.experiment.run_folder import RunFolder


@pytest.fixture(scope="session")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; read only."""
    return gates.run(tmp_path_factory.mktemp("measured"))[0]


@pytest.fixture(scope="session")
def made(measured: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gate built from it; read only."""
    path = tmp_path_factory.mktemp("made") / "gate.json"
    gates.write_gate(gates.built(measured), path)
    return path


@pytest.fixture
def run_copy(measured: Path, tmp_path: Path) -> RunFolder:
    """A copy of the run that a test may spoil."""
    return RunFolder(Path(shutil.copytree(measured, tmp_path / "run")))


@pytest.fixture
def gate_path(made: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return Path(shutil.copy(made, tmp_path / "gate.json"))


@pytest.fixture
def raw(measured: Path, tmp_path: Path) -> Path:
    """A gate without a map: the score is the probability."""
    path = tmp_path / "raw.json"
    gates.write_gate(gates.built(measured, map="identity"), path)
    return path


@pytest.fixture
async def upstream() -> AsyncIterator[ChatUpstream]:
    async with ChatUpstream() as server:
        yield server


@pytest.fixture
async def path(made: Path, tmp_path: Path, upstream: ChatUpstream) -> Path:
    """A gate in front of this endpoint."""
    return await gate_of(made, tmp_path, upstream)


@pytest.fixture
async def service(path: Path, upstream: ChatUpstream) -> AsyncIterator[Running]:
    async with serving(path, upstream) as running:
        yield running
