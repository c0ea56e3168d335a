"""Scores counted in cells, and the bootstrap of the counts.

Whatever is said about scores and labels depends on the rows only through how many right and how
many wrong ones there are with each score.  One pass of resamples of these counts therefore serves
all intervals at once.  Where every row is a dialogue of its own, drawing n rows with replacement is
drawing the counts from a multinomial distribution, whatever n is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from turnsure.calibration.labelled import LabelledScores
from turnsure.core.results import Interval
from turnsure.numerics.arrays import BoolArray, FloatArray, IntArray
from turnsure.numerics.binning import equal_mass_bins, equal_width_bins
from turnsure.numerics.inputs import clusters_of
from turnsure.numerics.ranks import tie_groups
from turnsure.numerics.resampling import percentile_intervals

MOST_CELLS = 1000
"""With more different scores, neighbouring ones share a cell: about a thousandth of the rows each.
Values never are computed from cells, their intervals are."""

MOST_DRAWS = 1 << 28
"""Draws of a bootstrap over dialogues with several rows; above this there are fewer resamples."""

LEAST_RESAMPLES = 200

_ROWS_A_CATEGORY = 8
"""From so many rows for each category, a multinomial draw is faster than drawing the rows."""

_BLOCK_NUMBERS = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Right and wrong rows of each cell in r resamples, shape (r, k) each."""

    right: FloatArray
    wrong: FloatArray

    @property
    def n(self) -> FloatArray:
        """Rows of each cell, shape (r, k)."""
        return self.right + self.wrong

    @property
    def total(self) -> FloatArray:
        """All rows, shape (r,)."""
        return self.right.sum(axis=1) + self.wrong.sum(axis=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """Neighbouring scores as one, lowest first; no score is in two cells.

    Attributes
    ----------
    score
        Mean score of each cell, shape (k,), rising.
    n_right, n_wrong
        Rows, shape (k,).
    lowest
        Smallest score of each cell, shape (k,).
    cell_of_row
        Shape (n,).
    exact
        Whether every cell is a single score.
    """

    score: FloatArray
    n_right: FloatArray
    n_wrong: FloatArray
    lowest: FloatArray
    cell_of_row: IntArray
    exact: bool

    @property
    def n(self) -> FloatArray:
        """Rows of each cell."""
        return self.n_right + self.n_wrong

    @property
    def counts(self) -> Counts:
        """The rows themselves as the only resample."""
        return Counts(right=self.n_right[np.newaxis], wrong=self.n_wrong[np.newaxis])


def cells_of(score: FloatArray, correct: BoolArray, bins: int, edges: FloatArray) -> Cells:
    """Count scores.

    Parameters
    ----------
    score, correct
        Shape (n,), n at least 1.
    bins
        No cell reaches over an edge of so many bins, of equal width or of equal mass.
    edges
        Nor over one of these thresholds, rising; 0 and 1 are cells of their own.
    """
    groups = tie_groups(score)
    values = score[groups.order[groups.starts]]
    cell_of_value = np.arange(len(values))
    exact = len(values) <= MOST_CELLS
    if not exact:
        shares = np.cumsum(groups.sizes)
        labels = [
            (MOST_CELLS * shares - 1) // len(score),
            (bins * shares - 1) // len(score),
            equal_width_bins(values, bins),
            np.searchsorted(edges, values, side="right"),
            (values == 1.0).astype(np.intp) - (values == 0.0),
        ]
        changes = np.any([label[1:] != label[:-1] for label in labels], axis=0)
        cell_of_value = np.concatenate(([0], np.cumsum(changes)))
    cell_of_row = np.empty(len(score), dtype=np.intp)
    cell_of_row[groups.order] = np.repeat(cell_of_value, groups.sizes)
    k = int(cell_of_value[-1]) + 1
    n_right = np.bincount(cell_of_row[correct], minlength=k).astype(np.float64)
    n = np.bincount(cell_of_row, minlength=k)
    lowest = values[np.searchsorted(cell_of_value, np.arange(k))]
    mean = lowest if exact else np.bincount(cell_of_row, score, k) / n
    return Cells(
        score=mean,
        n_right=n_right,
        n_wrong=n - n_right,
        lowest=lowest,
        cell_of_row=cell_of_row,
        exact=exact,
    )


Statistic = Callable[[Counts], FloatArray]
"""Values of r resamples, shape (r,) or (r, m); what is not defined there is not finite."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bootstrap:
    """Resamples of the counts.

    Attributes
    ----------
    cells
        What is counted.
    rows
        The rows behind them.
    resamples, seed, level
        How many, from which seed, and the nominal coverage of intervals.
    """

    cells: Cells
    rows: LabelledScores
    resamples: int
    seed: int
    level: float = 0.95

    @property
    def is_plain(self) -> bool:
        """Whether every row is a dialogue of its own."""
        return len(self.rows.groups) == len(self.rows)

    @property
    def n_resamples(self) -> int:
        """How many there are: fewer than asked for where rows are too many to draw that often."""
        if self.is_plain and self._from_counts:
            return self.resamples
        return min(self.resamples, max(LEAST_RESAMPLES, MOST_DRAWS // len(self.rows)))

    @property
    def _from_counts(self) -> bool:
        return len(self.rows) > _ROWS_A_CATEGORY * 2 * len(self.cells.score)

    def counts(self) -> Iterator[Counts]:
        """Blocks of resamples."""
        k = len(self.cells.score)
        step = max(1, _BLOCK_NUMBERS // (2 * k))
        if self.is_plain and self._from_counts:
            random = np.random.default_rng(self.seed)
            n = len(self.rows)
            shares = np.concatenate((self.cells.n_right, self.cells.n_wrong)) / n
            for start in range(0, self.resamples, step):
                drawn = random.multinomial(n, shares, size=min(step, self.resamples - start))
                both = drawn.astype(np.float64)
                yield Counts(right=both[:, :k], wrong=both[:, k:])
            return
        category = self.cells.cell_of_row + k * ~self.rows.correct
        clusters = clusters_of(
            self.rows.group, resamples=self.n_resamples, seed=self.seed, level=self.level
        )
        for weights in clusters.weights(2 * k):
            both = np.empty((len(weights), 2 * k))
            for row, drawn in zip(both, weights, strict=True):
                row[:] = np.bincount(category, drawn[clusters.codes], 2 * k)
            yield Counts(right=both[:, :k], wrong=both[:, k:])

    def intervals(
        self, statistics: Mapping[str, Statistic]
    ) -> dict[str, tuple[Interval | None, ...]]:
        """Percentile intervals of every value of every statistic, from one pass of resamples.

        None where no resample has the value, and throughout with a single dialogue: nothing can be
        learnt about the spread of dialogues then.
        """
        if len(self.rows.groups) == 1:
            return {name: (None,) * one(self.cells.counts).size for name, one in statistics.items()}
        parts: dict[str, list[FloatArray]] = {name: [] for name in statistics}
        for counts in self.counts():
            for name, statistic in statistics.items():
                values = statistic(counts)
                parts[name].append(values.reshape(len(values), -1))
        found: dict[str, tuple[Interval | None, ...]] = {}
        for name, blocks in parts.items():
            values = np.concatenate(blocks)
            defined = np.isfinite(values)
            kept = np.where(defined, values, 0.0)
            found[name] = tuple(percentile_intervals(kept, defined, self.level))
        return found


def mass_bins_of_cells(cells: Cells, score: FloatArray, bins: int) -> IntArray:
    """The bin of equal mass of each cell, shape (k,)."""
    found = np.empty(len(cells.score), dtype=np.intp)
    found[cells.cell_of_row] = equal_mass_bins(score, bins)
    return found
