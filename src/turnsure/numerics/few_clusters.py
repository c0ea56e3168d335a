"""Means of clusters, and percentile intervals that hold with few of them."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from turnsure.core.results import Interval
from turnsure.numerics.arrays import FloatArray, IntArray
from turnsure.numerics.beta import beta_tails
from turnsure.numerics.resampling import percentile_interval


def cluster_means(codes: IntArray, values: FloatArray) -> FloatArray:
    """Mean of each cluster's values, shape (n_clusters,); codes 0..n - 1, none left out.

    Not even the last bit depends on the order of the rows, and the opposite values have exactly the
    opposite mean: what is above 0 and what is below is added up apart, the smallest first.
    """
    sizes = np.abs(values)
    order = np.lexsort((sizes, codes))
    places, above = codes[order], values[order] > 0.0
    up = np.bincount(places, np.where(above, sizes[order], 0.0))
    down = np.bincount(places, np.where(above, 0.0, sizes[order]))
    return (up - down) / np.bincount(codes)


def expanded_interval(values: FloatArray, n_clusters: int, level: float) -> Interval | None:
    """Percentile interval of a statistic's resampled ``values``, widened for few clusters.

    With R values the bounds are the (R + 1)q-th from either end, q the tail of
    :func:`expanded_tail`, or the extremes where there is no such one: a further draw then lies
    outside with probability 2q whatever R is.

    None with a single cluster or when there is no value.

    References
    ----------
    Davison, Hinkley: Bootstrap Methods and their Application (1997), section 5.2.1.
    """
    if n_clusters == 1 or not values.size:
        return None
    place = max(expanded_tail(level, n_clusters) * (values.size + 1) - 1.0, 0.0)
    share = place / max(values.size - 1, 1)
    interval = percentile_interval(values, max(1.0 - 2.0 * share, 0.0))
    return None if interval is None else replace(interval, level=level)


def expanded_tail(level: float, n_clusters: int) -> float:
    """Which share of the resampled values to cut off at either end, so that ``level`` is covered.

    The spread of resampled means of n values is √((n − 1)/n) times their standard error, and a
    normal quantile stands where Student's belongs.  The tail Φ(−√(n/(n − 1)) t) mends both, t being
    the two-sided quantile of Student's distribution with n − 1 degrees of freedom.

    Parameters
    ----------
    level
        In (0, 1).
    n_clusters
        At least 2.

    References
    ----------
    The expanded percentile interval: Hesterberg: What teachers should know about the bootstrap. The
    American Statistician 69 (2015).
    """
    t = student_quantile(1.0 - level, n_clusters - 1)
    return NormalDist().cdf(-t * math.sqrt(n_clusters / (n_clusters - 1)))


def student_quantile(outside: float, degrees: int) -> float:
    """The t with probability ``outside`` of |T| > t under Student's distribution.

    Newton's method from the normal quantile, which is too small: the tail falls and is convex, so
    that every step is towards the root and none goes beyond it.

    References
    ----------
    Abramowitz, Stegun: Handbook of Mathematical Functions (1964), 26.5.27: |T| > t has the
    probability below ν/(ν + t²) under Beta(ν/2, ½), or above t²/(ν + t²) under Beta(½, ν/2).
    """
    t = -NormalDist().inv_cdf(0.5 * outside)
    half = 0.5 * degrees
    height = math.exp(math.lgamma(half + 0.5) - math.lgamma(half)) / math.sqrt(math.pi * degrees)
    while True:
        square = t * t
        # Whichever argument is the small one keeps its digits.
        if square > degrees:
            beyond, _ = beta_tails(half, 0.5, degrees / (degrees + square))
        else:
            _, beyond = beta_tails(0.5, half, square / (degrees + square))
        density = height * math.exp(-(half + 0.5) * math.log1p(square / degrees))
        step = (beyond - outside) / (2.0 * density)
        if step <= 1e-14 * t:
            return t
        t += step
