"""Confidences at the turns of a suite, joined to twists, findings and items shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import replace

from turnsure.core.conversation import Exchange, Transcript
from turnsure.core.errors import InputError
from turnsure.core.judged import RubricJudgement
from turnsure.core.outcome import Outcome
from turnsure.core.scenario import RunVerdict, Scenario
from turnsure.core.spec import RunSpec
from turnsure.core.suite import ScenarioResult, SuiteResult
from turnsure.core.suite_confidence import AskingCost, JudgedTurn, SuiteConfidence
from turnsure.core.turns import PLAIN, TurnRow
from turnsure.engine.counters import Counters
from turnsure.experiment.conversations.joining import joined
from turnsure.experiment.conversations.measuring import MeasuredRuns, TurnScores
from turnsure.scenarios.checking import Checker
from turnsure.scenarios.ledger import ledgers
from turnsure.scenarios.verdicts import verdict_of

SUFFICIENT = "p_sufficient"
"""The method that says whether what is known is enough; checks on early answers read it."""

GRADER = "checks"
WITH_TWIST = "yes"
"""What the rows of a turn with a twist say under ``twist``."""

_THRESHOLD = "confidence_below"
"""The option of a check that reads a confidence."""

_DECIDED = frozenset({"pass", "fail"})


def join(
    result: SuiteResult, measured: MeasuredRuns, spec: RunSpec, *, model: str
) -> SuiteConfidence:
    """Put measured confidences beside what the checks found.

    Checks that read a confidence themselves play no part here: they would be told by themselves.

    Parameters
    ----------
    result
        The suite, its checks asked without any confidence.
    measured
        Scores of its transcripts, scenario by scenario.
    spec
        Methods, seed and resamples.
    model
        The name of the model that was asked.
    """
    runs = [
        (each.scenario, transcript, verdict, each.judgements.get(verdict.replicate))
        for each in result.scenarios
        for transcript, verdict in zip(each.transcripts, each.verdicts, strict=True)
    ]
    turns = [
        turn
        for run, scores in zip(runs, measured.scores, strict=True)
        for turn in _turns(*run, scores)
    ]
    said = [(scenario.id, run.messages) for scenario, run, _, _ in runs if run.exchanges]
    return SuiteConfidence(
        model=model,
        protocol=measured.protocol,
        turns=tuple(turns),
        methods=joined(turns, spec.methods, spec),
        n_runs=len(said),
        n_different=len(set(said)),
        cost=_cost(measured.counters),
    )


def _cost(counters: Counters) -> AskingCost:
    return AskingCost(
        **{one.name: getattr(counters, one.name) for one in dataclasses.fields(AskingCost)}
    )


def _turns(
    scenario: Scenario,
    transcript: Transcript,
    verdict: RunVerdict,
    judged: RubricJudgement | None,
    scores: TurnScores,
) -> Iterator[JudgedTurn]:
    twists = twist_turns(scenario, transcript)
    first = verdict.first_failing_turn
    decided = verdict.verdict in _DECIDED or _only_waits(scenario, verdict, judged)
    for exchange, of_turn in zip(transcript.exchanges, scores, strict=True):
        counts = decided and (first is None or exchange.turn <= first)
        yield JudgedTurn(
            run=(transcript.scenario, transcript.replicate),
            turn=exchange.turn,
            is_twist=exchange.turn in twists,
            shows=bool(exchange.items),
            is_wrong=exchange.turn == first if counts else None,
            scores=of_turn,
        )


def _only_waits(scenario: Scenario, verdict: RunVerdict, judged: RubricJudgement | None) -> bool:
    """Whether a run is open for no other reason than that nobody measured a confidence yet."""
    rubric_holds = not scenario.rubric or (judged is not None and judged.verdict == "pass")
    idle = {one.check for one in verdict.findings if one.standing == "idle"}
    return verdict.verdict == "inconclusive" and rubric_holds and idle <= _waiting(scenario)


def _waiting(scenario: Scenario) -> frozenset[str]:
    """The checks that read a confidence."""
    return frozenset(one.name for one in scenario.checks if _THRESHOLD in one.options)


def twist_turns(scenario: Scenario, transcript: Transcript) -> frozenset[int]:
    """Turns at which a rule gets another value or is withdrawn."""
    try:
        states = ledgers(scenario, transcript)
    except InputError:
        return frozenset()
    last = states[-1]
    changed = {one.since for one in last.replaced}
    withdrawn = {turn for state in states for turn in state.withdrawn.values()}
    return frozenset(changed | withdrawn)


def with_early_guesses(result: SuiteResult, confidence: SuiteConfidence) -> SuiteResult:
    """The suite with the checks asked again, now that they can read a confidence.

    Only scenarios whose checks wait for one change.  What the judge said stays said: a run with a
    rubric passes only where the judge had passed it.
    """
    methods = [one.method for one in confidence.methods]
    known = confidence.of(SUFFICIENT if SUFFICIENT in methods else methods[0])
    return replace(result, scenarios=tuple(_checked_again(one, known) for one in result.scenarios))


def _checked_again(
    each: ScenarioResult, known: Mapping[tuple[str, int], Mapping[int, float]]
) -> ScenarioResult:
    if not _waiting(each.scenario):
        return each
    checker = Checker(each.scenario)
    verdicts = [
        _again(
            checker,
            each.scenario,
            transcript,
            verdict,
            known,
            each.judgements.get(verdict.replicate),
        )
        for transcript, verdict in zip(each.transcripts, each.verdicts, strict=True)
    ]
    return replace(each, verdicts=tuple(verdicts))


def _again(
    checker: Checker,
    scenario: Scenario,
    transcript: Transcript,
    verdict: RunVerdict,
    known: Mapping[tuple[str, int], Mapping[int, float]],
    judged: RubricJudgement | None,
) -> RunVerdict:
    confidence = known.get((transcript.scenario, transcript.replicate), {})
    try:
        found = checker.findings(transcript, confidence=confidence)
    except InputError:
        return verdict
    own = {one.name for one in scenario.checks}
    others = [one for one in verdict.findings if one.check not in own and one.failure != "rubric"]
    last = len(transcript.exchanges) + 1
    findings = sorted((*found, *others), key=lambda one: last if one.turn is None else one.turn)
    return verdict_of(scenario, transcript, findings, judged)


def turn_rows(result: SuiteResult, confidence: SuiteConfidence) -> Iterator[TurnRow]:
    """The turns as rows of a turns table, in which a turn is right where no check found it wrong.

    So ``turnsure score`` and ``turnsure calibrate`` read a suite as they read a run.
    """
    exchanges = {
        (one.scenario, one.replicate): one.exchanges
        for each in result.scenarios
        for one in each.transcripts
    }
    for turn in confidence.turns:
        said = exchanges[turn.run]
        for method, score in turn.scores.items():
            yield TurnRow(
                dialogue=run_label(turn.run),
                turn=turn.turn,
                n_turns=len(said),
                condition=PLAIN,
                target="answer",
                method=method,
                answer=_reply(said[turn.turn - 1]),
                confidence=score,
                outcome=_outcome(turn),
                meta={"scenario": turn.run[0], "twist": WITH_TWIST if turn.is_twist else "no"},
            )


def run_label(run: tuple[str, int]) -> str:
    """A run as the dialogue of a turns table."""
    return f"{run[0]}/{run[1]}"


def _reply(exchange: Exchange) -> str | None:
    return exchange.text if exchange.text.strip() else None


def _outcome(turn: JudgedTurn) -> Outcome:
    if turn.is_wrong is None:
        reason = "the run was not decided, or was wrong at an earlier turn"
        return Outcome(correct=None, grader=GRADER, reason=reason)
    return Outcome(correct=not turn.is_wrong, grader=GRADER)
