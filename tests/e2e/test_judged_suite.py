"""A suite with a rubric, judged by a scripted model: what each kind of judge makes of it."""

from __future__ import annotations

import json

import pytest

from turnsure.core.scenario import Reveal, RubricItem, Scenario
from turnsure.models.scripted import ScriptedBackend
from turnsure.scenarios.assistants.python_callable import PythonAssistant
from turnsure.scenarios.counting import count_suite
from turnsure.scenarios.judge.rubric import RubricJudge
from turnsure.scenarios.running import run_suite

SCENARIO = Scenario(
    id="tone",
    reveals=(Reveal(id="hello", say="I need a flat."), Reveal(id="area", say="In Baner.")),
    rubric=(RubricItem(name="kind", ask="Was the assistant kind?"),),
    runs=3,
)


def entry(answer, quote):
    return json.dumps({"items": [{"name": "kind", "answer": answer, "quote": quote}]})


def suite(folder, reply):
    judge = ScriptedBackend(reply, name="scripted:judge")
    result = run_suite(
        [SCENARIO],
        PythonAssistant(lambda messages: "Gladly, which area?", name="tests:kind"),
        judge=RubricJudge(backend=judge),
        folder=folder,
    )
    return result, judge


@pytest.mark.parametrize(
    ("reply", "verdict", "n_calls"),
    [
        (entry("yes", "Gladly"), "pass", 3),
        (entry("no", "which area?"), "fail", 3),
        (entry("yes", "With pleasure"), "inconclusive", 3),
        (entry("cannot tell", ""), "inconclusive", 3),
        ("PASS", "inconclusive", 9),
    ],
)
def test_a_verdict_follows_the_judge(tmp_path, reply, verdict, n_calls):
    result, judge = suite(tmp_path, lambda _: reply)
    assert [one.verdict for one in result.verdicts] == [verdict] * 3
    assert len(judge.asked) == n_calls
    assert result.cost.of("judge").n_calls == n_calls
    assert result.cost.of("judge").n_again == n_calls - 3
    counts = count_suite(result, ks=[3])
    assert counts.repeats[0].all_of_k.as_failures.value == float(verdict == "pass")
    assert counts.runs.n_inconclusive == 3 * (verdict == "inconclusive")


def test_the_judge_s_wording_is_part_of_the_suite(tmp_path):
    result, judge = suite(tmp_path, lambda _: entry("yes", "Gladly"))
    assert result.judge["template"] == RubricJudge().wording.digest
    assert result.judge["name"] == "scripted:judge"
    again, asked_again = suite(tmp_path, lambda _: entry("no", "Gladly"))
    assert [one.verdict for one in again.verdicts] == ["pass"] * 3
    assert asked_again.asked == []
    assert {request.replicate for request in judge.asked} == {0, 16, 32}
