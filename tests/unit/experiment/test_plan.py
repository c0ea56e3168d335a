"""The dry run counts what the real run asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.flows import dialogue, drive, label_mass, texts
from turnsure.core.spec import RunSpec
from turnsure.dialogues.jsonl import write_dialogues
from turnsure.experiment.plan import count_requests, plan
from turnsure.experiment.setup import prepare


@pytest.fixture
def setup(tmp_path: Path):
    path = tmp_path / "d.jsonl"
    write_dialogues(path, [dialogue(3, name="a"), dialogue(2, name="b")])
    return prepare(RunSpec(data=str(path), samples=4))


def readable(request):
    if request.labels:
        return label_mass(A=0.7, B=0.3)
    if "Confidence" in request.messages[-1].content:
        return texts("### Confidence: \\boxed{70}")
    return texts(*["\\boxed{Chad}"] * request.n)


def test_requests_are_those_of_the_real_run(setup):
    planned = {call.tag: call.n_requests for call in plan(setup, lambda request: False).calls}
    asked = []
    for one in setup.dialogues:
        asked += drive(setup.measurement.dialogue(one), readable)[1]
    assert planned == {tag: sum(one.tag == tag for one in asked) for tag in planned}
    assert sum(planned.values()) == len(asked) == count_requests(setup)


def test_equal_requests_and_kept_ones_cost_nothing(setup):
    free = {call.tag: call for call in plan(setup, lambda request: False).calls}
    assert free["samples"].n_kept == 5  # the gold answer is compared with the same samples
    kept = plan(setup, lambda request: True)
    assert all(call.n_kept == call.n_requests for call in kept.calls)
    assert sum(call.prompt_tokens + call.completion_tokens for call in kept.calls) == 0


def test_sizes_and_tokens(setup):
    result = plan(setup, lambda request: False)
    assert (result.n_dialogues, result.n_turns) == (2, 5)
    calls = {call.tag: call for call in result.calls}
    assert calls["samples"].completion_tokens == 5 * 4 * 64
    assert calls["p_true"].completion_tokens == 10  # one token each, for answer and gold
    assert calls["answer"].prompt_tokens > 0


def test_distinct_tokens_are_counted_once_for_all_that_begin_alike(setup):
    calls = plan(setup, lambda request: False).calls
    sent = sum(call.prompt_tokens for call in calls)
    distinct = sum(call.distinct_tokens for call in calls)
    prompts = {
        "\n".join(f"{one.role}\n{one.content}" for one in request.messages)
        for dialogue_ in setup.dialogues
        for request in drive(setup.measurement.dialogue(dialogue_), readable)[1]
    }
    longest = max(map(len, prompts)) // 4
    assert longest < distinct < sent
    samples = next(call for call in calls if call.tag == "samples")
    assert (samples.prompt_tokens > 0, samples.distinct_tokens) == (True, 0)  # the answer's prompt
