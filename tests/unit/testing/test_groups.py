import pytest

from tests.support.suite_reports import verdict
from turnsure.core.suite_report import FailureCount
from turnsure.scenarios.counting import count_runs
from turnsure.testing.groups import (
    failure_counts,
    failure_groups,
    outcome_of,
    undecided_groups,
)


def outcome(*kinds, fail_under=1.0, more=()):
    verdicts = [verdict(kind, place) for place, kind in enumerate(kinds)]
    return outcome_of(count_runs([*verdicts, *more], ks=(1,), resamples=10), fail_under)


@pytest.mark.parametrize(
    ("kinds", "ending"),
    [
        (["pass", "pass"], "passed"),
        (["pass", "fail"], "failed"),
        (["error", "fail", "inconclusive"], "failed"),
        (["pass", "error"], "error"),
        (["invalid", "inconclusive"], "error"),
        (["pass", "inconclusive"], "inconclusive"),
    ],
)
def test_a_suite_passes_only_when_every_run_does(kinds, ending):
    found = outcome(*kinds)
    assert found.ending == ending
    assert found.below == (() if ending == "passed" else ("flats",))


@pytest.mark.parametrize("kind", ["fail", "error", "invalid", "inconclusive"])
def test_undecided_runs_count_as_failures_under_a_lower_bar(kind):
    three = ("pass", "pass", "pass", kind)
    assert outcome(*three, fail_under=0.75).ending == "passed"
    assert outcome(*three, fail_under=0.76).ending != "passed"


def test_each_scenario_has_to_reach_the_bar_by_itself():
    bad = [verdict("fail", place, scenario="other") for place in range(2)]
    found = outcome("pass", "pass", "pass", "pass", fail_under=0.5, more=bad)
    assert (found.ending, found.below) == ("failed", ("other",))


def test_a_failure_elsewhere_does_not_name_the_scenario_that_is_short():
    # The failed run's scenario is over the bar; the one below it has errors alone.
    broken = [verdict("error", place, scenario="other") for place in range(2)]
    assert outcome("pass", "pass", "pass", "fail", fail_under=0.7, more=broken).ending == "error"


def test_failed_runs_are_grouped_by_type_and_first_failing_turn():
    verdicts = [
        verdict("fail", 0),
        verdict("fail", 1, at=2),
        verdict("pass", 2),
        verdict("fail", 3),
        verdict("fail", 4, at=None, failure="lost_goal", reason="no shortlist"),
        verdict("error", 5),
    ]
    first, *others = failure_groups(verdicts)
    assert (first.failure, first.turn, first.rules) == ("forgotten_constraint", 3, ("max_rent",))
    assert first.runs == (("flats", 0), ("flats", 3))
    assert first.example == "turn 3: too dear"
    assert [(one.failure, one.turn) for one in others] == [
        ("forgotten_constraint", 2),
        ("lost_goal", None),
    ]
    assert failure_counts(verdicts)[0] == FailureCount(failure="forgotten_constraint", turn=3, n=2)


def test_undecided_runs_are_grouped_by_reason():
    verdicts = [
        verdict("error", 0, reason="it hangs"),
        verdict("invalid", 1),
        verdict("error", 2, reason="it hangs"),
        verdict("error", 3, reason="it raises"),
        verdict("fail", 4),
    ]
    assert [(one.verdict, one.reason, len(one.runs)) for one in undecided_groups(verdicts)] == [
        ("error", "it hangs", 2),
        ("invalid", "it is invalid", 1),
        ("error", "it raises", 1),
    ]


def test_a_failed_run_without_a_finding_is_in_a_group_too():
    found = failure_groups([verdict("fail", reason="the judge says fail")])
    assert len(found) == 1
