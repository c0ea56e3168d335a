"""What sentences about controls are made of: who, how far, and how certain.

A direction is only ever stated when the interval leaves out 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnsure.core.results import Interval, MetricResult, Undefined
from turnsure.core.tested import Found, TestedChange
from turnsure.report.summary import COLUMNS, Column
from turnsure.report.text import Unit, count, interval, number, p_value, printable

METRICS = {column.key: column for column in COLUMNS}
"""Heading, unit and better side of each metric, by key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence whose first words are a name.

    Attributes
    ----------
    subject
        The name as it was given, usually a method's.
    aside
        Which part of the control it is about, for example ``"own answer"``; empty for the whole.
    text
        The rest, with its full stop.
    decided
        Whether it states something, rather than that nothing can be told.
    """

    subject: str
    text: str
    aside: str = ""
    decided: bool = True

    @property
    def whole(self) -> str:
        """The sentence on one line."""
        aside = f" ({printable(self.aside)})" if self.aside else ""
        return f"{printable(self.subject)}{aside} {self.text}"


def behind(result: MetricResult) -> str:
    """How much stands behind a number: ``n = 40 turns of 12 dialogues``."""
    of = "" if result.n_dialogues is None else f" of {count(result.n_dialogues, 'dialogue')}"
    return f"n = {count(result.n_turns, 'turn')}{of}"


def behind_all(results: Sequence[MetricResult]) -> str:
    """The same for several numbers: ``n = 137 to 152 turns``."""
    turns = [one.n_turns for one in results]
    least = "" if min(turns) == max(turns) else f"{min(turns):,} to "
    return f"n = {least}{count(max(turns), 'turn')}"


def clear_sign(found: Found | None) -> int:
    """1 or −1 when the whole interval lies above or below 0; 0 when it does not, or is absent."""
    if not isinstance(found, MetricResult) or found.interval is None:
        return 0
    return int(found.interval.low > 0.0) - int(found.interval.high < 0.0)


def size(result: MetricResult, unit: Unit = "percent") -> str:
    """How far a value is from 0, whichever way: ``11.3 points [8.0, 14.2]``."""
    bounds = result.interval
    if bounds is not None and result.value < 0.0:
        bounds = Interval(
            low=-bounds.high, high=-bounds.low, level=bounds.level, method=bounds.method
        )
    noun = " points" if unit == "percent" else ""
    shown = "" if bounds is None else f" {interval(bounds, unit)}"
    return f"{number(abs(result.value), unit)}{noun}{shown}"


def moved(found: Found) -> str | None:
    """``rose by 11.8 points [9.1, 14.5]``; None when no direction can be told."""
    sign = clear_sign(found)
    if isinstance(found, Undefined) or not sign:
        return None
    return f"{'rose' if sign > 0 else 'fell'} by {size(found)}"


def caveat(tested: TestedChange) -> str:
    """What is to be added to a clear change that the corrected test does not confirm."""
    if tested.significant or tested.p_holm is None:
        return ""
    return f" (not significant after Holm's correction, p = {p_value(tested.p_holm)})"


def within(found: Found, tolerance: float) -> str:
    """``less than 5.0 points [−1.2, 2.0]``, for a change whose interval lies within a tolerance."""
    bounds = found.interval if isinstance(found, MetricResult) else None
    shown = "" if bounds is None else f" {interval(bounds, 'percent')}"
    return f"less than {number(tolerance, 'percent')} points{shown}"


def cannot_tell(result: MetricResult) -> str:
    """The end of a sentence about something that the data leave open."""
    return f"cannot be told from these data ({behind(result)})."


def no_comparison(undefined: Undefined) -> str:
    """The end of a sentence about something that has no value."""
    return f"allows no comparison: {printable(undefined.reason).rstrip('.')}."


def compared(metric: str, found: MetricResult) -> str:
    """``is 3.0 points [1.0, 5.0] higher in InfoECE (worse)``, for a difference that is clear."""
    column = METRICS[metric]
    rises = found.value > 0.0
    return (
        f"is {size(found, column.unit)} {'higher' if rises else 'lower'} in {column.heading} "
        f"({'better' if rises == _rises_when_better(column) else 'worse'})"
    )


def _rises_when_better(column: Column) -> bool:
    return column.arrow == "↑"
