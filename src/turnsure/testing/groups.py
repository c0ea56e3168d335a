"""Runs put together by what became of them: how they broke first, or why they say nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from turnsure.core.scenario import RunVerdict
from turnsure.core.suite_counts import ScenarioCounts, SuiteCounts
from turnsure.core.suite_report import (
    Ending,
    FailureCount,
    FailureGroup,
    SuiteOutcome,
    UndecidedGroup,
)

UNNAMED = "other"


def failure_groups(verdicts: Sequence[RunVerdict]) -> tuple[FailureGroup, ...]:
    """Failed runs by failure type and first failing turn, most runs first."""
    groups: dict[tuple[str, int | None], list[RunVerdict]] = {}
    for one in verdicts:
        if one.verdict == "fail":
            groups.setdefault(failure_of(one), []).append(one)
    made = [_group(failure, turn, of_it) for (failure, turn), of_it in groups.items()]
    return tuple(sorted(made, key=lambda one: -len(one.runs)))


def failure_of(verdict: RunVerdict) -> tuple[str, int | None]:
    """How a run broke first: failure type and turn."""
    return verdict.failure or UNNAMED, verdict.first_failing_turn


def failure_counts(verdicts: Sequence[RunVerdict]) -> tuple[FailureCount, ...]:
    """How many failed runs broke first in which way, most first."""
    found = Counter(failure_of(one) for one in verdicts if one.verdict == "fail")
    return tuple(
        FailureCount(failure=failure, turn=turn, n=n) for (failure, turn), n in found.most_common()
    )


def undecided_groups(verdicts: Sequence[RunVerdict]) -> tuple[UndecidedGroup, ...]:
    """Runs that neither passed nor failed by verdict and reason, most runs first."""
    groups: dict[tuple[str, str], list[RunVerdict]] = {}
    for one in verdicts:
        if one.verdict not in {"pass", "fail"}:
            groups.setdefault((one.verdict, one.reason), []).append(one)
    made = [
        UndecidedGroup(
            verdict=of_it[0].verdict,
            reason=of_it[0].reason,
            runs=tuple((one.scenario, one.replicate) for one in of_it),
        )
        for of_it in groups.values()
    ]
    return tuple(sorted(made, key=lambda one: -len(one.runs)))


def outcome_of(counts: SuiteCounts, fail_under: float) -> SuiteOutcome:
    """What the counts come to.

    Parameters
    ----------
    counts
        Of the suite.
    fail_under
        Share of passes that every scenario has to reach, in (0, 1]; runs that were not decided
        count as failures, so that nothing passes because it broke.
    """
    below = [one for one in counts.scenarios if one.rate.as_failures.value < fail_under]
    return SuiteOutcome(
        ending=_ending(below), fail_under=fail_under, below=tuple(one.scenario for one in below)
    )


def _ending(below: Sequence[ScenarioCounts]) -> Ending:
    if not below:
        return "passed"
    runs = [one.runs for one in below]
    if any(one.n_fail for one in runs):
        return "failed"
    if any(one.n_invalid or one.n_error for one in runs):
        return "error"
    return "inconclusive"


def _group(failure: str, turn: int | None, verdicts: Sequence[RunVerdict]) -> FailureGroup:
    first = [next((found for found in one.broken if found.turn == turn), None) for one in verdicts]
    rules = [found.rule for found in first if found is not None and found.rule is not None]
    return FailureGroup(
        failure=failure,
        turn=turn,
        rules=tuple(dict.fromkeys(rules)),
        runs=tuple((one.scenario, one.replicate) for one in verdicts),
        example=verdicts[0].reason,
    )
