"""Histogram binning: the share of right answers in the score's bin.

``histogram`` has bins of equal width, [k/B, (k+1)/B) with the last closed at 1; ``histogram_mass``
has bins of equal mass, bin ``(B · #{scores ≤ it} − 1) // n`` of the rows fitted on, each from its
lowest score up to the lowest of the next, the first from 0.  No score is split between bins.

A bin without a row says nothing; its scores get the share of the nearest bin that has rows, of the
lower of two that are equally near.  A map need not rise, and it may say 0 or 1.

References
----------
Zadrozny, Elkan: Obtaining calibrated probability estimates from decision trees and naive Bayesian
classifiers (ICML 2001): equal mass.  Guo, Pleiss, Sun, Weinberger: On calibration of modern neural
networks (ICML 2017), section 4.1: either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from turnsure.calibration.maps.base import Parameters, refuse_level, require_both_classes
from turnsure.calibration.maps.parameters import number, numbers
from turnsure.numerics.arrays import BoolArray, FloatArray, IntArray
from turnsure.numerics.binning import (
    MAX_BINS,
    equal_mass_bins,
    equal_width_bins,
    equal_width_edges,
)

DEFAULT_BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Histogram:
    """A fitted map.

    Attributes
    ----------
    name
        ``"histogram"`` or ``"histogram_mass"``.
    lower_edges
        Where each bin begins, the first at 0, strictly rising, shape (k,).
    probability
        Shape (k,).
    n_empty
        Bins that had no row.
    """

    name: str
    lower_edges: FloatArray
    probability: FloatArray
    n_empty: int

    @property
    def parameters(self) -> Parameters:
        return {
            "lower_edges": self.lower_edges.tolist(),
            "probability": self.probability.tolist(),
            "n_empty": self.n_empty,
        }

    def apply(self, score: FloatArray, level: FloatArray | None = None) -> FloatArray:
        del level
        return self.probability[np.searchsorted(self.lower_edges, score, side="right") - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramFamily:
    """Counts in bins.

    Attributes
    ----------
    binning
        ``"width"`` or ``"mass"``.
    bins
        B, at least 1.
    """

    name: str
    binning: Literal["width", "mass"]
    bins: int = DEFAULT_BINS
    takes_level: bool = False

    def fit(
        self, score: FloatArray, correct: BoolArray, level: FloatArray | None = None
    ) -> Histogram:
        refuse_level(level, self.name)
        require_both_classes(correct, self.name)
        if self.binning == "width":
            which = equal_width_bins(score, self.bins)
            edges = equal_width_edges(self.bins)[:-1]
        else:
            _, which = np.unique(equal_mass_bins(score, self.bins), return_inverse=True)
            edges = np.ones(int(which.max()) + 1)
            np.minimum.at(edges, which, score)
            edges[0] = 0.0
        n = np.bincount(which, minlength=len(edges))
        right = np.bincount(which, correct, len(edges))
        nearest = _nearest(np.flatnonzero(n), len(n))
        return Histogram(
            name=self.name,
            lower_edges=edges,
            probability=right[nearest] / n[nearest],
            n_empty=int(np.count_nonzero(n == 0)) if self.binning == "width" else 0,
        )

    def restore(self, parameters: Parameters) -> Histogram:
        edges = numbers(parameters, "lower_edges", strictly=True, first=0.0)
        return Histogram(
            name=self.name,
            lower_edges=edges,
            probability=numbers(parameters, "probability", length=len(edges)),
            n_empty=int(number(parameters, "n_empty", low=0, high=MAX_BINS)),
        )


def _nearest(occupied: IntArray, n_bins: int) -> IntArray:
    """The occupied bin nearest to each bin; of two the lower."""
    bins = np.arange(n_bins)
    after = np.minimum(np.searchsorted(occupied, bins), len(occupied) - 1)
    before = np.maximum(after - 1, 0)
    is_lower = np.abs(bins - occupied[before]) <= np.abs(bins - occupied[after])
    return np.where(is_lower, occupied[before], occupied[after])


WIDTH = HistogramFamily(name="histogram", binning="width")
MASS = HistogramFamily(name="histogram_mass", binning="mass")
