"""From cards to a report, with a confidence that makes findings."""

from __future__ import annotations

import json

import pytest

from tests.support.conversations import card
from tests.support.suites import python
from turnsure.core.errors import InputError
from turnsure.core.spec import RunSpec
from turnsure.models.scripted import ScriptedBackend
from turnsure.scenarios.suite_file import read_suite
from turnsure.store.turns_file import read_turns
from turnsure.testing.suite import AskConfidence, TestSettings, chosen_k, run_tests

EARLY = card("  - {name: early, check: {early_guessing: {confidence_below: 0.5}}}", more="runs: 2")


def shows(messages):
    """An assistant that shows a flat at every turn."""
    return {"content": "Here is A.", "items": [{"id": "A", "rent": 20}]}


def unsure(request):
    """Sure of everything until the user has a dog."""
    yes = 0.25 if "dog" in request.messages[-1].content else 0.75
    return dict(zip(request.labels, (yes, 1 - yes), strict=True))


def asking(*methods, reply=unsure):
    return AskConfidence(spec=RunSpec(methods=methods), backend=ScriptedBackend(reply))


def try_out(folder, **more):
    settings = TestSettings(folder=folder / "kept", resamples=50)
    return run_tests([EARLY], python(shows), settings, **more)


def test_without_a_confidence_the_check_is_open(tmp_path):
    report = try_out(tmp_path)
    assert report.outcome.ending == "inconclusive"
    assert report.confidence is None
    assert not (tmp_path / "kept" / "turns.parquet").exists()


def test_an_early_answer_becomes_a_finding_that_is_kept(tmp_path):
    report = try_out(tmp_path, confidence=asking("p_true", "p_sufficient"))
    assert report.outcome.ending == "failed"
    [group] = report.failures
    assert (group.failure, group.turn) == ("early_guessing", 2)
    kept = read_suite(tmp_path / "kept")
    assert [one.verdict for one in kept.verdicts] == ["fail", "fail"]
    assert kept.verdicts == report.result.verdicts
    rows = read_turns(tmp_path / "kept" / "turns.parquet")[0].rows
    # A finding that was made of a confidence is nothing that a confidence could foresee.
    assert [one.outcome.correct for one in rows if one.method == "p_true"] == [True] * 6
    body = json.loads((tmp_path / "kept" / "confidence.json").read_text())
    assert [one["method"] for one in body["methods"]] == ["p_true", "p_sufficient"]
    assert "early guessing" in (tmp_path / "kept" / "report.html").read_text(encoding="utf-8")
    # The same again asks nobody and says the same.
    quiet = asking("p_true", "p_sufficient")
    again = try_out(tmp_path, confidence=quiet)
    assert not quiet.backend.asked
    assert again.result.verdicts == report.result.verdicts


def test_a_sure_assistant_passes(tmp_path):
    def sure(request):
        return dict(zip(request.labels, (0.75, 0.25), strict=True))

    report = try_out(tmp_path, confidence=asking("p_sufficient", reply=sure))
    assert report.outcome.ending == "passed"


def test_a_method_that_cannot_is_refused_before_anything_is_run(tmp_path):
    with pytest.raises(InputError, match="sequence_likelihood_mean"):
        try_out(tmp_path, confidence=asking("sequence_likelihood_mean"))
    assert not (tmp_path / "kept").exists()


def test_the_ledger_of_every_turn_is_there(tmp_path):
    report = try_out(tmp_path)
    first, second, third = report.ledgers["flats", 0]
    assert [one.name for one in first.rules] == ["max_rent", "areas"]
    assert second.rejected == {"X": 2}
    assert [(one.value, one.before, one.since) for one in third.rules if one.before] == [
        (28, (25,), 3)
    ]


def test_k_follows_the_runs(tmp_path):
    report = try_out(tmp_path)
    assert report.counts.repeats[0].k == 2
    assert (chosen_k(report.result, 1), chosen_k(report.result, None)) == (1, 2)
