from __future__ import annotations

import asyncio
import re

import pytest

from tests.support.flows import drive, texts
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import BackendUnavailable, InputError
from turnsure.core.outcome import Failure
from turnsure.core.results import Undefined
from turnsure.core.sharded import SHARD_VERSIONS, ShardedRun
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.dialogues.readers.sharded import TASK
from turnsure.engine.drive import Engine
from turnsure.models.scripted import ScriptedBackend
from turnsure.scenarios.sharded import (
    ShardedSettings,
    run_sharded,
    sharded_jobs,
    sharded_run,
    user_turns,
)
from turnsure.scenarios.sharded_scores import sharded_result
from turnsure.store.sqlite import Store


def task(name="t", gold="7", full="Ann has 3 nuts and gets 4. How many?"):
    pieces = ("How many nuts has Ann?", "She has 3 nuts.", "She gets 4 nuts.")
    return Dialogue(
        id=name,
        task="Give a number.",
        hints=tuple(Hint(answer=piece) for piece in pieces),
        gold=(gold,),
        meta={} if full is None else {"full": full},
    )


def one_run(version, reply, **settings):
    flow = sharded_run(user_turns(task(), version), task(), version, 0, ShardedSettings(**settings))
    return drive(flow, reply)


def test_each_version_says_the_same_in_its_own_way():
    assert user_turns(task(), "full") == ("Give a number.\n\nAnn has 3 nuts and gets 4. How many?",)
    assert user_turns(task(), "concatenated") == (
        "Give a number.\n\n- How many nuts has Ann?\n- She has 3 nuts.\n- She gets 4 nuts.",
    )
    assert user_turns(task(), "sharded") == (
        "Give a number.\n\nHow many nuts has Ann?",
        "She has 3 nuts.",
        "She gets 4 nuts.",
    )


def test_a_sharded_run_keeps_what_was_said_before():
    run, asked = one_run("sharded", lambda one: texts(f"The answer is {len(one.messages)}."))
    assert [len(one.messages) for one in asked] == [1, 3, 5]
    assert asked[2].messages[1].content == "The answer is 1."
    assert {one.role for one in asked} == {"subject"}
    assert len({one.seed for one in asked}) == 3
    assert run.answers == ("1", "3", "5")
    assert run.scores == (0.0, 0.0, 0.0)


def test_the_last_answer_counts_or_a_right_one_at_any_turn():
    replies = iter(["5", "The answer is 7.", "The answer is 8."])
    run, _ = one_run("sharded", lambda _: texts(next(replies)))
    assert run.scores == (0.0, 1.0, 0.0)
    assert (run.score("final"), run.score("any")) == (0.0, 1.0)
    for scoring, mean in (("final", 0.0), ("any", 1.0)):
        result = sharded_result([run], scoring=scoring)
        assert result.versions["sharded"].mean.value == mean
        assert result.scoring == scoring


def test_a_reply_without_an_answer_scores_nothing_and_is_counted():
    run, _ = one_run("full", lambda _: texts("Which nuts do you mean?\nI need more."))
    assert (run.answers, run.scores) == ((None,), (0.0,))
    assert sharded_result([run]).n_no_answer == {"full": 1}


def test_a_failed_run_counts_nowhere_but_in_the_failures():
    gone = Failure(stage="generation", kind="timeout", message="no answer")
    run, asked = one_run("sharded", lambda _: gone)
    assert (run.failure, run.score("final"), len(asked)) == (gone, None, 1)
    right = ShardedRun(task="t", version="sharded", replicate=1, answers=("7",), scores=(1.0,))
    result = sharded_result([run, right])
    assert result.n_failed == {"sharded": 1}
    assert result.versions["sharded"].mean.value == 1.0
    assert result.versions["sharded"].mean.n_turns == 1


def test_runs_of_one_task_are_drawn_apart():
    jobs = sharded_jobs([task("a"), task("b")], ShardedSettings(runs=3, versions=("full",)))
    requests = [next(job.flow)[0] for job in jobs]
    assert len({one.seed for one in requests}) == len(requests) == 6
    assert [one.replicate for one in requests] == [0, 1, 2] * 2


