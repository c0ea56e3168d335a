"""How many more labels a target would need."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from turnsure.calibration.thresholds.steps import Steps
from turnsure.core.chosen import LabelsNeeded
from turnsure.numerics.arrays import FloatArray, Int64Array, IntArray

SEARCHED = (10_000, 100_000, 1_000_000)
"""Up to how many tested units is searched, in turn; most searches end with the first."""

Least = Callable[[int], Int64Array]
"""For k = 0, 1, … wrong units the fewest tested ones that may hold them, up to a most."""


def labels_needed(
    steps: Steps, thresholds: FloatArray, least: Least, *, error: float, joint: bool = False
) -> LabelsNeeded:
    """The fewest labelled units with which a test would pass at some threshold.

    It is assumed that error and coverage stay what they are in the sample.  With error ρ at a
    threshold, n tested units hold ⌈ρ n⌉ wrong ones; the smallest n that may hold so many is looked
    for, at every threshold, and the one that needs the fewest labels is told.  Since that one was
    found by looking, the true number tends to be larger.

    Parameters
    ----------
    steps
        Of the units at hand.
    thresholds
        The candidates, falling.
    least
        Of the test.
    error
        The target: with a higher error no number would do.
    joint
        Whether all units are tested, with those ever answered wrongly as the wrong ones
        (``"conformal"``), and not the answered ones alone.
    """
    counts = steps.counts(thresholds)
    some = counts.answered[0] > 0
    n = steps.n_units
    tested = np.full(int(some.sum()), n) if joint else counts.answered[0, some]
    wrong = (counts.ever_wrong if joint else counts.wrong)[0, some]
    if not len(tested):
        reason = f"None of the {n:,} {steps.noun} scores at or above a threshold."
        return LabelsNeeded(n_more=None, reason=reason)

    def seen(place: int) -> str:
        what = steps.noun if joint else f"answered {steps.noun}"
        at = f"{thresholds[some][place]:.4g}"
        return f"{wrong[place]:,} of {tested[place]:,} {what} wrong at {at}"

    rate: FloatArray = wrong / tested
    lowest = int(np.argmin(rate))
    if rate[lowest] >= error:
        return LabelsNeeded(
            n_more=None,
            reason="No number of labels would do if errors stay as they are: the lowest error at "
            f"any threshold is {rate[lowest]:.1%} ({seen(lowest)}), not below {error:.4g}.",
        )
    place, units = 0, None
    for most in SEARCHED:
        place, units = _fewest(tested, wrong, n, least(most))
        # What was not found takes more than ``most`` units.
        if units is not None and units <= most:
            break
    if units is None:
        return LabelsNeeded(
            n_more=None,
            reason=f"More than {SEARCHED[-1]:,} {steps.noun} would be needed: the lowest error at "
            f"any threshold is {rate[lowest]:.2%} ({seen(lowest)}), too close to {error:.4g}.",
        )
    if units <= n:
        return LabelsNeeded(
            n_more=None,
            reason=f"At {thresholds[some][place]:.4g} alone the test would pass ({seen(place)}), "
            "but the walk from higher thresholds ends before it. Fix it as a start and test it on "
            "new labels.",
        )
    return LabelsNeeded(
        n_more=units - n,
        reason=f"About {_rounded(units - n):,} more labelled {steps.noun} would be needed, if "
        f"error and coverage stay what they are where that is fewest ({seen(place)}).",
    )


def _fewest(
    tested: Int64Array, wrong: Int64Array, n: int, least: Int64Array
) -> tuple[int, int | None]:
    """The threshold that needs the fewest units, and how many; None for more than were searched."""
    # The first k with k / least[k] ≥ ρ: so many wrong ones fit into no more than k / ρ units.
    reached: FloatArray = np.maximum.accumulate(np.arange(len(least)) / least)
    k: IntArray = np.searchsorted(reached, wrong / tested)
    found = np.flatnonzero(k < len(least))
    if not len(found):
        return 0, None
    tested, wrong, k = tested[found], wrong[found], k[found]
    at_least = np.where(wrong > 0, (k - 1) * tested // np.maximum(wrong, 1) + 1, 0)
    units = -(-np.maximum(least[k], at_least) * n // tested)
    best = int(np.argmin(units))
    return int(found[best]), int(units[best])


def _rounded(n: int) -> int:
    """Two leading digits, rounded up: more would claim a precision that there is not."""
    step = 10 ** max(math.floor(math.log10(n)) - 1, 0)
    return -(-n // step) * step
