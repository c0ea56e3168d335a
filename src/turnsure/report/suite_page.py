"""A suite as one HTML page: everything inside, no script, no network."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from turnsure.core.suite_report import SuiteReport
from turnsure.report import suite_grids
from turnsure.report.pages import filled, write_page
from turnsure.report.suite_tables import TEXTS
from turnsure.report.suite_transcripts import anchors, shown_runs
from turnsure.report.suite_words import (
    VERDICT_MARKS,
    VERDICT_WORDS,
    cautions,
    headline,
    run_name,
    turn_name,
)

DEFINITIONS = (
    (
        "Pass rate",
        "Passed runs among all runs, with Wilson's interval. Runs that were not decided count as "
        "failures; where that changes the number, the rate among decided runs stands behind it.",
    ),
    (
        "pass^k",
        "Chance that k runs, drawn from those that were made, all pass: C(passed, k) / C(runs, k), "
        "averaged over scenarios. Of one scenario the interval is that of its pass rate, to the "
        "power k; over scenarios it comes from a bootstrap.",
    ),
    (
        "First failing turn",
        "The earliest turn at which a check found something wrong. Later findings may only follow "
        "from it.",
    ),
    (
        "Invalid, error, inconclusive",
        "Outcomes of their own, neither pass nor fail: the user broke the card; assistant or "
        "infrastructure failed; a judge could not tell, or a check had nothing to look at.",
    ),
    (
        "Twist",
        "A turn at which the user changes or withdraws what held before. The old value must not "
        "come back.",
    ),
    (
        "AUROC of turns in order",
        "Chance that a turn without a finding has more confidence than a first failing turn, ties "
        "counting half. Intervals come from a bootstrap over runs: they speak of more runs of "
        "these scenarios.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bar of a histogram; ``share`` of the highest one, in percent."""

    label: str
    n: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A run in the matrix; without an anchor the page does not show its conversation."""

    verdict: str
    mark: str
    title: str
    anchor: str | None


def render_suite(report: SuiteReport) -> str:
    """The page as text; the same report gives the same text."""
    confidence, cost = report.confidence, report.result.cost
    places = anchors(report)
    return filled(
        "suite.html.j2",
        report=report,
        headline=headline(report),
        cautions=cautions(report),
        scenarios=suite_grids.scenario_grid(report),
        failures=suite_grids.failure_grid(report),
        undecided=suite_grids.undecided_grid(report),
        matrix=_matrix(report),
        marks=[(VERDICT_MARKS[name], name, words) for name, words in VERDICT_WORDS.items()],
        bars=_bars(report),
        transcripts=shown_runs(report),
        confidence=None if confidence is None else suite_grids.confidence_grid(confidence),
        sentences=() if confidence is None else suite_grids.confidence_sentences(confidence),
        cost=None
        if cost is None
        else suite_grids.cost_grid(cost, None if confidence is None else confidence.cost),
        cost_sentence="" if cost is None else suite_grids.cost_sentence(cost),
        texts=TEXTS,
        fidelity=suite_grids.fidelity_grid(report.fidelity),
        released=suite_grids.released_grid(report.fidelity),
        to_read=[(places[one], run_name(one)) for one in report.to_read if one in places],
        definitions=DEFINITIONS,
    )


def write_suite_page(report: SuiteReport, path: str | Path) -> Path:
    """Write the page, whole or not at all, and return the path."""
    return write_page(render_suite(report), path)


def _matrix(report: SuiteReport) -> list[tuple[str, list[Cell]]]:
    places = anchors(report)
    return [
        (
            each.scenario.id,
            [
                Cell(
                    verdict=one.verdict,
                    mark=VERDICT_MARKS[one.verdict]
                    + (
                        str(one.first_failing_turn)
                        if one.verdict == "fail" and one.first_failing_turn is not None
                        else ""
                    ),
                    title=f"run {one.replicate}: {one.reason or VERDICT_WORDS[one.verdict]}",
                    anchor=places.get((one.scenario, one.replicate)),
                )
                for one in each.verdicts
            ],
        )
        for each in report.result.scenarios
    ]


def _bars(report: SuiteReport) -> list[Bar]:
    """Failed runs by first failing turn; turns at which none broke are there as well."""
    found = Counter(one.turn for one in report.failures for _ in one.runs)
    turns: list[int | None] = list(range(1, max((one or 0 for one in found), default=0) + 1))
    if None in found:
        turns.append(None)
    most = max(found.values(), default=1)
    return [
        Bar(label=turn_name(turn), n=found[turn], share=100 * found[turn] / most) for turn in turns
    ]
