"""Logits of scores, and the error where a likelihood has no maximum.

0 and 1 have no logit, so scores are kept within [c, 1 − c].  A score strictly between 0 and 1 that
is fitted on is never changed: c is the smallest distance of such a score from 0 or 1, or less.
Where scores of exactly 0 or 1 are fitted on, c is at most :data:`CLIP_OF_CERTAIN`, so that they
stand with the most extreme of the others and do not outweigh all of them; where there are none, c
is at most :data:`CLIP`.  It is kept with the map.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.numerics.arrays import FloatArray
from turnsure.numerics.likelihood import NoMaximum, maximise_likelihood
from turnsure.numerics.tallies import Tally

CLIP = 1e-6
CLIP_OF_CERTAIN = 0.01

LEAST_CLIP = 2.0**-53
"""The smallest clip for which 1 − clip is below 1."""


def clip_for(score: FloatArray) -> float:
    """The c for maps fitted on these scores, shape (n,); see the top of this module."""
    distance = np.minimum(score, 1.0 - score)
    is_certain = distance == 0.0
    most = CLIP_OF_CERTAIN if is_certain.any() else CLIP
    return max(float(distance.min(where=~is_certain, initial=most)), LEAST_CLIP)


def clipped(score: FloatArray, clip: float) -> FloatArray:
    """The score within [clip, 1 − clip]."""
    return np.minimum(np.maximum(score, clip), 1.0 - clip)


def logit(score: FloatArray, clip: float) -> FloatArray:
    """Ln s − ln(1 − s) of the clipped score."""
    inside = clipped(score, clip)
    return np.log(inside) - np.log1p(-inside)


def fitted_weights(
    features: Sequence[FloatArray], counts: Tally, name: str, right: FloatArray | None = None
) -> FloatArray:
    """Maximum likelihood on the counted rows; ``right`` stands in for the counts of right answers.

    Raises
    ------
    UndefinedMetricError
        The likelihood has no maximum, or more than one.
    """
    given = counts.right if right is None else right
    found = maximise_likelihood(np.stack(features), counts.n, given)
    if not isinstance(found, NoMaximum):
        return found
    if found.reason == "collinear":
        varies = "score and level" if counts.second is not None else "scores"
        raise UndefinedMetricError(
            f"{name} has no unique fit: the {varies} of the {counts.n_rows} rows vary too little"
        )
    raise UndefinedMetricError(
        f"{name} has no fit: right and wrong answers of the {counts.n_rows} rows are separated, so "
        "that the likelihood rises without end; platt_smoothed, isotonic and venn_abers have one"
    )


def level_term(weight: float | None, level: FloatArray | None, name: str) -> FloatArray | float:
    """What the second feature adds to the logit.

    Raises
    ------
    InputError
        The map has such a feature and none is given.
    """
    if weight is None:
        return 0.0
    if level is None:
        raise InputError(
            f"this {name} was fitted with the level or turn as a second feature",
            field="turn",
            expected="the turn of each row",
        )
    return weight * level
