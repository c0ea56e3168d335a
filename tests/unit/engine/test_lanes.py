"""Dialogues at once, the order of their requests, and what the ledger says of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.support.driving import Crowd, ask_each, engine, request, upper
from turnsure.core.generation import Generation, Usage
from turnsure.engine.drive import Job
from turnsure.models.scripted import ALL_CAPABLE, ScriptedBackend
from turnsure.store.sqlite import Store


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / "store.sqlite")
    yield opened
    opened.close()


async def test_what_continues_the_last_prompt_goes_first_where_order_matters(store):
    backend = ScriptedBackend(upper, capabilities=replace(ALL_CAPABLE, ordered=True, lanes=1))
    made, _ = engine(backend, store)
    second = [request("probe"), request("history", temperature=1.0, n=3)]
    [replies] = await made.run([Job(dialogue="d", flow=ask_each([request("history")], second))])
    assert [upper(one) for one in backend.asked] == ["HISTORY", "HISTORY", "PROBE"]
    assert [reply.texts[0] for reply in replies] == ["HISTORY", "PROBE", "HISTORY"]


async def test_where_order_matters_dialogues_do_not_mix(store):
    async def slow(asked):
        await asyncio.sleep(0.001)

    backend = ScriptedBackend(
        upper, capabilities=replace(ALL_CAPABLE, ordered=True, lanes=1), latency=slow
    )
    made, _ = engine(backend, store)
    await made.run(
        [
            Job(dialogue=name, flow=ask_each([request(f"{name}1")], [request(f"{name}2")]))
            for name in "ab"
        ]
    )
    assert [upper(one) for one in backend.asked] == ["A1", "A2", "B1", "B2"]


@pytest.mark.parametrize("lanes", [1, 2])
async def test_a_back_end_says_how_many_dialogues_it_takes_at_once(store, lanes):
    open_now, most = set(), 0

    async def watch(asked):
        nonlocal most
        open_now.add(upper(asked)[0])
        most = max(most, len(open_now))
        await asyncio.sleep(0.001)
        if upper(asked).endswith("2"):
            open_now.discard(upper(asked)[0])

    able = replace(ALL_CAPABLE, ordered=True, lanes=lanes)
    made, _ = engine(ScriptedBackend(upper, capabilities=able, latency=watch), store, concurrency=9)
    jobs = [
        Job(dialogue=name, flow=ask_each([request(f"{name}1")], [request(f"{name}2")]))
        for name in "abcde"
    ]
    results = await made.run(jobs)
    assert most == lanes
    assert [replies[0].texts[0] for replies in results] == ["A1", "B1", "C1", "D1", "E1"]


async def test_the_narrowest_of_several_models_decides_on_dialogues_at_once(store):
    crowd = Crowd()
    narrow = ScriptedBackend(upper, capabilities=replace(ALL_CAPABLE, lanes=2))
    made, _ = engine(
        ScriptedBackend(upper, latency=crowd), store, concurrency=9, others={"summariser": narrow}
    )
    await made.run([Job(dialogue=str(n), flow=ask_each([request(str(n))])) for n in range(9)])
    assert crowd.most == 2


async def test_the_ledger_holds_every_request_once_whoever_answered_it(store):
    def counted(asked):
        usage = Usage(prompt_tokens=10, cached_tokens=4, new_tokens=5, completion_tokens=3)
        return Generation(texts=(upper(asked),), finish_reasons=("stop",), usage=usage)

    def jobs():
        batches = [[request("q", tag="x"), request("q", tag="y")], [request("r", tag="y")]]
        return [Job(dialogue="d", flow=ask_each(*batches))]

    ledgers = []
    for _ in range(2):  # the second time everything is in the store
        made, _ = engine(ScriptedBackend(counted), store)
        await made.run(jobs())
        ledgers.append({tag: (s.n_sent, s.new_tokens) for tag, s in made.counters.ledger.items()})
    assert ledgers == [{"x": (1, 5), "y": (1, 5)}] * 2
    assert made.counters.n_sent == 0


async def test_an_ordered_model_in_another_role_gets_its_requests_in_order(store):
    crowd = Crowd()
    able = replace(ALL_CAPABLE, ordered=True, lanes=1)
    ordered = ScriptedBackend(upper, capabilities=able, latency=crowd)
    made, _ = engine(ScriptedBackend(upper), store, others={"summariser": ordered})
    batch = [request(f"q{number}", role="summariser") for number in range(4)]
    [replies] = await made.run([Job(dialogue="d", flow=ask_each(batch))])
    assert [reply.texts[0] for reply in replies] == ["Q0", "Q1", "Q2", "Q3"]
    assert crowd.most == 1
