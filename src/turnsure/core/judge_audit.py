"""How a judge agrees with people, and whether it leans to where, how long, or by whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from turnsure.core.tested import Found

LabelKind = Literal["verdict", "preference"]
"""``verdict``: pass or fail, one transcript a row; ``preference``: a, b or tie, two a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Two raters over the rows that both labelled.

    Attributes
    ----------
    raw
        Share of rows with one label.
    kappa
        Cohen's kappa: the same beyond what their own habits would bring by chance.
    table
        Rows by the two labels, the first rater's first.
    """

    raw: Found
    kappa: Found
    table: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAudit:
    """A judge held against people.

    Attributes
    ----------
    kind
        What the labels are.
    n_rows
        All rows.
    n_no_human, n_no_judge
        Rows without a usable label of either: blank, or inconclusive.
    with_human
        Human first, judge second.
    between_humans
        The first and the second person: what can be hoped for.  None without a second.
    position
        How much more than people the judge prefers what was shown first.
    verbosity
        How much more than people it prefers the longer one.
    self_preference
        How much more than people it prefers, or passes, what its own model wrote.
    """

    kind: LabelKind
    n_rows: int
    n_no_human: int
    n_no_judge: int
    with_human: Agreement
    between_humans: Agreement | None
    position: Found
    verbosity: Found
    self_preference: Found
