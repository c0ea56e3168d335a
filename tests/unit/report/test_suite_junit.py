from xml.etree import ElementTree as ET

import pytest

from tests.support.suite_reports import report, verdict
from turnsure.report.suite_junit import junit_xml


def cases(runs, **more):
    root = ET.fromstring(junit_xml(report(runs, **more)))
    [suite] = root
    return suite.attrib, suite.findall("testcase")


def test_a_scenario_is_a_test_case():
    counts, [good, bad] = cases(
        {
            "good": [verdict("pass", scenario="good")] * 1,
            "bad": [verdict("fail", 0, scenario="bad"), verdict("pass", 1, scenario="bad")],
        }
    )
    assert counts == {
        "name": "turnsure", "tests": "2", "failures": "1", "errors": "0", "skipped": "0"
    }  # fmt: skip
    assert good.find("failure") is None
    failure = bad.find("failure")
    assert failure.attrib["type"] == "forgotten constraint"
    assert "1 of 2 runs passed; first: turn 3: too dear" in failure.attrib["message"]
    assert "run 0: fail: turn 3: too dear" in failure.text
    assert "turn 3: too dear" in failure.text
    found = {one.get("name"): one.get("value") for one in bad.find("properties")}
    assert (found["runs"], found["passed"], found["pass^1"]) == ("2", "1", ".500")


@pytest.mark.parametrize("kind", ["error", "invalid", "inconclusive"])
def test_undecided_runs_are_errors_and_never_skipped(kind):
    counts, [case] = cases({"flats": [verdict(kind), verdict("pass", 1)]})
    assert (counts["errors"], counts["skipped"], counts["failures"]) == ("1", "0", "0")
    assert case.find("error").attrib["type"] == kind
    assert case.find("skipped") is None


def test_what_the_exit_code_forgives_is_no_failure_here():
    runs = {"flats": [verdict("fail"), verdict("pass", 1)]}
    counts, [case] = cases(runs, fail_under=0.5)
    assert counts["failures"] == "0"
    assert "run 0: fail" in case.find("system-out").text


def test_characters_that_xml_cannot_hold_are_taken_out():
    nasty = "a\x00\x1b\ud800]]>&<b>"
    _, [case] = cases({"flats": [verdict("error", reason=nasty)]})
    assert "]]>&<b>" in case.find("error").attrib["message"]
