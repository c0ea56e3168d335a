"""Whole suites with a judge, and what roles cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.suites import fine, model, raising, run_with, scenario, user_backend, verdicts
from turnsure.core.conversation import Transcript
from turnsure.core.generation import GenerationRequest
from turnsure.core.judged import JudgedItem, RubricJudgement
from turnsure.core.protocols import Flow
from turnsure.core.scenario import RubricItem, Scenario
from turnsure.scenarios.users.simulated import SimulatedUser


@dataclass
class Judge:
    """Says what it is told to, after one request."""

    verdict: str
    backend: Any
    name: str = "judge"
    definition: Any = None

    def __post_init__(self) -> None:
        self.definition = {"judge": "double"}

    def judge(
        self, scenario: Scenario, transcript: Transcript, *, seed: int, replicate: int
    ) -> Flow[Any]:
        yield [
            GenerationRequest(
                messages=transcript.messages, max_tokens=1, role="judge", replicate=replicate
            )
        ]
        return judgement(self.verdict)


def judgement(verdict: str) -> RubricJudgement:
    answer: Any = {"pass": "yes", "fail": "no", "inconclusive": "cannot_tell"}[verdict]
    item = JudgedItem(name="kind", ask="Was it kind?", answer=answer, quote="ok", turn=1)
    return RubricJudgement(items=(item,), template="t", n_tries=1)


RUBRIC = {"rubric": (RubricItem(name="kind", ask="Was it kind?"),), "runs": 1}


@pytest.mark.parametrize("verdict", ["pass", "fail", "inconclusive"])
def test_the_judge_has_its_part(tmp_path, verdict):
    judge = Judge(verdict, model())
    result = run_with(fine, tmp_path, scenario(**RUBRIC), judge=judge)
    assert verdicts(result) == [verdict]
    assert result.scenarios[0].judgements == {0: judgement(verdict)}
    assert result.judge is not None
    assert result.judge["name"] == "judge"
    assert result.cost is not None
    assert result.cost.of("judge").n_calls == 1
    again = run_with(fine, tmp_path, scenario(**RUBRIC), judge=Judge(verdict, model()))
    assert verdicts(again) == [verdict]
    assert again.cost is not None
    assert again.cost.of("judge").n_from_store == 1


def test_a_rubric_that_nobody_judges_does_not_pass(tmp_path):
    result = run_with(fine, tmp_path, scenario(**RUBRIC))
    assert verdicts(result) == ["inconclusive"]
    assert not result.judgements


def test_another_judge_reads_what_was_said_and_nothing_is_said_again(tmp_path):
    run_with(fine, tmp_path, scenario(**RUBRIC))
    for verdict in ("fail", "pass"):
        judge = Judge(verdict, model(), name=f"{verdict} judge")
        result = run_with(raising, tmp_path, scenario(**RUBRIC), judge=judge)
        assert verdicts(result) == [verdict]
        assert result.cost is not None
        assert result.cost.n_replayed == 1


def test_a_broken_conversation_is_not_judged(tmp_path):
    judge = Judge("pass", model())
    assert verdicts(run_with(raising, tmp_path, scenario(**RUBRIC), judge=judge)) == ["error"]
    assert judge.backend.asked == []


def test_a_simulated_user_and_its_cost(tmp_path):
    backend = user_backend()
    user = SimulatedUser(backend=backend)
    result = run_with(fine, tmp_path, user=user)
    assert verdicts(result) == ["pass", "pass"]
    assert [one.ending for one in result.scenarios[0].transcripts] == ["user_stop"] * 2
    assert result.cost is not None
    cost = result.cost.of("user")
    assert (cost.n_calls, cost.n_from_store, cost.n_again) == (8, 0, 0)
    assert (cost.prompt_tokens, cost.completion_tokens, cost.n_uncounted) == (600, 60, 2)
    assert cost.seconds == 3.0
    assert result.cost.of("assistant").n_calls == 6
    assert len(backend.asked) == 8
