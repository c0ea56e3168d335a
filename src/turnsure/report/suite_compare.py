"""Two suites side by side, for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from turnsure.core.grid import Grid, Tables
from turnsure.core.results import MetricResult
from turnsure.core.suite_counts import RunCounts
from turnsure.core.suite_report import FailureCount, ScenarioPair, SuiteComparison
from turnsure.core.tested import Found, clear_sign
from turnsure.report.grid_markdown import tables_markdown
from turnsure.report.suite_tables import folded_table
from turnsure.report.suite_words import plain_words, turn_name, undecided
from turnsure.report.text import MISSING, count, p_value, printable, signed
from turnsure.report.text_grid import gap_text, text_grid

if TYPE_CHECKING:
    from rich.console import RenderableType

_P_CLEAR = 0.05


def comparison_grid(found: SuiteComparison) -> Grid:
    """One line a scenario that both have."""
    return text_grid(
        "comparison",
        "Scenarios that both have",
        ("Scenario",),
        ("A passed", "B passed", "B − A, points", "A broke first", "B broke first"),
        [
            (
                one.scenario,
                _passed(one.left.runs),
                _passed(one.right.runs),
                _difference(one),
                _broke(one.failures_left),
                _broke(one.failures_right),
            )
            for one in found.pairs
        ],
    )


def comparison_sentences(found: SuiteComparison) -> tuple[str, ...]:
    """What can be told, and what cannot."""
    difference = found.difference
    sentences = [
        f"A is {found.left[1]} ({found.left[0]}), B is {found.right[1]} ({found.right[0]}).",
        *(f"Not the same test: {one}." for one in found.differs),
        _pairs(found),
        f"Scenarios like these: {_mean(difference.mean_rate)}",
    ]
    left_out = [
        text
        for n, text in (
            (difference.n_undecided_pairs, "pairs that a side left undecided"),
            (difference.n_unpaired, "runs without a partner"),
        )
        if n
        for text in (f"{n:,} {text}",)
    ]
    if left_out:
        sentences.append(f"Not in the test of pairs: {'; '.join(left_out)}.")
    for side, names in (("A", difference.only_left), ("B", difference.only_right)):
        if names:
            sentences.append(f"Only in {side}, and left out: {', '.join(names)}.")
    return tuple(sentences)


def comparison_terminal(found: SuiteComparison) -> RenderableType:
    """For a rich console."""
    from rich.console import Group
    from rich.text import Text

    return Group(
        folded_table(comparison_grid(found)),
        *(Text(f"• {printable(one)}") for one in comparison_sentences(found)),
    )


def comparison_markdown(found: SuiteComparison) -> str:
    """The same as Markdown."""
    return tables_markdown(
        Tables(grids=(comparison_grid(found),), notes=comparison_sentences(found))
    )


def _pairs(found: SuiteComparison) -> str:
    test = found.difference.pairs
    if test is None:
        return "These scenarios: no pair of runs was decided on both sides."
    parted = (
        f"{test.n_only_left:,} passed in A alone, {test.n_only_right:,} in B alone, of "
        f"{count(test.n_pairs, 'pair')}; McNemar's exact test p {_p(test.p_value)}"
    )
    if test.p_value >= _P_CLEAR:
        return f"These scenarios: no clear difference ({parted})."
    better = "A" if test.n_only_left > test.n_only_right else "B"
    return f"These scenarios: {better} passes more often ({parted})."


def _p(value: float) -> str:
    shown = p_value(value)
    return shown if shown.startswith("<") else f"= {shown}"


def _mean(change: Found) -> str:
    if not isinstance(change, MetricResult):
        return f"nothing can be told ({change.reason})."
    if change.interval is None:
        few = "one scenario" if change.n_dialogues == 1 else "the same difference in all of them"
        return f"nothing can be told from {few} ({gap_text(change)} points)."
    sign = clear_sign(change)
    said = {1: "B passes more often", -1: "A passes more often", 0: "no clear difference"}[sign]
    return f"{said} ({gap_text(change)} points)."


def _passed(runs: RunCounts) -> str:
    text = f"{runs.n_pass:,} of {runs.n_runs:,}"
    return f"{text} ({undecided(runs)})" if runs.n_undecided else text


def _difference(pair: ScenarioPair) -> str:
    left, right = pair.left.rate.as_failures, pair.right.rate.as_failures
    return signed(right.value - left.value, "percent")


def _broke(failures: Sequence[FailureCount]) -> str:
    parts = [
        f"{plain_words(one.failure)} at {turn_name(one.turn)} ({one.n:,}×)" for one in failures
    ]
    return ", ".join(parts) or MISSING
