"""A finished suite's report, put together anew from its folder."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.support.suites import python
from tests.unit.testing.test_suite import EARLY, asking, shows
from turnsure.core.errors import StoreError
from turnsure.core.scenario import RubricItem
from turnsure.models.scripted import ScriptedBackend
from turnsure.report.suite_page import render_suite
from turnsure.scenarios.judge.rubric import RubricJudge
from turnsure.testing.redrawing import load_suite_report
from turnsure.testing.suite import TestSettings, run_tests

JUDGED = replace(EARLY, rubric=(RubricItem(name="kind", ask="Was it kind?"),))


def judge(answer="yes"):
    said = {"items": [{"name": "kind", "answer": answer, "quote": "Here is A."}]}
    return RubricJudge(backend=ScriptedBackend(lambda _: json.dumps(said)))


def sure(request):
    return dict(zip(request.labels, (0.75, 0.25), strict=True))


def made(folder, **more):
    settings = TestSettings(folder=folder, resamples=50, fail_under=0.5, k=1)
    return run_tests([JUDGED], python(shows), settings, **more)


def test_the_page_comes_out_as_it_was(tmp_path):
    first = made(tmp_path, judge=judge(), confidence=asking("p_true", "p_sufficient"))
    again = load_suite_report(tmp_path)
    assert again.outcome == first.outcome
    assert again.result == first.result
    assert again.confidence.methods == first.confidence.methods
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert render_suite(again) == html
    assert "What the judge said" in html


def test_a_confidence_of_an_earlier_call_is_not_shown(tmp_path):
    made(tmp_path, judge=judge(), confidence=asking("p_sufficient"))
    made(tmp_path, judge=judge())
    assert (tmp_path / "confidence.json").exists()
    again = load_suite_report(tmp_path)
    assert again.confidence is None
    assert again.outcome.ending == "inconclusive"


@pytest.mark.parametrize(
    ("answer", "reply", "ending"),
    [("yes", sure, "passed"), ("cannot tell", sure, "inconclusive"), ("no", sure, "failed")],
)
def test_what_the_judge_said_holds_once_confidence_is_known(tmp_path, answer, reply, ending):
    asked = asking("p_sufficient", reply=reply)
    report = made(tmp_path, judge=judge(answer), confidence=asked)
    assert report.outcome.ending == ending
    assert [len(one.findings) for one in report.result.verdicts] == [int(answer == "no")] * 2


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("settings.json", None),
        ("settings.json", "{"),
        ("settings.json", "[]"),
        ("settings.json", '{"confidence": true}'),
        ("confidence.json", None),
        ("confidence.json", '{"protocol": "x"}'),
        ("turns.parquet", None),
    ],
)
def test_a_damaged_file_is_told_by_its_name(tmp_path, file, text):
    made(tmp_path, judge=judge(), confidence=asking("p_sufficient"))
    if text is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_text(text)
    with pytest.raises(StoreError, match=file):
        load_suite_report(tmp_path)
