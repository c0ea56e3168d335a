"""What every control speaks in: a change with its test, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from turnsure.core.results import MetricResult, Undefined

Found = MetricResult | Undefined
Verdict = Literal["passed", "failed", "open"]
"""``"open"``: the interval leaves it undecided, or there is nothing to judge by."""

ALPHA = 0.05
"""A test is significant when its corrected p-value is below this."""


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
