"""A suite in words: terminal, Markdown, JSON, and two side by side."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from tests.support.suite_reports import report, suite, verdict
from tests.unit.report.test_suite_page import confidence
from turnsure.core.errors import InputError, ProtocolMismatchError, StoreError
from turnsure.report.suite_compare import comparison_markdown, comparison_terminal
from turnsure.report.suite_json import suite_json
from turnsure.report.suite_text import suite_markdown, suite_terminal
from turnsure.scenarios.suite_file import SuiteFolder
from turnsure.testing.comparing import compare_suites

FOUR = [verdict("fail"), verdict("pass", 1), verdict("pass", 2), verdict("invalid", 3)]


def printed(renderable, width=100):
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=False).print(renderable)
    return out.getvalue()


def test_the_terminal_says_counts_rates_and_what_broke():
    words = " ".join(printed(suite_terminal(report({"flats": FOUR}, k=2)), 140).split())
    for said in (
        "pass^2 %", "50.0", "of decided 66.7", "forgotten constraint at turn 3 (1×)", "invalid 1",
        "forgotten constraint, turn 3: 1 run turn 3: too dear", "invalid: 1 run it is invalid",
        "FAILED: 2 of 4 runs passed; not all of flats.",
    ):  # fmt: skip
        assert said in words, said


@pytest.mark.parametrize("width", [40, 80])
def test_it_folds_where_the_terminal_is_narrow(width):
    lines = printed(suite_terminal(report({"flats": FOUR})), width).splitlines()
    assert max(map(len, lines)) <= width


def test_several_scenarios_have_a_line_for_all():
    runs = {
        "one": [verdict("pass", scenario="one")],
        "two": [verdict("fail", scenario="two")],
    }
    text = suite_markdown(report(runs))
    assert "| all | 2 | 1 | 50.0" in text
    assert "FAILED: 1 of 2 runs passed; not all of two." in text


def test_undecided_runs_have_a_column_only_where_there_are_any():
    assert "undecided" not in suite_markdown(report({"flats": [verdict("pass")]}))
    assert "undecided" in suite_markdown(report({"flats": FOUR}))


def test_a_clean_sheet_says_how_much_it_leaves_open():
    runs = {"flats": [verdict("pass", place) for place in range(10)]}
    assert "up to 28 %" in suite_markdown(report(runs))


def test_a_lower_bar_is_said():
    text = suite_markdown(report({"flats": FOUR}, fail_under=0.9))
    assert "under 90 % of flats" in text


def test_confidence_is_told_in_sentences():
    text = " ".join(suite_markdown(report({"flats": FOUR[:3]}, confidence=confidence())).split())
    assert "3 runs hold 1 different conversations" in text
    assert "p\\_sufficient does not clearly move at a twist" in text
    assert "items are shown below 0.5 at 3 of 6 turns that show any, in 3 runs" in text


def test_json_holds_everything_but_conversations():
    body = json.loads(suite_json(report({"flats": FOUR}, confidence=confidence())))
    assert (body["kind"], body["format"]) == ("test-report", 1)
    assert body["outcome"] == {"ending": "failed", "fail_under": 1.0, "below": ["flats"]}
    assert body["counts"]["runs"]["n_invalid"] == 1
    assert body["failures"][0]["turn"] == 3
    assert body["confidence"]["methods"][0]["method"] == "p_sufficient"
    assert "exchanges" not in json.dumps(body)


def kept(folder, verdicts, **more):
    SuiteFolder(folder).path.mkdir()
    result = suite({"flats": verdicts}, folder=str(folder), **more)
    SuiteFolder(folder).write(result, started="then", finished="now")
    return folder


def passes(n, of):
    return [verdict("pass" if place < n else "fail", place) for place in range(of)]


def test_two_suites_are_compared_by_pairs_of_runs(tmp_path):
    left = kept(tmp_path / "a", passes(10, 10))
    right = kept(tmp_path / "b", passes(4, 10), assistant={"name": "new"})
    found = compare_suites(left, right, resamples=50)
    text = " ".join(printed(comparison_terminal(found)).split())
    for said in ("10 of 10", "4 of 10", "−60.0", "forgotten constraint at 3 (6×)", "B is new"):
        assert said in text, said
    # Six pairs fell one way: 2 / 2**6.
    assert "A passes more often (6 passed in A alone, 0 in B alone, of 10 pairs" in text
    assert "p = .031" in text
    assert "from one scenario" in text
    assert comparison_markdown(found).count("\n| flats |") == 1
    same = compare_suites(left, left, resamples=50)
    assert "no clear difference" in comparison_markdown(same)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"user": {"name": "simulated by x", "user": "simulated"}}, "the user is 'scripted'"),
        ({"judge": {"name": "j"}}, "the judge is none and 'j'"),
    ],
)
def test_another_user_or_judge_is_another_test(tmp_path, more, says):
    left = kept(tmp_path / "a", passes(1, 2))
    right = kept(tmp_path / "b", passes(1, 2), **more)
    with pytest.raises(ProtocolMismatchError, match=says):
        compare_suites(left, right)
    found = compare_suites(left, right, allow_different=True, resamples=50)
    assert "Not the same test" in comparison_markdown(found)


def test_another_card_is_another_test_but_more_runs_are_not(tmp_path):
    left = kept(tmp_path / "a", passes(1, 2))
    more = kept(tmp_path / "b", passes(2, 4))
    assert compare_suites(left, more, resamples=50).difference.n_unpaired == 2
    body = json.loads((more / "suite.json").read_text())
    body["scenarios"][0]["runs"] = 99
    (more / "suite.json").write_text(json.dumps(body))
    assert not compare_suites(left, more, resamples=50).differs
    body["scenarios"][0]["persona"] = "Someone else."
    (more / "suite.json").write_text(json.dumps(body))
    with pytest.raises(ProtocolMismatchError, match="the card of 'flats' differs in persona"):
        compare_suites(left, more)


def test_suites_without_a_common_scenario_are_refused(tmp_path):
    left = kept(tmp_path / "a", passes(1, 2))
    SuiteFolder(tmp_path / "b").path.mkdir()
    other = suite({"other": [verdict("pass", scenario="other")]})
    SuiteFolder(tmp_path / "b").write(other, started="then", finished="now")
    with pytest.raises(InputError, match="no scenario in common"):
        compare_suites(left, tmp_path / "b")
    with pytest.raises(StoreError):
        compare_suites(left, tmp_path / "none")
