"""Finished suites and their reports, built from tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.support.conversations import card, flat, run_of, turn
from turnsure.core.confidence import Confidence
from turnsure.core.conversation import Transcript
from turnsure.core.outcome import Failure
from turnsure.core.scenario import Finding, RunVerdict, Scenario
from turnsure.core.suite import RoleCost, ScenarioResult, SuiteCost, SuiteResult
from turnsure.core.suite_report import LedgerState, RuleState, SuiteReport
from turnsure.scenarios.counting import count_suite
from turnsure.scenarios.users.fidelity import fidelity
from turnsure.testing.groups import failure_groups, outcome_of, undecided_groups

BUDGET = (
    "  - {name: budget, expression: item.rent <= rules.max_rent, say: '{item.id} is over budget'}"
)


def flats(name: str = "flats") -> Scenario:
    """A scenario of three turns with a twist at the third."""
    made = card(BUDGET)
    return Scenario(**{**{one: getattr(made, one) for one in made.__slots__}, "id": name})


def talk(scenario: Scenario, replicate: int = 0, **more) -> Transcript:
    """Three turns; the last one shows a flat that is too dear."""
    run = run_of(scenario, turn(flat()), turn(flat("B")), turn(flat("C", rent=30)), **more)
    fields = {one: getattr(run, one) for one in run.__slots__}
    return Transcript(**{**fields, "replicate": replicate})


def verdict(
    kind: str,
    replicate: int = 0,
    *,
    scenario: str = "flats",
    at: int | None = 3,
    failure: str = "forgotten_constraint",
    reason: str | None = None,
) -> RunVerdict:
    """A verdict; a failed one has a finding."""
    found = Finding(check="budget", failure=failure, turn=at, rule="max_rent", message="too dear")
    words = {"pass": "", "fail": f"turn {at}: too dear"}.get(kind, f"it is {kind}")
    return RunVerdict(
        scenario=scenario,
        replicate=replicate,
        verdict=kind,
        findings=(found,) if kind == "fail" else (),
        reason=words if reason is None else reason,
        n_turns=3,
    )


def suite(runs: Mapping[str, Sequence[RunVerdict]], **more) -> SuiteResult:
    """A suite of scenarios by name with their verdicts."""
    scenarios = {name: flats(name) for name in runs}
    fields = {
        "assistant": {"name": "bot:reply", "assistant": "python"},
        "user": {"name": "scripted", "user": "scripted"},
        "folder": "runs/x",
        "cost": SuiteCost(roles=(RoleCost(role="assistant", n_calls=6, n_uncounted=6),)),
    }
    return SuiteResult(
        scenarios=tuple(
            ScenarioResult(
                scenario=scenarios[name],
                transcripts=tuple(talk(scenarios[name], place) for place in range(len(verdicts))),
                verdicts=tuple(verdicts),
            )
            for name, verdicts in runs.items()
        ),
        **{**fields, **more},
    )


def report(
    runs: Mapping[str, Sequence[RunVerdict]], *, fail_under: float = 1.0, k: int = 1, **more
) -> SuiteReport:
    """The report of :func:`suite`."""
    result = suite(runs, **more.pop("of_suite", {}))
    counts = count_suite(result, ks=(k,), resamples=50)
    transcripts = [one for each in result.scenarios for one in each.transcripts]
    state = LedgerState(
        rules=(RuleState(name="max_rent", value=28, since=3, before=(25,)),),
        withdrawn={"pets": 2},
        rejected={"X": 2},
    )
    return SuiteReport(
        result=result,
        counts=counts,
        outcome=outcome_of(counts, fail_under),
        failures=failure_groups(result.verdicts),
        undecided=undecided_groups(result.verdicts),
        ledgers={(one.scenario, one.replicate): (state,) * 3 for one in transcripts},
        fidelity=fidelity(transcripts),
        created="2026-01-02T03:04:05+00:00",
        **more,
    )


def sure(value: float, method: str = "p_sufficient") -> Confidence:
    """A confidence."""
    return Confidence(value=value, method=method, scale="probability", path="logprobs")


NO_SCORE = Failure(stage="confidence", kind="unparsable", message="nothing was read")
