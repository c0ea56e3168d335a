from __future__ import annotations

import asyncio

import pytest

from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError, RateLimited
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.protocols import Backend
from turnsure.models.scripted import Scripted, ScriptedBackend

USER = (Message(role="user", content="Where?"),)
TEXT = GenerationRequest(messages=USER, max_tokens=8, n=3)
PROBE = GenerationRequest(messages=USER, max_tokens=1, labels=("A", "B"))
VECTOR = GenerationRequest(messages=USER, max_tokens=1, embed=True)


async def ask(backend: Backend, request: GenerationRequest) -> Generation:
    async with backend.session("d1") as session:
        return await session.generate(request)


async def test_a_text_is_given_n_times() -> None:
    generation = await ask(ScriptedBackend(lambda request: "Paris"), TEXT)
    assert generation.texts == ("Paris",) * 3
    assert generation.finish_reasons == ("stop",) * 3
    assert generation.labels is None


async def test_a_mapping_is_a_label_reading() -> None:
    reading = (await ask(ScriptedBackend(lambda request: {"A": 0.6, "B": 0.2}), PROBE)).labels
    assert reading is not None
    assert reading.mass == {"A": 0.6, "B": 0.2}
    assert reading.probability("A") == pytest.approx(0.75)
    assert reading.truncated == ()


async def test_a_generation_passes_as_it_is() -> None:
    generation = Generation(texts=("x",), finish_reasons=("length",), seconds=2.0)
    assert await ask(ScriptedBackend(lambda request: generation), TEXT) is generation


async def test_an_error_is_raised() -> None:
    error = RateLimited("later", retry_after=3.0)
    with pytest.raises(RateLimited) as caught:
        await ask(ScriptedBackend(lambda request: error), TEXT)
    assert caught.value is error


@pytest.mark.parametrize(
    ("answer", "request_"),
    [
        ("A", PROBE),
        ("A", VECTOR),
        ({"A": 0.5, "B": 0.5}, TEXT),
        ({"A": 0.5}, PROBE),
        ({"A": 1, "C": 0}, PROBE),
    ],
)
async def test_a_script_that_does_not_fit_the_request_is_told_so(
    answer: Scripted, request_: GenerationRequest
) -> None:
    with pytest.raises(InputError, match="the script answered"):
        await ask(ScriptedBackend(lambda request: answer), request_)


async def test_it_remembers_what_it_was_asked_even_when_it_fails() -> None:
    backend = ScriptedBackend(
        lambda request: "x" if request.labels is None else RateLimited("later")
    )
    await ask(backend, TEXT)
    with pytest.raises(RateLimited):
        await ask(backend, PROBE)
    assert backend.asked == [TEXT, PROBE]


async def test_latency_comes_before_the_answer() -> None:
    gate = asyncio.Event()

    async def wait(request: GenerationRequest) -> None:
        await gate.wait()

    backend = ScriptedBackend(lambda request: "x", latency=wait)
    task = asyncio.create_task(ask(backend, TEXT))
    await asyncio.sleep(0)
    assert backend.asked == [TEXT]
    assert not task.done()
    gate.set()
    assert (await task).texts == ("x",) * 3


async def test_name_and_fingerprint() -> None:
    backend = ScriptedBackend(lambda request: "x", name="scripted:oracle")
    await backend.start()
    await backend.close()
    await backend.close()
    assert backend.name == "scripted:oracle"
    assert backend.fingerprint == {"engine": "scripted", "model": "scripted:oracle"}
