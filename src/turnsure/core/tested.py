"""What every control speaks in: a change with its test, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from turnsure.core.results import Interval, MetricResult, Undefined

Found = MetricResult | Undefined
Verdict = Literal["passed", "failed", "open"]
"""``"open"``: the interval leaves it undecided, or there is nothing to judge by."""

ALPHA = 0.05
"""A test is significant when its corrected p-value is below this."""

LEAST_DIALOGUES = 6
"""With fewer, intervals of dialogues cover too little to claim anything by them; see
``docs/definitions.md``."""


_ROUNDING = 1e-12
"""Above the rounding error of a mean of fractions, far below any difference that matters."""


def clear_sign(found: Found | None) -> int:
    """1 or −1 when the whole interval lies above or below 0; 0 when it does not, or cannot tell."""
    bounds = _trusted(found)
    return 0 if bounds is None else side_of_zero(bounds)


def side_of_zero(bounds: Interval) -> int:
    """1 or −1 when both bounds lie above or below 0, else 0.

    What rounding alone can make of equal numbers counts as 0.
    """
    return int(bounds.low > _ROUNDING) - int(bounds.high < -_ROUNDING)


def is_within(found: Found, tolerance: float) -> bool:
    """Whether the whole interval lies between −tolerance and tolerance."""
    bounds = _trusted(found)
    return bounds is not None and -tolerance < bounds.low and bounds.high < tolerance


def _trusted(found: Found | None) -> Interval | None:
    """The interval, where it is one of enough dialogues."""
    if not isinstance(found, MetricResult) or (found.n_dialogues or 0) < LEAST_DIALOGUES:
        return None
    return found.interval


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedChange:
    """A mean change with its interval and its test.

    Attributes
    ----------
    change
        After − before, a fraction; its details hold both means.
    p_value
        Two-sided sign-flip test on dialogue means; None where the change is not defined.
    p_holm
        Corrected for the comparisons of its table; None likewise.
    exact
        Whether all sign patterns were looked at.
    """

    change: Found
    p_value: float | None = None
    p_holm: float | None = None
    exact: bool = False

    @property
    def significant(self) -> bool:
        """Whether the corrected p-value is below :data:`ALPHA`."""
        return self.p_holm is not None and self.p_holm < ALPHA

    @property
    def rises(self) -> bool:
        """Whether it is significantly above 0, by test and interval."""
        return self.significant and clear_sign(self.change) > 0

    @property
    def falls(self) -> bool:
        """Whether it is significantly below 0, by test and interval."""
        return self.significant and clear_sign(self.change) < 0
