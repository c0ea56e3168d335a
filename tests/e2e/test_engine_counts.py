"""What the embedded engine is made to do, in counts: nothing twice, and samples side by side."""

from __future__ import annotations

from collections import Counter

import pytest

import turnsure
from turnsure.engine.drive import Engine, Job
from turnsure.experiment.run_record import run_cost
from turnsure.models.embedded import EmbeddedModel, EmbeddedSettings
from turnsure.models.llama_process import WorkerProcess
from turnsure.store.sqlite import Store

pytestmark = pytest.mark.model

N_TURNS = 3
SAMPLES = 8


@pytest.fixture
def bodies(monkeypatch):
    """What goes to worker processes that are at work already."""
    sent = []
    exchange = WorkerProcess.exchange

    async def watched(self, body, seconds):
        if "messages" in body:
            sent.append(body)
        return await exchange(self, body, seconds)

    monkeypatch.setattr(WorkerProcess, "exchange", watched)
    return sent


async def test_every_prompt_token_is_evaluated_once_and_no_request_is_repeated(
    smollm2_path, tmp_path, bodies
):
    spec = turnsure.RunSpec(
        data="countries", limit=2, methods=("vanilla_verb", "self_consistency", "p_true"),
        samples=SAMPLES, answer_tokens=3, number_tokens=3,
    )  # fmt: skip
    setup = turnsure.prepare(spec)
    settings = EmbeddedSettings(path=smollm2_path, context=512, slots=SAMPLES, lanes=1, threads=1)
    model, store = EmbeddedModel("m", settings), Store(tmp_path / "store.sqlite")
    engine = Engine(backend=model, store=store)

    def turns(dialogue):
        for turn in range(1, N_TURNS + 1):
            yield from setup.measurement.turn(dialogue, turn)

    await model.start()
    try:
        await engine.run([Job(dialogue=one.id, flow=turns(one)) for one in setup.dialogues])
    finally:
        await model.close()
        store.close()

    cost = run_cost(engine.counters)
    assert cost.n_failed == 0
    assert cost.whole.distinct_tokens > 500
    assert 1.0 <= cost.whole.waste <= 1.02
    # Equal bodies are one request, asked again.
    asked = Counter(repr(sorted(body.items())) for body in bodies)
    assert max(asked.values()) == 1
    assert len(bodies) == cost.whole.n_sent == cost.n_requests - cost.n_from_store
    # All samples of a turn are one request to the engine, which draws them in its slots.
    assert Counter(body.get("n", 1) for body in bodies)[SAMPLES] == 2 * N_TURNS
    assert {body.get("n", 1) for body in bodies} == {1, SAMPLES}
