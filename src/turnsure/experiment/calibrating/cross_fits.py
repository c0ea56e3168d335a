"""Every map fitted without each fold, and without each pair of folds.

A row's probability under a map comes from a fit without the row's fold.  To choose a map for a fold
without looking at it, the maps are compared on the other folds, each row by a fit without its own
fold and without the fold that is chosen for; that is what the pairs are for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from turnsure.calibration.labelled import LabelledScores
from turnsure.core.errors import UndefinedMetricError
from turnsure.numerics.arrays import FloatArray, IntArray

Losses = Callable[[FloatArray], FloatArray]
"""Loss of each row from the probability of each row, shape (n,)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossFits:
    """One map.

    Attributes
    ----------
    name
        As in the registry.
    held_out
        Probability of each row from the fit without its fold, shape (n,).  Where the fit is
        missing it means nothing.
    reasons
        For each fold why there is no fit without it; None where there is one.
    inner_loss
        For each fold the summed loss of the rows of all others, by fits without that fold and the
        row's own; None where one is missing.
    """

    name: str
    held_out: FloatArray
    reasons: tuple[str | None, ...]
    inner_loss: tuple[float | None, ...]

    @property
    def reason(self) -> str | None:
        """Why not every row has a probability; None where each has one."""
        for place, reason in enumerate(self.reasons):
            if reason is not None:
                return f"without fold {place + 1} of {len(self.reasons)}: {reason}"
        return None


Fitting = Callable[[LabelledScores], Callable[[LabelledScores], FloatArray]]
"""Fits on some rows and gives what maps others; raises an UndefinedMetricError without a fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Splits:
    """The rows that maps are fitted on and those that they score.

    Attributes
    ----------
    members, held_out
        Of each fold: the numbers of its rows, and the rows.
    without_one
        For each fold the rows of all others.
    without_two
        For each pair of folds the rows of all others.
    """

    members: tuple[IntArray, ...]
    held_out: tuple[LabelledScores, ...]
    without_one: tuple[LabelledScores, ...]
    without_two: Mapping[tuple[int, int], LabelledScores]

    @property
    def n_rows(self) -> int:
        """All rows."""
        return sum(map(len, self.members))


def split(rows: LabelledScores, fold: IntArray) -> Splits:
    """Split rows by their folds, shape (n,), 0 … folds − 1 with folds ≥ 3, none without rows."""
    folds = range(int(fold.max()) + 1)
    members = tuple(np.flatnonzero(fold == place) for place in folds)
    return Splits(
        members=members,
        held_out=tuple(rows.rows(inside) for inside in members),
        without_one=tuple(rows.rows(fold != place) for place in folds),
        without_two={
            (one, other): rows.rows((fold != one) & (fold != other))
            for one, other in combinations(folds, 2)
        },
    )


def cross_fits(name: str, fitting: Fitting, splits: Splits, losses: Losses) -> CrossFits:
    """All fits of one map.

    Parameters
    ----------
    name
        Of the map.
    fitting
        Its fit.
    splits
        The rows.
    losses
        What maps are compared by.
    """
    held_out = np.zeros(splits.n_rows)
    reasons: list[str | None] = []
    for inside, rows, others in zip(
        splits.members, splits.held_out, splits.without_one, strict=True
    ):
        try:
            held_out[inside] = fitting(others)(rows)
            reasons.append(None)
        except UndefinedMetricError as error:
            reasons.append(str(error))
    totals: list[float | None] = [0.0] * len(reasons)
    for pair, others in splits.without_two.items():
        one, other = pair
        both = np.zeros(splits.n_rows)
        try:
            apply = fitting(others)
        except UndefinedMetricError:
            totals[one] = totals[other] = None
            continue
        for place in pair:
            both[splits.members[place]] = apply(splits.held_out[place])
        of_rows = losses(both)
        for chosen_for, judged in (pair, pair[::-1]):
            total = totals[chosen_for]
            if total is not None:
                totals[chosen_for] = total + float(of_rows[splits.members[judged]].sum())
    return CrossFits(name=name, held_out=held_out, reasons=tuple(reasons), inner_loss=tuple(totals))
