"""The cells of the controls' tables: changes with their tests, and pairs of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from turnsure.core.results import Detail, MetricResult, Undefined
from turnsure.core.tested import Found, TestedChange
from turnsure.report.text import MISSING, Unit, interval, number, p_value, provenance, signed

Arrow = Literal["↑", "↓", ""]

SIDES, MEANS = ("left", "right"), ("mean_before", "mean_after")
"""Details with the two values behind a difference of metrics, and behind a change of means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeCell:
    """A change with its test, as text.

    Attributes
    ----------
    before, after
        The two means, a dash where one is not known.
    change
        Signed, in percentage points.
    arrow
        Which way the mean went; empty where the change rounds to 0.
    interval
        In brackets, None where there is none.
    p, p_holm
        Uncorrected and corrected.
    significant
        After correction.
    note
        Where the numbers come from, or why there are none.
    """

    before: str
    after: str
    change: str
    arrow: Arrow
    interval: str | None
    p: str
    p_holm: str
    significant: bool
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCell:
    """A value under two conditions and the difference between them, as text."""

    left: str
    right: str
    difference: str
    interval: str | None
    note: str


def change_cell(tested: TestedChange) -> ChangeCell:
    """A tested change in percent, or dashes with the reason."""
    found = tested.change
    if isinstance(found, Undefined):
        return ChangeCell(
            before=MISSING,
            after=MISSING,
            change=MISSING,
            arrow="",
            interval=None,
            p=MISSING,
            p_holm=MISSING,
            significant=False,
            note=provenance(found),
        )
    patterns = "all sign patterns" if tested.exact else "random sign patterns"
    change = signed(found.value, "percent")
    return ChangeCell(
        before=_detail(found.details.get(MEANS[0]), "percent"),
        after=_detail(found.details.get(MEANS[1]), "percent"),
        change=change,
        arrow="↑" if change.startswith("+") else "↓" if change.startswith("−") else "",
        interval=_interval(found, "percent"),
        p=p_value(tested.p_value),
        p_holm=p_value(tested.p_holm),
        significant=tested.significant,
        note=f"{provenance(found)}; p-value over {patterns}",
    )


def pair_cell(found: Found | None, unit: Unit, details: tuple[str, str] = SIDES) -> PairCell:
    """The values on both sides of a paired difference, or dashes with the reason."""
    if not isinstance(found, MetricResult):
        note = "not computed" if found is None else provenance(found)
        return PairCell(left=MISSING, right=MISSING, difference=MISSING, interval=None, note=note)
    return PairCell(
        left=_detail(found.details.get(details[0]), unit),
        right=_detail(found.details.get(details[1]), unit),
        difference=signed(found.value, unit),
        interval=_interval(found, unit),
        note=provenance(found),
    )


def mean(value: float | None) -> str:
    """A mean in percent, or a dash."""
    return MISSING if value is None else number(value, "percent")


def _detail(value: Detail, unit: Unit) -> str:
    return number(value, unit) if isinstance(value, float) else MISSING


def _interval(found: MetricResult, unit: Unit) -> str | None:
    return None if found.interval is None else interval(found.interval, unit)
