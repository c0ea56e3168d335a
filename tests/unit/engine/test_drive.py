"""The engine against a scripted model and a real store."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.driving import Crowd, ask_each, engine, request, upper
from turnsure.core.errors import BackendUnavailable, ContextOverflow, RateLimited
from turnsure.core.outcome import Failure
from turnsure.engine.drive import FAILURES_IN_A_ROW, Job
from turnsure.engine.retry import RetryPolicy
from turnsure.models.scripted import ScriptedBackend
from turnsure.store.sqlite import Store


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / "store.sqlite")
    yield opened
    opened.close()


async def test_results_come_in_the_order_of_the_jobs(store):
    async def slow_first(asked):
        await asyncio.sleep(0.02 if "a" in asked.messages[0].content else 0)

    backend = ScriptedBackend(upper, latency=slow_first)
    made, _ = engine(backend, store)
    jobs = [Job(dialogue=name, flow=ask_each([request(name)])) for name in "abc"]
    results = await made.run(jobs)
    assert [[reply.texts for reply in one] for one in results] == [[("A",)], [("B",)], [("C",)]]
    assert made.counters.n_flows_done == 3


async def test_results_are_handed_over_in_order_as_soon_as_all_before_are_there(store):
    last_may_end = asyncio.Event()
    taken = []

    async def slow(asked):
        match asked.messages[0].content:
            case "a":
                await asyncio.sleep(0.02)
                assert taken == []  # b has ended, and waits for its turn
            case "d":
                await last_may_end.wait()

    def take(replies):
        taken.append(replies[0].texts[0])
        if len(taken) == 3:
            last_may_end.set()

    backend = ScriptedBackend(upper, latency=slow)
    made, _ = engine(backend, store)
    await made.run_each(
        [Job(dialogue=name, flow=ask_each([request(name)])) for name in "abcd"], take
    )
    assert taken == ["A", "B", "C", "D"]


async def test_nothing_that_was_answered_is_asked_again(store):
    backend = ScriptedBackend(upper)
    for _ in range(2):
        made, _ = engine(backend, store)
        await made.run([Job(dialogue="d", flow=ask_each([request("x")], [request("y")]))])
    assert [upper(one) for one in backend.asked] == ["X", "Y"]
    assert made.counters.n_from_store == made.counters.n_requests == 2


async def test_equal_requests_in_flight_are_asked_once(store):
    async def slow(asked):
        await asyncio.sleep(0.01)

    backend = ScriptedBackend(upper, latency=slow)
    made, _ = engine(backend, store)
    same = [request("x", tag="one"), request("x", tag="two"), request("z")]
    [replies] = await made.run([Job(dialogue="d", flow=ask_each(same))])
    assert [reply.texts[0] for reply in replies] == ["X", "X", "Z"]
    assert len(backend.asked) == 2
    assert made.counters.n_from_store == 1


async def test_replicates_are_drawn_anew(store):
    backend = ScriptedBackend(upper)
    made, _ = engine(backend, store)
    both = [request("x", replicate=0), request("x", replicate=1)]
    await made.run([Job(dialogue="d", flow=ask_each(both))])
    assert len(backend.asked) == 2


async def test_a_failed_item_is_returned_and_the_rest_goes_on(store):
    def script(asked):
        return ContextOverflow("too long") if upper(asked) == "B" else upper(asked)

    made, waits = engine(ScriptedBackend(script), store)
    [replies] = await made.run(
        [Job(dialogue="d", flow=ask_each([request("a"), request("b"), request("c")]))]
    )
    assert [reply.texts[0] for reply in (replies[0], replies[2])] == ["A", "C"]
    failure = replies[1]
    assert isinstance(failure, Failure)
    assert (failure.stage, failure.kind) == ("generation", "context_overflow")
    assert waits == []
    assert len(store) == 2  # a failure is not kept, so a later run asks again


async def test_a_server_that_asks_for_patience_gets_it(store):
    replies = iter([RateLimited("slow", retry_after=3.0), BackendUnavailable("cut"), "fine"])
    made, waits = engine(ScriptedBackend(lambda _: next(replies)), store)
    [[reply]] = await made.run([Job(dialogue="d", flow=ask_each([request("a")]))])
    assert reply.texts == ("fine",)
    assert waits == [3.0, 0.5]
    assert made.counters.n_retries == 2


async def test_gives_up_on_an_item_after_the_last_attempt(store):
    def script(asked):
        return upper(asked) if upper(asked) == "B" else BackendUnavailable("cut")

    made, _ = engine(ScriptedBackend(script), store, retry=RetryPolicy(attempts=3))
    [[reply, _]] = await made.run([Job(dialogue="d", flow=ask_each([request("a"), request("b")]))])
    assert isinstance(reply, Failure)
    assert reply.message == "cut (sent 3 times)"
    assert made.counters.n_failed == 1


async def test_stops_when_the_back_end_is_plainly_gone(store):
    backend = ScriptedBackend(lambda _: BackendUnavailable("connection refused"))
    made, _ = engine(backend, store, retry=RetryPolicy(attempts=1))
    many = [[request(f"q{number}")] for number in range(FAILURES_IN_A_ROW + 10)]
    with pytest.raises(BackendUnavailable, match=r"in a row.*connection refused"):
        await made.run([Job(dialogue="d", flow=ask_each(*many))])
    assert len(backend.asked) == FAILURES_IN_A_ROW


async def test_a_run_without_one_answer_is_no_result(store):
    backend = ScriptedBackend(lambda _: BackendUnavailable("connection refused"))
    made, _ = engine(backend, store, retry=RetryPolicy(attempts=1))
    with pytest.raises(BackendUnavailable, match=r"every request failed.*connection refused"):
        await made.run([Job(dialogue="d", flow=ask_each([request("a"), request("b")]))])


async def test_one_answer_from_the_store_makes_a_run_a_result(store):
    kept, _ = engine(ScriptedBackend(upper), store)
    await kept.run([Job(dialogue="d", flow=ask_each([request("a")]))])
    backend = ScriptedBackend(lambda _: BackendUnavailable("cut"))
    made, _ = engine(backend, store, retry=RetryPolicy(attempts=1))
    [replies] = await made.run([Job(dialogue="d", flow=ask_each([request("a")], [request("b")]))])
    assert [isinstance(reply, Failure) for reply in replies] == [False, True]


async def test_equal_requests_that_fail_together_are_each_counted_as_failed(store):
    async def slow(asked):
        await asyncio.sleep(0.01)

    def script(asked):
        return upper(asked) if upper(asked) == "B" else ContextOverflow("too long")

    made, _ = engine(ScriptedBackend(script, latency=slow), store)
    same = [request("a", tag="one"), request("a", tag="two"), request("b")]
    await made.run([Job(dialogue="d", flow=ask_each(same))])
    counters = made.counters
    assert (counters.n_requests, counters.n_failed, counters.n_from_store) == (3, 2, 0)


async def test_dialogues_that_are_too_long_do_not_end_the_run(store):
    made, _ = engine(ScriptedBackend(lambda _: ContextOverflow("too long")), store)
    many = [[request(f"q{number}")] for number in range(2 * FAILURES_IN_A_ROW)]
    [replies] = await made.run([Job(dialogue="d", flow=ask_each(*many))])
    assert {reply.kind for reply in replies} == {"context_overflow"}


async def test_concurrency_is_bounded(store):
    crowd = Crowd()
    backend = ScriptedBackend(upper, latency=crowd)
    made, _ = engine(backend, store, concurrency=3)
    await made.run([Job(dialogue=str(n), flow=ask_each([request(str(n))])) for n in range(9)])
    assert crowd.most == 3


async def test_progress_is_told_tokens_and_tags(store):
    seen = []
    backend = ScriptedBackend(upper)
    made, _ = engine(backend, store, progress=lambda counters: seen.append(counters.n_requests))
    await made.run([Job(dialogue="d", flow=ask_each([request("a", tag="p_true")], [request("b")]))])
    assert seen == [1, 2, 2]
    sent = {tag: spent.n_sent for tag, spent in made.counters.by_tag.items()}
    assert sent == {"p_true": 1, "": 1}


async def test_an_error_in_a_flow_is_not_hidden(store):
    def broken():
        yield [request("a")]
        raise ZeroDivisionError

    made, _ = engine(ScriptedBackend(upper), store)
    with pytest.raises(ZeroDivisionError):
        await made.run([Job(dialogue="d", flow=broken())])
