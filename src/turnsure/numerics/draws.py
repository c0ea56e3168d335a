"""How often each of n clusters is drawn when n are drawn with replacement."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from turnsure.numerics.arrays import FloatArray

_MANY = 1 << 12
"""From here on counts are drawn, not clusters: in less than half the time."""

_NUMBERS_AT_ONCE = 1 << 17
_CELLS = 1 << 16
_SPARE = 4.0
_LARGEST_COUNT = 40


def drawn_counts(seed: int, resamples: int, n: int) -> Iterator[FloatArray]:
    """Blocks of resamples, shape (r, n); each row is multinomial and adds up to n."""
    random = np.random.default_rng(seed)
    draw = _draw_counts if n >= _MANY else _draw_clusters
    step = max(1, _NUMBERS_AT_ONCE // n)
    for start in range(0, resamples, step):
        yield draw(random, min(step, resamples - start), n)


def _draw_clusters(random: np.random.Generator, resamples: int, n: int) -> FloatArray:
    block, uniform = np.empty((resamples, n)), np.empty(n)
    for row in block:
        # Uniform up to the rounding of doubles, in half the time of random.integers().
        random.random(out=uniform)
        np.multiply(uniform, n, out=uniform)
        row[:] = np.bincount(uniform.astype(np.intp), minlength=n)
    return block


def _draw_counts(random: np.random.Generator, resamples: int, n: int) -> FloatArray:
    """The same distribution from counts.

    Independent Poisson counts, given their sum, are multinomial whatever their mean.  With a mean a
    little below 1 the sum is almost never above n, in which case it is drawn again; the draws that
    lack go to clusters one by one.
    """
    mean = 1.0 - _SPARE / math.sqrt(n)
    counts = _poisson(random, (resamples, n), mean)
    n_lacking = n - counts.sum(axis=1, dtype=np.intp)
    while (too_many := np.flatnonzero(n_lacking < 0)).size:
        counts[too_many] = _poisson(random, (len(too_many), n), mean)
        n_lacking = n - counts.sum(axis=1, dtype=np.intp)
    block = counts.astype(np.float64)
    others = random.integers(0, n, int(n_lacking.sum()))
    others += np.repeat(np.arange(resamples) * n, n_lacking)
    np.add.at(block.reshape(-1), others, 1.0)
    return block


def _poisson(
    random: np.random.Generator, shape: tuple[int, int], mean: float
) -> npt.NDArray[np.uint8]:
    """Poisson counts from 16 random bits each, and from more where these leave it open.

    Counts above 40, of probability 1e-49, are taken for 40.
    """
    at_most, bounds = _cumulative(mean)
    size = shape[0] * shape[1]
    words = random.integers(0, 1 << 64, -(-size // 4), dtype=np.uint64).view(np.uint16)[:size]
    counts = np.zeros(size, dtype=np.uint8)
    is_open = words == _CELLS - 1
    for bound in bounds:
        counts += (words > bound).view(np.uint8)
        is_open |= words == bound
    places = np.flatnonzero(is_open)
    uniform = (words[places] + random.random(len(places))) / _CELLS
    counts[places] = np.searchsorted(at_most, uniform, side="right")
    return counts.reshape(shape)


@lru_cache(maxsize=8)
def _cumulative(mean: float) -> tuple[FloatArray, tuple[np.uint16, ...]]:
    """Probabilities of at most 0, 1, 2 …, and the cells of (0, 1) that they fall into.

    The last cell, which holds all the others, is left out.
    """
    k = np.arange(_LARGEST_COUNT)
    log_factorial = np.cumsum(np.log(np.maximum(k, 1)))
    at_most = np.cumsum(np.exp(k * math.log(mean) - mean - log_factorial))
    cells = (at_most * _CELLS).astype(np.intp)
    return at_most, tuple(np.uint16(cell) for cell in cells[cells < _CELLS - 1])
