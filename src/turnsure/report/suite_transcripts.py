"""The conversations of a suite as the page shows them: turn by turn, what held and what broke."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from turnsure.core.confidence import Confidence
from turnsure.core.conversation import Exchange, Slip, Transcript
from turnsure.core.judged import RubricJudgement
from turnsure.core.scenario import Finding, Reveal, RunVerdict, Scenario
from turnsure.core.suite_confidence import JudgedTurn
from turnsure.core.suite_report import LedgerState, Run, SuiteReport
from turnsure.report.suite_words import VERDICT_MARKS, json_text, plain_words
from turnsure.report.text import score

MOST_SHOWN = 200
"""Conversations that the page holds; those that did not pass come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Something that was said or done within a turn.

    Attributes
    ----------
    kind
        ``"assistant"``, ``"call"`` or ``"result"``.
    text
        Its words.
    """

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleShown:
    """A rule as of a turn; ``note`` says what it was before, ``is_new`` that it changed now."""

    name: str
    value: str
    note: str
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingShown:
    """What a check says."""

    message: str
    kind: str
    rule: str | None
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnShown:
    """One turn."""

    turn: int
    user: str
    reveals: tuple[str, ...]
    done: tuple[Shown, ...]
    items: tuple[str, ...]
    rules: tuple[RuleShown, ...]
    gone: tuple[str, ...]
    findings: tuple[FindingShown, ...]
    scores: tuple[tuple[str, str], ...]
    note: str | None
    slips: tuple[Slip, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunShown:
    """One conversation.

    Attributes
    ----------
    anchor
        Its place in the page.
    judged
        None where nobody judged it.
    """

    anchor: str
    scenario: str
    replicate: int
    verdict: str
    mark: str
    reason: str
    ending: str
    turns: tuple[TurnShown, ...]
    rest: tuple[FindingShown, ...]
    judged: RubricJudgement | None
    slips: tuple[Slip, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcripts:
    """Those that the page holds.

    Attributes
    ----------
    runs
        In the order of the suite.
    n_left_out
        How many more there are; the file of transcripts has them all.
    """

    runs: tuple[RunShown, ...]
    n_left_out: int


def anchors(report: SuiteReport) -> dict[Run, str]:
    """Where the page shows a run, for those that it shows."""
    runs = [(one.scenario, one.replicate) for one in report.result.verdicts]
    wanted = sorted(
        range(len(runs)), key=lambda place: report.result.verdicts[place].verdict == "pass"
    )
    kept = sorted(wanted[:MOST_SHOWN])
    return {runs[place]: f"run-{place + 1}" for place in kept}


def shown_runs(report: SuiteReport) -> Transcripts:
    """Everything that the page says of conversations."""
    places = anchors(report)
    scores = _scores(report)
    runs = [
        _run(
            each.scenario,
            transcript,
            verdict,
            places[transcript.scenario, transcript.replicate],
            report.ledgers.get((transcript.scenario, transcript.replicate), ()),
            scores,
            each.judgements.get(verdict.replicate),
        )
        for each in report.result.scenarios
        for transcript, verdict in zip(each.transcripts, each.verdicts, strict=True)
        if (transcript.scenario, transcript.replicate) in places
    ]
    return Transcripts(runs=tuple(runs), n_left_out=len(report.result.verdicts) - len(runs))


_Scores = Mapping[tuple[Run, int], JudgedTurn]


def _scores(report: SuiteReport) -> _Scores:
    turns = () if report.confidence is None else report.confidence.turns
    return {(one.run, one.turn): one for one in turns}


def _run(
    scenario: Scenario,
    transcript: Transcript,
    verdict: RunVerdict,
    anchor: str,
    states: Sequence[LedgerState],
    scores: _Scores,
    judged: RubricJudgement | None,
) -> RunShown:
    reveals = {one.id: one for one in scenario.reveals}
    run = (transcript.scenario, transcript.replicate)
    return RunShown(
        anchor=anchor,
        scenario=transcript.scenario,
        replicate=transcript.replicate,
        verdict=verdict.verdict,
        mark=VERDICT_MARKS[verdict.verdict],
        reason=verdict.reason,
        ending=plain_words(transcript.ending),
        turns=tuple(
            _turn(
                exchange,
                reveals,
                states[exchange.turn - 1] if states else None,
                [one for one in verdict.findings if one.turn == exchange.turn],
                scores.get((run, exchange.turn)),
            )
            for exchange in transcript.exchanges
        ),
        rest=tuple(_finding(one) for one in verdict.findings if one.turn is None),
        judged=judged,
        slips=transcript.slips,
    )


def _turn(
    exchange: Exchange,
    reveals: Mapping[str, Reveal],
    state: LedgerState | None,
    findings: Sequence[Finding],
    scored: JudgedTurn | None,
) -> TurnShown:
    return TurnShown(
        turn=exchange.turn,
        user=exchange.user.content,
        reveals=tuple(_reveal(name, reveals.get(name)) for name in exchange.reveals),
        done=_done(exchange),
        items=tuple(json_text(dict(one)) for one in exchange.items),
        rules=() if state is None else _rules(state, exchange.turn),
        gone=() if state is None else _gone(state),
        findings=tuple(map(_finding, findings)),
        scores=() if scored is None else _scores_shown(scored),
        note=exchange.note,
        slips=exchange.slips,
    )


def _reveal(name: str, reveal: Reveal | None) -> str:
    if reveal is None:
        return name
    parts = [f"{rule} = {json_text(value)}" for rule, value in reveal.sets.items()]
    parts += [f"no {rule} any more" for rule in reveal.withdraws]
    parts += [f"turns down {item}" for item in reveal.rejects]
    return f"{name}: {', '.join(parts)}" if parts else name


def _done(exchange: Exchange) -> tuple[Shown, ...]:
    done: list[Shown] = []
    for message in exchange.replies:
        if message.role == "tool":
            done.append(Shown(kind="result", text=message.content))
        elif message.content.strip():
            done.append(Shown(kind="assistant", text=message.content))
        done += [
            Shown(kind="call", text=f"{call.name}({call.arguments})") for call in message.tool_calls
        ]
    return tuple(done)


def _rules(state: LedgerState, turn: int) -> tuple[RuleShown, ...]:
    return tuple(
        RuleShown(
            name=one.name,
            value=json_text(one.value),
            note=f"since turn {one.since}"
            + (f", before: {', '.join(map(json_text, one.before))}" if one.before else ""),
            is_new=one.since == turn,
        )
        for one in state.rules
    )


def _gone(state: LedgerState) -> tuple[str, ...]:
    return (
        *(f"{name} withdrawn at turn {turn}" for name, turn in state.withdrawn.items()),
        *(f"{item} turned down at turn {turn}" for item, turn in state.rejected.items()),
    )


def _finding(one: Finding) -> FindingShown:
    kinds = {"unreadable": "cannot be evaluated", "idle": "nothing to look at"}
    return FindingShown(
        message=one.message,
        kind=kinds.get(one.standing, plain_words(one.failure)),
        rule=one.rule,
        evidence=one.evidence,
    )


def _scores_shown(turn: JudgedTurn) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            method,
            f"{score(one.value)} %"
            if isinstance(one, Confidence)
            else f"none ({plain_words(one.kind)})",
        )
        for method, one in turn.scores.items()
    )
