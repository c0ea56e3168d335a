"""The cluster bootstrap: whole dialogues are drawn with replacement, never single turns.

A resample is a vector of weights, one a dialogue: how often it was drawn.  Statistics are computed
from per-dialogue sums where they suffice, else from weighted rows, in blocks of resamples so that
memory stays bounded.

References
----------
Davison, Hinkley: Bootstrap Methods and their Application (1997), section 3.8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from turnsure.core.results import Interval
from turnsure.numerics.arrays import BoolArray, FloatArray, IntArray
from turnsure.numerics.codes import compact
from turnsure.numerics.draws import drawn_counts

_BLOCK_NUMBERS = 1 << 17
_LARGEST_HELD = 1 << 21
_LARGEST_TABLE = 1 << 24
_LARGEST_KEPT = 1 << 24
_PRODUCT_PIECE = 1 << 18
_DRAWS_OF_A_BINOMIAL = 64
"""Drawing a binomial number costs about as much as drawing this many clusters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """Which rows belong together, and how to resample them.

    Attributes
    ----------
    codes
        Cluster of each row, 0..n - 1, shape (n_rows,).
    n
        Number of clusters.
    resamples, seed, level
        How many resamples, from which seed, and the nominal coverage.
    """

    codes: IntArray
    n: int
    resamples: int
    seed: int
    level: float

    def weights(self, width: int = 0) -> Iterator[FloatArray]:
        """Blocks of resamples, shape (r, n), as many at a time as fit with r × width numbers.

        The numbers do not depend on how they are cut into blocks.
        """
        step = max(1, _BLOCK_NUMBERS // max(width, self.n))
        if self.n * self.resamples <= _LARGEST_KEPT:
            kept = _kept_weights(self.seed, self.n, self.resamples)
            for start in range(0, self.resamples, step):
                yield kept[start : start + step].astype(np.float64)
            return
        for block in drawn_counts(self.seed, self.resamples, self.n):
            for start in range(0, len(block), step):
                yield block[start : start + step]

    def row_weights(self, order: IntArray) -> Iterator[FloatArray]:
        """Blocks of resamples as weights of the rows in ``order``, shape (r, len(order))."""
        codes = self.codes[order]
        for block in self.weights(len(order)):
            yield block[:, codes]


@lru_cache(maxsize=1)
def _kept_weights(seed: int, n: int, resamples: int) -> npt.NDArray[np.uint32]:
    """All resamples.  The metrics of one method have the same, one after another."""
    blocks = drawn_counts(seed, resamples, n)
    kept = np.concatenate([block.astype(np.uint32) for block in blocks])
    kept.flags.writeable = False
    return kept


def resampled_sums(
    clusters: Clusters, bins: IntArray, columns: Sequence[FloatArray]
) -> Iterator[FloatArray]:
    """For blocks of resamples: rows per bin, then the sum of each column per bin.

    Shape (r, 1 + n_columns, n_occupied); bins without a row in the full data have none in a
    resample either and are left out.  Row counts are exact whole numbers.
    """
    occupied, bins = compact(bins, int(bins.max(initial=-1)) + 1)
    shape = (clusters.n, 1 + len(columns), len(occupied))
    if shape[0] * shape[1] * shape[2] > _LARGEST_TABLE:
        yield from _sums_of_rows(clusters, bins, columns)
        return
    cells = clusters.codes * len(occupied) + bins
    table = np.empty(shape)
    for place, column in enumerate((None, *columns)):
        sums = np.bincount(cells, column, shape[0] * shape[2])
        table[:, place] = sums.reshape(shape[0], shape[2])
    flat = table.reshape(clusters.n, -1)
    for weights in clusters.weights(flat.shape[1]):
        yield _product(weights, flat).reshape(-1, *shape[1:])


def _product(weights: FloatArray, table: FloatArray) -> FloatArray:
    """The matrix product, in pieces too small for the BLAS library to start threads.

    Waking threads for each of many small products can cost thirty times the work itself.
    """
    total = np.zeros((len(weights), table.shape[1]))
    step = max(1, _PRODUCT_PIECE // total.size)
    for start in range(0, len(table), step):
        total += weights[:, start : start + step] @ table[start : start + step]
    return total


def _sums_of_rows(
    clusters: Clusters, bins: IntArray, columns: Sequence[FloatArray]
) -> Iterator[FloatArray]:
    """The same from weighted rows, for when dialogues × bins is too large for a table."""
    order = np.argsort(bins, kind="stable")
    starts = np.flatnonzero(np.diff(bins[order], prepend=-1))
    for weights in clusters.row_weights(order):
        sums = [np.add.reduceat(weights, starts, axis=1)]
        sums += [np.add.reduceat(weights * column[order], starts, axis=1) for column in columns]
        yield np.stack(sums, axis=1)


def resampled_running_sums(
    clusters: Clusters, order: IntArray, column: FloatArray, ends: IntArray
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Weight and weighted ``column`` of the rows ``order[: end + 1]``, for blocks of ``ends``.

    Each of shape (resamples, e).  Needs all weights at once: 2 bytes a resample and dialogue.
    """
    weights = np.concatenate([block.astype(np.uint16) for block in clusters.weights()])
    step = _columns_at_a_time(clusters.resamples)
    n = np.zeros((clusters.resamples, 1))
    total = np.zeros((clusters.resamples, 1))
    for start in range(0, len(order), step):
        rows = order[start : start + step]
        block = weights[:, clusters.codes[rows]].astype(np.float64)
        running_n = n + np.cumsum(block, axis=1)
        running_total = total + np.cumsum(block * column[rows], axis=1)
        here = ends[(ends >= start) & (ends < start + len(rows))] - start
        yield running_n[:, here], running_total[:, here]
        n, total = running_n[:, -1:], running_total[:, -1:]


def percentile_bounds(
    values: FloatArray, defined: BoolArray, level: float
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Percentile bounds of each column's defined values, and how many are defined.

    ``values`` and ``defined`` have shape (resamples, m), the results (m,).  Where nothing is
    defined the count is 0 and the bounds mean nothing.
    """
    n = np.count_nonzero(defined, axis=0)
    # What is not defined is sorted to the end, where no bound is read.
    ordered = np.sort(np.where(defined, values, values.max(initial=0.0)), axis=0)
    which = np.arange(len(n))
    tail = (1.0 - level) / 2.0
    bounds: list[FloatArray] = []
    for quantile in (tail, 1.0 - tail):
        place = quantile * np.maximum(n - 1, 0)
        below = place.astype(np.intp)
        lower = ordered[below, which]
        upper = ordered[np.minimum(below + 1, np.maximum(n - 1, 0)), which]
        bounds.append(lower + (upper - lower) * (place - below))
    return bounds[0], bounds[1], n


def percentile_intervals(
    values: FloatArray, defined: BoolArray, level: float
) -> list[Interval | None]:
    """Percentile interval of each column's defined values; None where there is none."""
    lows, highs, counts = percentile_bounds(values, defined, level)
    return [
        Interval(low=low, high=high, level=level, method="cluster_bootstrap", n_resamples=n)
        if n
        else None
        for low, high, n in zip(lows.tolist(), highs.tolist(), counts.tolist(), strict=True)
    ]


def percentile_interval(values: FloatArray, level: float) -> Interval | None:
    """Percentile interval of values that are all defined, shape (m,); None when there is none."""
    if not values.size:
        return None
    column = values[:, np.newaxis]
    return percentile_intervals(column, np.ones(column.shape, dtype=np.bool_), level)[0]


def interval_of_sums(
    clusters: Clusters | None,
    bins: IntArray,
    columns: Sequence[FloatArray],
    statistic: Callable[[FloatArray], FloatArray],
) -> Interval | None:
    """Interval of a statistic of :func:`resampled_sums`, which keeps only its defined values.

    None without clusters, and with a single one: nothing can be learnt about their spread.
    """
    if clusters is None or clusters.n == 1:
        return None
    values = [statistic(sums) for sums in resampled_sums(clusters, bins, columns)]
    return percentile_interval(np.concatenate(values), clusters.level)


def interval_of_rows(
    clusters: Clusters | None, order: IntArray, statistic: Callable[[FloatArray], FloatArray]
) -> Interval | None:
    """Interval of a statistic of the weights, shape (r, n_rows), of the rows in ``order``."""
    if clusters is None or clusters.n == 1:
        return None
    values = [statistic(weights) for weights in clusters.row_weights(order)]
    return percentile_interval(np.concatenate(values), clusters.level)


def interval_of_mean(clusters: Clusters | None, values: FloatArray | BoolArray) -> Interval | None:
    """Interval of the mean of a column of values."""
    if clusters is None or clusters.n == 1:
        return None
    in_one_bin = np.zeros(len(values), dtype=np.intp)
    return intervals_of_means(clusters, in_one_bin, values.astype(np.float64, copy=False))[0]


def interval_of_cluster_mean(clusters: Clusters, values: FloatArray) -> Interval | None:
    """Interval of the mean of one value a cluster, in the order of the clusters.

    How often each of few distinct values is drawn is multinomial, whichever clusters have it.  With
    many clusters these counts are drawn at once: other random numbers, the same distribution.
    """
    if clusters.n == 1:
        return None
    distinct, n_with = np.unique(values, return_counts=True)
    is_long = clusters.n * clusters.resamples > _LARGEST_KEPT
    if not is_long or len(distinct) * _DRAWS_OF_A_BINOMIAL > clusters.n:
        return interval_of_mean(clusters, values)
    random = np.random.default_rng(clusters.seed)
    drawn = random.multinomial(clusters.n, n_with / clusters.n, size=clusters.resamples)
    return percentile_interval(drawn.astype(np.float64) @ distinct / clusters.n, clusters.level)


def intervals_of_means(
    clusters: Clusters | None, bins: IntArray, values: FloatArray
) -> list[Interval | None]:
    """Interval of the mean of ``values`` in each occupied bin, lowest bin first."""
    occupied, bins = compact(bins, int(bins.max(initial=-1)) + 1)
    if clusters is None or clusters.n == 1:
        return [None] * len(occupied)
    step = _columns_at_a_time(clusters.resamples)
    intervals: list[Interval | None] = []
    for start in range(0, len(occupied), step):
        rows = (bins >= start) & (bins < start + step)
        part = replace(clusters, codes=clusters.codes[rows])
        sums = np.concatenate(list(resampled_sums(part, bins[rows], [values[rows]])))
        n, totals = sums[:, 0], sums[:, 1]
        means = totals / np.maximum(n, 1.0)
        intervals += percentile_intervals(means, n > 0.0, clusters.level)
    return intervals


def _columns_at_a_time(resamples: int) -> int:
    """How many columns of all resamples are held at once."""
    return max(1, _LARGEST_HELD // resamples)
