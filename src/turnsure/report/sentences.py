"""What sentences about controls are made of: who, how far, and how certain.

A direction is only ever stated where a verdict could rest on it: an interval of enough dialogues
leaves out 0, and the corrected test says the same where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnsure.core.results import Interval, MetricResult, Undefined
from turnsure.report.summary import METRICS
from turnsure.report.text import Unit, count, interval, number, printable


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
    """The same for several numbers: ``n = 137 to 152 turns of 12 dialogues``."""
    dialogues = [one.n_dialogues for one in results if one.n_dialogues is not None]
    of = f" of {spread(dialogues, 'dialogue')}" if dialogues else ""
    return f"n = {spread([one.n_turns for one in results], 'turn')}{of}"


def spread(counts: Sequence[int], noun: str) -> str:
    """One number where they are all the same, else the least and the largest of them."""
    least = "" if min(counts) == max(counts) else f"{min(counts):,} to "
    return f"{least}{count(max(counts), noun)}"


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


def moved(change: MetricResult) -> str:
    """``rose by 11.8 points [9.1, 14.5]``, for a change that is clear."""
    return f"{'rose' if change.value > 0.0 else 'fell'} by {size(change)}"


def within(change: MetricResult, tolerance: float) -> str:
    """``less than 5.0 points [−1.2, 2.0]``, for a change whose interval lies within a tolerance."""
    shown = "" if change.interval is None else f" {interval(change.interval, 'percent')}"
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
        f"({'better' if rises == (found.direction == 'higher') else 'worse'})"
    )
