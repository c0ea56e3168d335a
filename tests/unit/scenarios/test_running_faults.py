"""Whole suites in which something goes wrong."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.suites import fine, model, python, raising, run_with, scenario, verdicts
from turnsure.core.errors import (
    BackendUnavailable,
    CapabilityError,
    InputError,
    KeyRefused,
)
from turnsure.core.generation import GenerationRequest
from turnsure.core.scenario import Limits, Scenario
from turnsure.models.scripted import ScriptedBackend
from turnsure.scenarios.assistants.model import ModelAssistant
from turnsure.scenarios.running import run_suite
from turnsure.scenarios.users.simulated import SimulatedUser


def test_an_assistant_that_fails_fails_alone(tmp_path):
    hang = threading.Event()

    def moody(messages, *, context):
        match context.replicate:
            case 1:
                raise ValueError("no")
            case 2:
                hang.wait(30)
            case 3:
                return 7
            case 4:
                return ""
            case 5:
                return "long " * 50
        return "fine"

    given = scenario(runs=7, limits=Limits(seconds=1.0))
    result = run_with(moody, tmp_path, given)
    hang.set()
    assert verdicts(result) == ["pass", "error", "error", "error", "error", "fail", "pass"]
    reasons = [one.reason for one in result.verdicts]
    for reason, said in zip(
        reasons[1:5], ("ValueError: no", "no reply in 1 s", "an int", "says nothing"), strict=True
    ):
        assert said in reason
    assert len(result.scenarios[0].transcripts[1].exchanges) == 1


def test_a_fault_of_the_infrastructure_is_tried_again_and_not_kept(tmp_path):
    calls = Counter[str]()

    def reply(request: GenerationRequest) -> Any:
        calls["n"] += 1
        return BackendUnavailable("gone") if request.replicate == 16 else "ok"

    backend = model(reply)
    assistant = ModelAssistant(backend=backend)
    # An error that the engine gives up at once.
    reply_once = replace_retry(assistant)
    result = run_suite([scenario()], reply_once, folder=tmp_path)
    assert verdicts(result) == ["pass", "error"]
    assert "gone" in result.verdicts[1].reason
    assert result.scenarios[0].transcripts[1].ending == "infrastructure_error"
    assert result.cost is not None
    assert result.cost.n_restarted == 1
    healed = replace_retry(ModelAssistant(backend=model("ok")))
    again = run_suite([scenario()], healed, folder=tmp_path)
    assert verdicts(again) == ["pass", "pass"]
    assert again.cost is not None
    assert again.cost.n_replayed == 1


def replace_retry(assistant: ModelAssistant) -> Any:
    """The same assistant, asked without the engine and so without its pauses."""

    @dataclass
    class Direct:
        inner: ModelAssistant
        backend: None = None

        @property
        def name(self) -> str:
            return self.inner.name

        @property
        def fingerprint(self) -> Any:
            return self.inner.fingerprint

        async def start(self) -> None: ...

        async def close(self) -> None: ...

        def check(self, scenario: Scenario) -> None: ...

        async def reply(self, messages, *, turn, run):
            flow = self.inner.turn(messages, turn=turn, run=run)
            [request] = next(flow)
            async with self.inner.backend.session("") as session:
                generation = await session.generate(request)
            try:
                flow.send([generation])
            except StopIteration as end:
                return end.value
            raise AssertionError("more than one step")

    return Direct(assistant)


def test_a_refused_key_stops_the_suite_and_keeps_what_was_finished(tmp_path):
    def reply(request: GenerationRequest) -> Any:
        return KeyRefused("no such key") if request.replicate >= 32 else "ok"

    assistant = ModelAssistant(backend=model(reply))
    with pytest.raises(KeyRefused, match="no such key"):
        run_suite([scenario(runs=4)], assistant, folder=tmp_path, concurrency=1)
    again = run_suite([scenario(runs=4)], ModelAssistant(backend=model("ok")), folder=tmp_path)
    assert again.cost is not None
    assert again.cost.n_replayed == 2


def test_invalid_users_are_an_outcome_of_their_own(tmp_path):
    backend = ScriptedBackend(lambda request: "How can I help you?", name="scripted:user")
    result = run_with(fine, tmp_path, user=SimulatedUser(backend=backend))
    assert verdicts(result) == ["invalid", "invalid"]
    assert "role_swap" in result.verdicts[0].reason
    assert result.cost is not None
    assert (result.cost.of("user").n_calls, result.cost.of("user").n_again) == (6, 4)


def test_a_call_that_nothing_serves_fails_the_run(tmp_path):
    def call(messages, *, context):
        context.call("nothing")
        return "ok"

    result = run_with(call, tmp_path)
    assert verdicts(result) == ["fail", "fail"]
    first = result.verdicts[0]
    assert (first.first_failing_turn, first.failure) == (1, "wrong_tool_use")
    assert "there is no tool 'nothing'" in first.reason


@pytest.mark.parametrize(
    ("scenarios", "settings", "said"),
    [
        ((), {}, "no scenario"),
        ((scenario(), scenario()), {}, "'flat' is there twice"),
        ((scenario(),), {"runs": 0}, "runs"),
        ((scenario(),), {"concurrency": 0}, "concurrency"),
        ((scenario(tools={"t": {}}),), {}, "tools.t"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_run(tmp_path, scenarios, settings, said):
    with pytest.raises(InputError, match=said):
        run_suite(scenarios, python(raising), folder=tmp_path / "suite", **settings)
    assert not (tmp_path / "suite").exists()


def test_a_model_without_tools_is_refused_before_it_is_asked(tmp_path):
    backend = model()
    given = scenario(tools={"now": {"results": [{"result": 1}]}})
    with pytest.raises(CapabilityError, match="tools"):
        run_suite([given], ModelAssistant(backend=backend), folder=tmp_path)
    assert backend.asked == []
