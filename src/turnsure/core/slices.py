"""How well scores hold on parts of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from turnsure.core.tested import Found

SliceKind = Literal["column", "turn", "level"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceRow:
    """The rows with one value of a slice.

    Attributes
    ----------
    value
        Of the slice.
    n, n_dialogues
        Scored rows, and their dialogues.
    claimed
        Whether there are enough of them to claim anything; where not, nothing below is computed.
    accuracy, mean_confidence, gap, brier, ece
        Of these rows; the gap is accuracy − mean confidence.
    difference
        Gap of these rows − gap of all others.
    p_value, p_holm
        Of a test that the two gaps are equal, and corrected for all tests of the group's slices of
        one kind; None where there was none.
    flagged
        Whether the corrected p-value is below .05.
    """

    value: str
    n: int
    n_dialogues: int
    claimed: bool
    accuracy: Found | None = None
    mean_confidence: Found | None = None
    gap: Found | None = None
    brier: Found | None = None
    ece: Found | None = None
    difference: float | None = None
    p_value: float | None = None
    p_holm: float | None = None
    flagged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceTable:
    """A slice with all its values.

    Attributes
    ----------
    name
        The column, ``"turn"`` or ``"information level"``.
    kind
        What it is.
    rows
        Values of a column with the most rows first; turns and levels in their order.
    least_n
        Rows below which nothing is claimed.
    n_missing
        Scored rows without a value.
    n_tests
        Tests that the p-values are corrected for.
    """

    name: str
    kind: SliceKind
    rows: tuple[SliceRow, ...]
    least_n: int
    n_missing: int
    n_tests: int
