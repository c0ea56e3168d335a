"""Conformal risk control: a bound on the mean share of units that are answered wrongly.

This is another promise than that of :mod:`turnsure.calibration.thresholds.risk`.  It is about the
expectation over labelled sets, not about most of them, and about all units, not the answered ones.
It needs far fewer labels.

References
----------
Angelopoulos, Bates, Fisch, Lei, Schuster: Conformal risk control. ICLR 2024, arXiv 2208.02814:
theorem 1; section 4 on losses that are not monotone.
"""

from __future__ import annotations

import numpy as np

from turnsure.calibration.thresholds.risk import ROUNDING, Judge, last
from turnsure.calibration.thresholds.steps import Steps
from turnsure.core.chosen import ConformalEvidence
from turnsure.numerics.arrays import BoolArray, FloatArray, Int64Array


def conformal_evidence(
    steps: Steps, thresholds: FloatArray, alpha: float, *, grid: bool = False
) -> ConformalEvidence:
    """Conformal risk control of the loss "answered wrongly", which is at most B = 1.

    The loss must not rise with the threshold.  For a row it does not.  A dialogue may be answered
    rightly at a low threshold and wrongly, later, at a higher one; its loss is therefore the
    largest over all thresholds at or above λ, which is never below the true one.

    Parameters
    ----------
    steps
        Of the labelled units.
    thresholds
        The candidates, falling.
    alpha
        In (0, 1).
    grid
        Whether nothing but the candidates may be chosen; otherwise they are all scores, and stand
        for every number in [0, 1].
    """
    counts = steps.counts(thresholds)
    allowed = _allowed(counts.ever_wrong, counts.n, alpha)[0]
    n_allowed = int(np.count_nonzero(allowed))
    place = int(last(conformal(alpha)(counts))[0])
    infimum = None
    if n_allowed and grid:
        infimum = float(thresholds[n_allowed - 1])
    elif n_allowed == len(thresholds):
        infimum = 0.0
    elif steps.n_units + 1 >= (1.0 - ROUNDING) / alpha:
        infimum = float(thresholds[n_allowed])
    return ConformalEvidence(
        infimum=infimum,
        threshold=None if place < 0 else float(thresholds[place]),
        n=steps.n_units,
        n_wrong=0 if place < 0 else int(counts.ever_wrong[0, place]),
    )


def conformal(alpha: float) -> Judge:
    """The thresholds at which conformal risk control lets units be answered, and one is."""
    return lambda counts: _allowed(counts.ever_wrong, counts.n, alpha) & (counts.answered > 0)


def least_units(alpha: float, most: int) -> Int64Array:
    """For k = 0, 1, … wrong units: the smallest n, up to ``most``, with (k + 1)/(n + 1) ≤ alpha."""
    k = np.arange(1, int(alpha * (most + 1.0)) + 1)
    return np.ceil(k / alpha * (1.0 - ROUNDING)).astype(np.int64) - 1


def _allowed(n_wrong: FloatArray | Int64Array, n: Int64Array, alpha: float) -> BoolArray:
    limit = alpha * (n + 1.0) * (1.0 + ROUNDING)
    return n_wrong + 1 <= limit[:, np.newaxis]