def test_what_cannot_be_run_is_refused():
    with pytest.raises(InputError, match="two tasks are called 't'"):
        sharded_jobs([task(), task()], ShardedSettings())
    bare = task(full=None)
    with pytest.raises(InputError, match=r"meta\.full"):
        sharded_jobs([bare], ShardedSettings())
    assert len(sharded_jobs([bare], ShardedSettings(runs=1, versions=("sharded",)))) == 1
    for wrong in ({"runs": 0}, {"versions": ()}, {"versions": ("full", "full")}, {"seed": -1}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            ShardedSettings(**wrong)
    with pytest.raises(InputError, match="scoring"):
        sharded_result([], scoring="best")
    for wrong in ({}, {"scores": (1.5,)}):
        with pytest.raises(InputError, match="scores"):
            ShardedRun(task="t", version="full", replicate=0, **wrong)


def test_one_run_tells_nothing_of_unreliability():
    runs = [
        ShardedRun(task="t", version=version, replicate=0, answers=("7",), scores=(score,))
        for version, score in (("full", 0.0), ("sharded", 1.0))
    ]
    result = sharded_result(runs)
    assert isinstance(result.versions["full"].unreliability, Undefined)
    assert isinstance(result.drops["sharded"].unreliability, Undefined)
    assert isinstance(result.drops["sharded"].relative, Undefined)
    assert result.drops["sharded"].mean.value == -1.0
    assert "full" not in result.drops


def solver(gold):
    """Solves whole tasks; told piece by piece it gets lost in 4 runs of 10."""

    def reply(request):
        name = re.search(r"\[(\S+)\]", request.messages[0].content)[1]
        lost = len(request.messages) > 1 and request.replicate < 4
        return f"The answer is {'-1' if lost else gold[name]}."

    return reply


def run_all(tasks, tmp_path, reply, **settings):
    store = Store(tmp_path / "store.sqlite")
    engine = Engine(backend=ScriptedBackend(reply), store=store)
    try:
        return asyncio.run(run_sharded(engine, tasks, ShardedSettings(**settings))), engine.counters
    finally:
        store.close()


@pytest.mark.shared
def test_public_tasks_run_with_a_model_that_gets_lost(shared_data, tmp_path):
    file = shared_data / "sharded_gsm8k_jliang" / "dialogues.jsonl"
    given = read_dialogues(file, task=TASK, limit=12)
    tasks = [
        Dialogue(id=d.id, task=f"[{d.id}] {d.task}", hints=d.hints, gold=d.gold, meta=d.meta)
        for d in given
    ]
    runs, counters = run_all(tasks, tmp_path, solver({d.id: d.gold[0] for d in given}), runs=10)
    assert len(runs) == 12 * 3 * 10
    assert counters.n_requests == 12 * 20 + 10 * sum(len(d.hints) for d in given)
    result = sharded_result(runs)
    assert tuple(result.versions) == SHARD_VERSIONS
    for version, mean, aptitude, unreliability in (
        ("full", 1.0, 1.0, 0.0),
        ("concatenated", 1.0, 1.0, 0.0),
        ("sharded", 0.6, 1.0, 1.0),
    ):
        scores = result.versions[version]
        assert scores.mean.value == pytest.approx(mean)
        assert scores.aptitude.value == pytest.approx(aptitude)
        assert scores.unreliability.value == pytest.approx(unreliability)
    drop = result.drops["sharded"]
    assert drop.mean.value == pytest.approx(0.4)
    assert drop.relative.value == pytest.approx(0.4)
    assert drop.unreliability.value == pytest.approx(-1.0)
    assert result.drops["concatenated"].mean.value == 0.0
    again, counters = run_all(tasks, tmp_path, lambda _: 1 / 0, runs=10)
    assert again == runs
    assert counters.n_from_store == counters.n_requests


def test_a_model_that_fails_in_between_costs_those_runs_alone(tmp_path):
    def reply(request):
        if request.replicate == 1 and len(request.messages) == 3:
            return BackendUnavailable("gone")
        return "7"

    store = Store(tmp_path / "store.sqlite")

    async def no_sleep(seconds):
        del seconds

    engine = Engine(backend=ScriptedBackend(reply), store=store, sleep=no_sleep)
    runs = asyncio.run(run_sharded(engine, [task()], ShardedSettings(runs=3)))
    store.close()
    result = sharded_result(runs)
    assert result.n_failed == {"full": 0, "concatenated": 0, "sharded": 1}
    assert result.versions["sharded"].mean.n_turns == 2
