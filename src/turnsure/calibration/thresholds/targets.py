"""The rule that a target names, and how many labels it would need."""

from __future__ import annotations

from functools import partial

from turnsure.calibration.thresholds.conformal import conformal, least_units
from turnsure.calibration.thresholds.needed import labels_needed
from turnsure.calibration.thresholds.risk import Judge, RiskTarget, bonferroni, fixed_sequence
from turnsure.calibration.thresholds.steps import Steps
from turnsure.core.chosen import LabelsNeeded
from turnsure.numerics.arrays import FloatArray
from turnsure.numerics.binomial import least_trials


def judge_of(
    target: RiskTarget,
    thresholds: FloatArray,
    *,
    n_units: int,
    n_most: int,
    n_tests: int | None = None,
) -> Judge:
    """What tells the safe thresholds.

    Parameters
    ----------
    target
        Names the method.
    thresholds
        The candidates, falling.
    n_units
        Units of the labelled data.
    n_most
        The largest number of units in a sample.
    n_tests
        How many thresholds the Bonferroni correction counts; None for all candidates.
    """
    match target.method:
        case "fixed_sequence":
            return fixed_sequence(target, thresholds, n_units=n_units, n_most=n_most)
        case "bonferroni":
            return bonferroni(target, n_tests or len(thresholds), n_most)
        case "conformal":
            return conformal(target.error)


def needed_for(target: RiskTarget, steps: Steps, thresholds: FloatArray) -> LabelsNeeded:
    """How many labels would do for a target that no threshold meets."""
    if target.method == "conformal":
        least = partial(least_units, target.error)
        return labels_needed(steps, thresholds, least, error=target.error, joint=True)
    tests = len(thresholds) if target.method == "bonferroni" else len(target.starts or (0.0,))
    least = partial(least_trials, target.error, target.delta / tests)
    return labels_needed(steps, thresholds, least, error=target.error)
