"""What the embedded model refuses before it is loaded."""

from __future__ import annotations

import asyncio
import sys

import pytest

from turnsure.core.dialogue import Message
from turnsure.core.errors import BackendUnavailable, InputError, RequestRejected
from turnsure.core.generation import GenerationRequest
from turnsure.models import embedded
from turnsure.models.embedded import EmbeddedModel, EmbeddedSettings
from turnsure.models.llama_process import Lane, WorkerProcess


async def test_there_are_no_embeddings(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded, "require_engine", lambda: None)
    monkeypatch.setattr(embedded, "check_gguf", lambda path: None)
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    model = EmbeddedModel("m", EmbeddedSettings(path=tmp_path / "m.gguf"))
    request = GenerationRequest(
        messages=(Message(role="user", content="Peru"),), max_tokens=1, embed=True
    )
    async with model.session("d1") as session:
        with pytest.raises(RequestRejected, match="no embeddings"):
            await session.generate(request)


def lanes_of(tmp_path, monkeypatch, n: int) -> EmbeddedModel:
    monkeypatch.setattr(embedded, "require_engine", lambda: None)
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    return EmbeddedModel("m", EmbeddedSettings(path=tmp_path / "m.gguf", lanes=n))


async def test_a_lane_that_does_not_fit_beside_the_first_is_left_out(tmp_path, monkeypatch):
    begun = []

    async def start(lane):
        begun.append(lane)
        if len(begun) == 2:
            raise InputError("no memory")

    monkeypatch.setattr(Lane, "start", start)
    model = lanes_of(tmp_path, monkeypatch, 3)
    await model.start()
    assert len(begun) == 3
    assert model.capabilities.lanes == model.capabilities.conversations == 2


async def test_without_the_first_lane_there_is_no_model(tmp_path, monkeypatch):
    async def start(lane):
        raise InputError("no memory")

    monkeypatch.setattr(Lane, "start", start)
    with pytest.raises(InputError, match="no memory"):
        await lanes_of(tmp_path, monkeypatch, 2).start()


async def test_a_dialogue_goes_on_in_the_lane_that_knows_it(tmp_path, monkeypatch):
    model = lanes_of(tmp_path, monkeypatch, 2)
    served = []
    for name in ("a", "b", "b", "a", "b"):
        async with model.session(name) as session:
            served.append((name, session._lane))
    assert len(set(served)) == 2  # each has one
    assert len({lane for _, lane in served}) == 2  # of its own
    async with model.session("a") as one, model.session("a") as two:
        assert one._lane is not two._lane  # unless it is busy


async def test_a_process_that_dies_in_the_middle_of_an_answer_is_no_answer(monkeypatch):
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input(); print('{\"choi', end='', flush=True)",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    worker = WorkerProcess(process=child, writer=child.stdin, reader=child.stdout)
    with pytest.raises(BackendUnavailable, match="ended without an answer"):
        await worker.exchange({}, 60.0)
    await child.wait()
