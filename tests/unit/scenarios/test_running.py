"""Whole suites: independence, resume, progress."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from tests.support.suites import (
    SHORT,
    fine,
    model,
    python,
    raising,
    run_with,
    scenario,
    user_backend,
    verdicts,
)
from turnsure.core.conversation import Transcript
from turnsure.core.errors import (
    StoreError,
)
from turnsure.core.generation import GenerationRequest
from turnsure.core.scenario import CheckSpec, Limits
from turnsure.core.suite import SuiteProgress, SuiteResult
from turnsure.scenarios.assistants.model import ModelAssistant
from turnsure.scenarios.running import run_suite
from turnsure.scenarios.users.simulated import SimulatedUser


def test_every_scenario_is_run_as_often_as_it_says(tmp_path):
    result = run_with(fine, tmp_path, scenario(runs=3), scenario(id="other", runs=1), concurrency=2)
    assert [one.scenario.id for one in result.scenarios] == ["flat", "other"]
    assert [one.n_runs for one in result.scenarios] == [3, 1]
    assert [one.replicate for one in result.scenarios[0].transcripts] == [0, 1, 2]
    assert verdicts(result) == ["pass"] * 4
    assert verdicts(run_with(fine, tmp_path / "b", scenario(runs=3), runs=5)) == ["pass"] * 5


def test_runs_have_seeds_memory_and_fixtures_of_their_own(tmp_path):
    seeds: dict[tuple[str, int], set[int]] = {}

    def look(messages, *, context):
        seeds.setdefault((context.scenario, context.replicate), set()).add(context.seed)
        context.memory.setdefault("n", 0)
        context.memory["n"] += 1
        context.fixtures["seen"].append(1)
        assert context.memory["n"] == len(context.fixtures["seen"]) == context.turn
        return "ok"

    given = scenario(fixtures={"seen": []}, runs=4)
    result = run_with(look, tmp_path, given, replace(given, id="other"))
    assert verdicts(result) == ["pass"] * 8
    assert all(len(one) == 1 for one in seeds.values())
    assert len(set().union(*seeds.values())) == 8
    before = dict(seeds)
    seeds.clear()
    run_with(look, tmp_path / "again", given, replace(given, id="other"))
    assert seeds == before
    run_with(look, tmp_path / "seeded", given, seed=1)
    assert seeds["flat", 0] != before["flat", 0]


def test_no_replicate_is_answered_by_another_ones_generation(tmp_path):
    asked = model()
    result = run_suite([scenario(runs=4)], ModelAssistant(backend=asked), folder=tmp_path)
    assert verdicts(result) == ["pass"] * 4
    assert len(asked.asked) == 4 * 3
    assert Counter(one.replicate for one in asked.asked) == {0: 3, 16: 3, 32: 3, 48: 3}
    again = run_suite([scenario(runs=6)], ModelAssistant(backend=model()), folder=tmp_path)
    assert again.cost is not None
    assert (again.cost.n_replayed, again.cost.n_conversations) == (4, 2)


def test_what_was_finished_is_not_run_again(tmp_path):
    calls = Counter()

    def count(messages, *, context):
        calls[context.replicate] += 1
        return "ok"

    first = run_with(count, tmp_path)
    assert calls == {0: 3, 1: 3}
    lines = (tmp_path / "transcripts.jsonl").read_bytes()
    second = run_with(count, tmp_path)
    assert calls == {0: 3, 1: 3}
    assert second.cost is not None
    assert (second.cost.n_replayed, second.cost.n_conversations) == (2, 0)
    assert second.scenarios == first.scenarios
    assert (tmp_path / "transcripts.jsonl").read_bytes() == lines
    run_with(count, tmp_path, runs=3)
    assert calls == {0: 3, 1: 3, 2: 3}


def test_another_check_is_asked_of_what_was_said(tmp_path):
    run_with(fine, tmp_path)
    strict = CheckSpec(
        name="none", kind="expression", failure="other", scope="turn", expression="size(text) < 3"
    )
    result = run_with(raising, tmp_path, scenario(checks=(SHORT, strict)))
    assert verdicts(result) == ["fail", "fail"]


@pytest.mark.parametrize(
    "changes",
    [{"persona": "Another."}, {"seed": 5}, {"answers": {"a": "b"}}, {"limits": Limits(turns=7)}],
)
def test_another_card_is_run_anew(tmp_path, changes):
    run_with(fine, tmp_path)
    result = run_with(raising, tmp_path, scenario(**changes))
    assert verdicts(result) == ["error", "error"]


def test_the_finished_suite_of_another_assistant_is_not_written_over(tmp_path):
    run_with(fine, tmp_path)
    for settings in ({"seed": 3}, {"user": SimulatedUser(backend=user_backend())}):
        with pytest.raises(StoreError, match="another folder"):
            run_with(fine, tmp_path, **settings)
    with pytest.raises(StoreError, match="another assistant"):
        run_suite([scenario()], python(fine, name="tests:other"), folder=tmp_path)
    (tmp_path / "suite.json").write_text("[]")
    with pytest.raises(StoreError, match="no suite"):
        run_with(fine, tmp_path)


def test_a_half_finished_conversation_starts_anew_without_asking_twice(tmp_path):
    users = [user_backend(), user_backend()]
    with pytest.raises(RuntimeError, match="stop here"):
        run_with(fine, tmp_path, user=SimulatedUser(backend=users[0]), progress=stopping(1))
    n_before = len(users[0].asked)
    result = run_with(fine, tmp_path, user=SimulatedUser(backend=users[1]), concurrency=1)
    assert len(users[1].asked) == 8 - n_before
    assert result.cost is not None
    assert result.cost.of("user").n_from_store + result.cost.n_replayed * 4 == n_before


def stopping(after: int) -> Any:
    def stop(progress: SuiteProgress) -> None:
        if progress.n_done == after:
            raise RuntimeError("stop here")

    return stop


def test_models_that_want_order_get_one_conversation_at_a_time(tmp_path):
    in_flight = Counter[str]()

    async def watch(request: GenerationRequest) -> None:
        in_flight["now"] += 1
        in_flight["most"] = max(in_flight["most"], in_flight["now"])
        in_flight["now"] -= 1

    turns: list[int] = []

    def note(messages, *, context):
        turns.append(context.replicate)
        return "ok"

    backend = user_backend(ordered=True, conversations=1)
    backend.latency = watch
    run_with(note, tmp_path, scenario(runs=3), user=SimulatedUser(backend=backend))
    assert turns == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert in_flight["most"] == 1


def test_progress_is_told_after_every_run(tmp_path):
    seen: list[SuiteProgress] = []
    run_with(fine, tmp_path, progress=seen.append, concurrency=1)
    assert [(one.n_done, one.n_runs) for one in seen] == [(1, 2), (2, 2)]
    assert seen[-1].verdicts == {"pass": 2}
    seen.clear()
    run_with(fine, tmp_path, progress=seen.append)
    assert seen[-1].n_replayed == 2


def test_a_thousand_conversations_cost_one_call_a_turn_and_one_row_each(tmp_path, monkeypatch):
    from turnsure.store.sqlite import Store

    put = Store.put_transcript
    rows = Counter[str]()

    def count(self: Store, key: str, transcript: Transcript) -> None:
        rows["n"] += 1
        put(self, key, transcript)

    monkeypatch.setattr(Store, "put_transcript", count)
    before = threading.active_count()
    most = Counter[str]()

    def reply(messages):
        most["threads"] = max(most["threads"], threading.active_count() - before)
        return "ok"

    result: SuiteResult = run_with(reply, tmp_path, runs=200, concurrency=4)
    assert verdicts(result) == ["pass"] * 200
    assert rows["n"] == 200
    assert result.cost is not None
    assert result.cost.of("assistant").n_calls == 600
    assert most["threads"] <= 4
