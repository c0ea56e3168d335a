"""Whether scores are distributed as they were, which needs no labels.

References
----------
The index: Siddiqi: Credit Risk Scorecards (2006); it is the symmetrised Kullback–Leibler divergence
of Jeffreys (1946).  Its size by chance: Yurdakul, Naranjo: Statistical properties of the population
stability index. Journal of Risk Model Validation 14 (2020).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsure.core.errors import InputError
from turnsure.numerics.arrays import FloatArray, Int64Array
from turnsure.numerics.two_samples import SmirnovTest, smirnov_test

BINS = 10
SOME_SHIFT, LARGE_SHIFT = 0.1, 0.25
"""Customary bands of the index.  Custom is all that supports them: they depend neither on the
sample sizes nor on what a shift does to decisions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallied:
    """A sample as distinct values with counts.

    Attributes
    ----------
    value
        Rising, shape (k,).
    n
        How often, shape (k,).
    exact
        Whether these are all values; else each stands for the ones up to it from the one before.
    """

    value: FloatArray
    n: Int64Array
    exact: bool = True

    @classmethod
    def of(cls, score: FloatArray, *, most: int | None = None) -> Tallied:
        """Count scores; with more than ``most`` distinct ones, by as many equally full cells."""
        value, n = np.unique(score, return_counts=True)
        if most is None or len(value) <= most:
            return cls(value=value, n=n.astype(np.int64))
        upto = np.cumsum(n)
        wanted = np.arange(1, most + 1) * len(score) / most
        ends = np.unique(np.searchsorted(upto, wanted - 1e-9))
        return cls(
            value=value[ends],
            n=np.diff(upto[ends], prepend=0).astype(np.int64),
            exact=False,
        )

    @property
    def total(self) -> int:
        """All rows."""
        return int(self.n.sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """How two samples of scores differ.

    Attributes
    ----------
    psi
        Population stability index.
    by_chance
        About what the index is where nothing has changed: (bins − 1)(1/m + 1/n).
    n_bins
        Its bins: cut at the deciles of the evidence, fewer where scores repeat.
    smoothed
        Whether a bin has no new score, so that ½ was added to each count.
    test
        Kolmogorov's and Smirnov's.
    n_before, n_now
        Scores.
    """

    psi: float
    by_chance: float
    n_bins: int
    smoothed: bool
    test: SmirnovTest
    n_before: int
    n_now: int


def shift(before: Tallied, score: FloatArray) -> Shift:
    """Compare new scores with those of the evidence.

    Where the evidence keeps cells instead of all scores, new scores are counted in these cells; the
    distance is then looked at between cells only, so that it is too small by less than a cell.

    Parameters
    ----------
    before
        Of the evidence.
    score
        In [0, 1], shape (n,), n ≥ 1.
    """
    value = before.value if not before.exact else np.union1d(before.value, score)
    if not before.exact and score.max() > value[-1]:
        value = np.append(value, score.max())
    old = np.zeros(len(value), dtype=np.int64)
    old[np.searchsorted(value, before.value)] = before.n
    new = np.bincount(np.searchsorted(value, score), minlength=len(value)).astype(np.int64)
    psi, n_bins, smoothed = _index(old, new)
    m, n = before.total, len(score)
    return Shift(
        psi=psi,
        by_chance=(n_bins - 1) * (1.0 / m + 1.0 / n),
        n_bins=n_bins,
        smoothed=smoothed,
        test=smirnov_test(value, old, new),
        n_before=m,
        n_now=n,
    )


def stability_index(before: Int64Array, now: Int64Array) -> float:
    """Σ (q − p) ln(q/p) over bins, p and q being the shares of either sample.

    Where a bin is empty in either, ½ is added to every count of both.

    Parameters
    ----------
    before, now
        Counts, shape (k,); one or more in each sample.

    Raises
    ------
    InputError
        A sample is empty.
    """
    if before.sum() <= 0 or now.sum() <= 0:
        raise InputError("a sample is empty", field="counts", expected="one score or more in both")
    added = 0.5 if (before == 0).any() or (now == 0).any() else 0.0
    p = (before + added) / (before.sum() + added * len(before))
    q = (now + added) / (now.sum() + added * len(now))
    return float(((q - p) * np.log(q / p)).sum())


def _index(old: Int64Array, new: Int64Array) -> tuple[float, int, bool]:
    """The index over bins of equal mass of the old scores; no score is in two bins.

    A value belongs to the bin ⌈B F(value)⌉ of B, F being the share of old scores up to it.
    """
    upto = np.cumsum(old)
    # New scores below all old ones stand in the bin of the lowest old one.
    filled = np.maximum(upto, old[np.argmax(old > 0)])
    _, bin_of = np.unique((filled * BINS - 1) // int(upto[-1]), return_inverse=True)
    p = np.bincount(bin_of, old).astype(np.int64)
    q = np.bincount(bin_of, new).astype(np.int64)
    return stability_index(p, q), len(p), bool((q == 0).any())
