"""What became of a run: pass, fail, inconclusive, invalid or error.

The first of these that holds decides:

=============  ===================================================================================
invalid        the user could not be kept to its card, or said nothing at some turn: whatever the
               assistant did, the run says nothing about it
error          the assistant or the infrastructure failed: there is no exchange at all, or a turn
               without a reply
fail           a check found something wrong, or the judge did
error          a check could not be evaluated somewhere
invalid        the conversation ended before the user had made everything known
inconclusive   a check had nothing to look at in the whole conversation, the judge could not tell,
               or there is a rubric and nobody judged
pass           none of these
=============  ===================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from turnsure.core.conversation import Transcript
from turnsure.core.judged import RubricJudgement
from turnsure.core.scenario import Finding, RunVerdict, Scenario, Verdict


def verdict_of(
    scenario: Scenario,
    transcript: Transcript,
    findings: Sequence[Finding],
    judged: RubricJudgement | None = None,
) -> RunVerdict:
    """The verdict on one run.

    Parameters
    ----------
    scenario, transcript
        What was planned, and what was said.
    findings
        All that :func:`turnsure.scenarios.checking.check_transcript` gave for them.
    judged
        The judge's part, where the scenario has a rubric.
    """
    all_findings = (*findings, *(() if judged is None else judged.findings))
    verdict, reason = _decided(scenario, transcript, all_findings, judged)
    return RunVerdict(
        scenario=scenario.id,
        replicate=transcript.replicate,
        verdict=verdict,
        findings=all_findings,
        reason=reason,
        n_turns=len(transcript.exchanges),
    )


def _decided(
    scenario: Scenario,
    transcript: Transcript,
    findings: Sequence[Finding],
    judged: RubricJudgement | None,
) -> tuple[Verdict, str]:
    broken = [one for one in findings if one.standing == "broken"]
    unreadable = [one for one in findings if one.standing == "unreadable"]
    idle = [one for one in findings if one.standing == "idle"]
    reasons: tuple[tuple[Verdict, str | None], ...] = (
        ("invalid", _user_problem(transcript)),
        ("error", _assistant_problem(transcript)),
        ("fail", _first(broken)),
        ("fail", _judge_says("fail", judged)),
        ("error", _first(unreadable)),
        ("invalid", _untold(scenario, transcript)),
        ("inconclusive", _first(idle)),
        ("inconclusive", _not_judged(scenario, judged)),
    )
    for verdict, reason in reasons:
        if reason is not None:
            return verdict, reason
    return "pass", ""


def _user_problem(transcript: Transcript) -> str | None:
    if transcript.ending == "user_invalid":
        return transcript.problem or "the user could not be kept to its card"
    silent = [one.turn for one in transcript.exchanges if not one.user.content.strip()]
    return f"the user says nothing at turn {silent[0]}" if silent else None


def _assistant_problem(transcript: Transcript) -> str | None:
    if transcript.ending in {"assistant_error", "infrastructure_error"}:
        return transcript.problem or "the assistant or its server failed"
    if not transcript.exchanges:
        return transcript.problem or "the transcript is empty"
    silent = [one.turn for one in transcript.exchanges if not one.text.strip() and not one.items]
    return f"the assistant says nothing at turn {silent[0]}" if silent else None


def _first(findings: Sequence[Finding]) -> str | None:
    if not findings:
        return None
    first = findings[0]
    place = "" if first.turn is None else f"turn {first.turn}: "
    return f"{place}{first.message}"


def _judge_says(
    verdict: Literal["fail", "inconclusive"], judged: RubricJudgement | None
) -> str | None:
    return judged.reason if judged is not None and judged.verdict == verdict else None


def _not_judged(scenario: Scenario, judged: RubricJudgement | None) -> str | None:
    if scenario.rubric and judged is None:
        return "the rubric was not judged"
    return _judge_says("inconclusive", judged)


def _untold(scenario: Scenario, transcript: Transcript) -> str | None:
    made = {name for one in transcript.exchanges for name in one.reveals}
    untold = [one.id for one in scenario.reveals if one.id not in made]
    if not untold:
        return None
    return f"the conversation ended before the user had made known: {', '.join(untold)}"
