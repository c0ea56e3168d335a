"""From a finished conversation to its verdict: checks, tools that nothing served, and the judge."""

from __future__ import annotations

from collections.abc import Iterator

from turnsure.core.conversation import Transcript
from turnsure.core.errors import InputError
from turnsure.core.judged import RubricJudgement
from turnsure.core.scenario import Finding, RunVerdict, Scenario
from turnsure.scenarios.checking import BROKEN_OFF, Checker
from turnsure.scenarios.verdicts import verdict_of

FIXTURES_CHECK = "fixtures"
"""Name of the check that every scenario with tools has: each call is one that is served."""


def wants_judge(scenario: Scenario, transcript: Transcript) -> bool:
    """Whether there is something to judge, and enough of it."""
    return bool(scenario.rubric and transcript.exchanges) and transcript.ending not in BROKEN_OFF


def verdict_on(
    checker: Checker,
    scenario: Scenario,
    transcript: Transcript,
    judged: RubricJudgement | None,
) -> RunVerdict:
    """The verdict on one run.

    A call of a tool for which the fixtures hold no result is a finding, unless a check of the
    card's own found that turn's use of tools wrong already.  Where the checks cannot be asked at
    all the verdict is an error, never a pass.
    """
    try:
        findings = checker.findings(transcript)
    except InputError as error:
        return RunVerdict(
            scenario=scenario.id,
            replicate=transcript.replicate,
            verdict="error",
            reason=f"the checks cannot be asked: {error}",
            n_turns=len(transcript.exchanges),
        )
    known = {one.turn for one in findings if one.failure == "wrong_tool_use"}
    more = [one for one in _unserved(transcript) if one.turn not in known]
    if more:
        last = len(transcript.exchanges) + 1
        findings = tuple(
            sorted((*findings, *more), key=lambda one: last if one.turn is None else one.turn)
        )
    return verdict_of(scenario, transcript, findings, judged)


def _unserved(transcript: Transcript) -> Iterator[Finding]:
    for exchange in transcript.exchanges:
        for call in exchange.unserved:
            yield Finding(
                check=FIXTURES_CHECK,
                failure="wrong_tool_use",
                turn=exchange.turn,
                evidence=call,
                message=f"the fixtures hold no result for {call}",
            )
