"""Words about a suite that every form of its report shares."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from turnsure.core.results import MetricResult
from turnsure.core.scenario import RunVerdict
from turnsure.core.suite_counts import Bounded, RunCounts
from turnsure.core.suite_report import Run, SuiteReport
from turnsure.core.tested import Found
from turnsure.report.text import MISSING, Unit, count, printable, shortened
from turnsure.report.text_grid import shown

VERDICT_WORDS = {
    "pass": "passed",
    "fail": "failed",
    "inconclusive": "inconclusive",
    "invalid": "invalid",
    "error": "error",
}
VERDICT_MARKS = {"pass": "✓", "fail": "✗", "inconclusive": "?", "invalid": "∅", "error": "!"}
MOST_NAMED = 3
"""Runs of a group that are named; more are counted."""

_MOST_VALUE = 120


def headline(report: SuiteReport) -> str:
    """The verdict in a sentence."""
    outcome, runs = report.outcome, report.counts.runs
    n_below = len(outcome.below)
    whole = f"{runs.n_pass:,} of {count(runs.n_runs, 'run')} passed"
    if outcome.ending == "passed":
        return f"PASSED: {whole} in {count(len(report.counts.scenarios), 'scenario')}."
    names = ", ".join(outcome.below[:MOST_NAMED])
    more = f" and {n_below - MOST_NAMED} more" if n_below > MOST_NAMED else ""
    few = "not all" if outcome.fail_under >= 1.0 else f"under {100 * outcome.fail_under:g} %"
    return f"{outcome.ending.upper()}: {whole}; {few} of {names}{more}."


def cautions(report: SuiteReport) -> tuple[str, ...]:
    """What must be said beside the numbers."""
    found = (
        [f"{one.scenario}: {one.caution}" for one in report.counts.scenarios if one.caution]
        if len(report.counts.scenarios) <= MOST_NAMED
        else []
    )
    if report.counts.caution and (not found or len(report.counts.scenarios) > 1):
        found.append(f"All scenarios: {report.counts.caution}")
    unjudged = [one.scenario.id for one in report.result.scenarios if one.scenario.rubric]
    if unjudged and report.result.judge is None:
        found.append(
            f"No judge was named, so the rubric of {', '.join(unjudged[:MOST_NAMED])} is open."
        )
    confidence = report.confidence
    if confidence is not None and confidence.n_different < confidence.n_runs:
        found.append(
            f"{count(confidence.n_runs, 'run')} hold {confidence.n_different:,} different "
            "conversations, so what is said of confidence looks surer than it is."
        )
    n_notes = report.fidelity.n_notes
    if n_notes:
        found.append(
            f"At {count(n_notes, 'turn')} the script does not answer what the assistant asked."
        )
    return tuple(found)


def bounded(found: Bounded, unit: Unit) -> str:
    """Undecided runs as failures, and without them where that is another number."""
    text = shown(found.as_failures, unit)
    if found.agree or not is_number(found.excluded):
        return text
    return f"{text}; of decided {value(found.excluded, unit)}"


def value(found: Found, unit: Unit) -> str:
    """A number with its interval, or a dash."""
    return shown(found, unit)


def undecided(runs: RunCounts) -> str:
    """Runs that neither passed nor failed: ``invalid 1, error 2``."""
    kinds = (
        ("inconclusive", runs.n_inconclusive),
        ("invalid", runs.n_invalid),
        ("error", runs.n_error),
    )
    return ", ".join(f"{name} {n:,}" for name, n in kinds if n) or MISSING


def turn_name(turn: int | None) -> str:
    """A turn, or what concerns no turn."""
    return "whole" if turn is None else str(turn)


def broke_first(verdicts: Sequence[RunVerdict]) -> str:
    """How failed runs broke first, most frequent first: ``forgotten constraint at turn 3 (4×)``."""
    found = Counter(
        (failure_word(one), one.first_failing_turn) for one in verdicts if one.verdict == "fail"
    )
    parts = [
        f"{failure}{'' if turn is None else f' at turn {turn}'} ({n:,}×)"
        for (failure, turn), n in found.most_common()
    ]
    return ", ".join(parts) or MISSING


def failure_word(verdict: RunVerdict) -> str:
    """The failure type of a run in words."""
    return plain_words(verdict.failure or "other")


def plain_words(name: str) -> str:
    """A name with its underscores as spaces."""
    return name.replace("_", " ")


def run_name(run: Run) -> str:
    """A run as people call it: ``rental, run 3``."""
    return f"{run[0]}, run {run[1]}"


def runs_named(runs: Sequence[Run]) -> str:
    """The first runs by name, and how many more."""
    more = f" and {len(runs) - MOST_NAMED:,} more" if len(runs) > MOST_NAMED else ""
    return "; ".join(map(run_name, runs[:MOST_NAMED])) + more


def json_text(given: Any) -> str:
    """A value of a card or an item on one line, shortened."""
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)
    return shortened(printable(text), _MOST_VALUE)


def is_number(found: Found) -> bool:
    """Whether there is a number."""
    return isinstance(found, MetricResult)
