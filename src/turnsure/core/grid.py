"""Scores that were made elsewhere, and results side by side: what is computed and then drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from turnsure.core.results import MetricResult, Undefined
from turnsure.core.turns import TurnColumns


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredGroup:
    """The rows of one method of one model on one data set under one condition.

    Attributes
    ----------
    model, data
        Names; None where the rows name none.
    condition, method
        Names.
    own, gold
        Rows for the model's own answer and for the gold answer; either may have none.
    """

    model: str | None
    data: str | None
    condition: str
    method: str
    own: TurnColumns
    gold: TurnColumns

    @property
    def place(self) -> tuple[str | None, str | None, str]:
        """What groups that are compared row by row have in common: model, data, condition."""
        return (self.model, self.data, self.condition)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodScores:
    """The numbers of one :class:`ScoredGroup`.

    Attributes
    ----------
    model, data, condition, method
        Of the group.
    n_rows, n_scored
        Rows given, and rows with both a confidence and a graded answer.
    accuracy
        Over the graded rows.
    metrics
        By the names of ``MethodEvaluation.metrics``.
    sensitivity
        InfoECE for each number of bins and binning; empty where every dialogue has one turn, since
        it is |accuracy − mean confidence| there whatever the bins.
    """

    model: str | None
    data: str | None
    condition: str
    method: str
    n_rows: int
    n_scored: int
    accuracy: MetricResult | Undefined
    metrics: Mapping[str, MetricResult | Undefined]
    sensitivity: tuple[MetricResult | Undefined, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreEvaluation:
    """What a file of scores is worth.

    Attributes
    ----------
    source
        The file, as the user named it.
    taken
        Which columns were taken as what: role to column names.
    bins, resamples, seed
        Of InfoECE and ECE, and of the bootstrap.
    n_rows
        Rows of the file.
    groups
        Every method on all the rows it has.
    common
        Where the methods of one model and data set do not cover the same rows: the same methods on
        the rows that all of them scored.
    notes
        What a reader must know, a sentence an item.
    """

    source: str
    taken: Mapping[str, tuple[str, ...]]
    bins: int
    resamples: int
    seed: int
    n_rows: int
    groups: tuple[MethodScores, ...]
    common: tuple[MethodScores, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GridColumn:
    """A column of numbers: the heading that it shares with its neighbours, and its metric."""

    group: str
    metric: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GridCell:
    """A number in a grid.

    Attributes
    ----------
    metric
        Its name; it may differ from the column's, as in a line for accuracy.
    result
        The number, or why there is none; None where it was not measured.
    marked
        Whether it stands out beyond chance: the best of its column, of which the interval of the
        paired difference to every other excludes 0, or a difference whose interval does.
    p_value, p_holm
        For a difference: of a sign-flip test, and corrected for the tests of its grid; None where
        there is no such test.
    """

    metric: str
    result: MetricResult | Undefined | None
    marked: bool = False
    p_value: float | None = None
    p_holm: float | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is no number."""
        return not isinstance(self.result, MetricResult)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    """A line: its names, a cell a column (None where nothing belongs), and closing words."""

    labels: tuple[str, ...]
    cells: tuple[GridCell | None, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table of numbers.

    Attributes
    ----------
    key
        Short name, for files.
    title
        What it shows.
    headings
        Of the row labels.
    columns
        In order; neighbours of one group stand under one heading.
    rows
        Lines; each has a label a heading and a cell a column.
    remark_headings
        Of the rows' remarks.
    """

    key: str
    title: str
    headings: tuple[str, ...]
    columns: tuple[GridColumn, ...]
    rows: tuple[GridRow, ...]
    remark_headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Grids with what must be said beside them."""

    grids: tuple[Grid, ...]
    notes: tuple[str, ...] = ()
