"""Probabilities for every row from a map that has not seen the row's dialogue."""

from __future__ import annotations

import numpy as np

from turnsure.calibration.fitting import DEFAULT_LEVELS, LEAST_ROWS, Feature, fit
from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.maps.base import Family
from turnsure.core.errors import UndefinedMetricError
from turnsure.numerics.arrays import FloatArray, IntArray
from turnsure.numerics.folds import dealt_folds
from turnsure.numerics.inputs import whole_number

DEFAULT_FOLDS = 5


def fold_of_rows(rows: LabelledScores, *, folds: int, seed: int) -> IntArray:
    """The fold of each row's dialogue, 0 … folds − 1, shape (n,).

    Depends on the set of dialogues and the seed, not on the order of the rows; see
    :func:`turnsure.numerics.folds.dealt_folds`.

    Raises
    ------
    InputError
        There are fewer than two folds, or the seed is below 0.
    UndefinedMetricError
        There are fewer dialogues than folds.
    """
    n_folds = whole_number(folds, "folds", minimum=2)
    whole_number(seed, "seed", minimum=0)
    return dealt_folds(rows.groups, folds=n_folds, seed=seed)[rows.group]


def out_of_fold(
    name: str | Family,
    rows: LabelledScores,
    *,
    folds: int = DEFAULT_FOLDS,
    seed: int = 0,
    feature: Feature = "none",
    levels: int = DEFAULT_LEVELS,
    least: int = LEAST_ROWS,
) -> FloatArray:
    """Cross-fitted probabilities: each fold's rows from a map fitted on the other folds.

    Parameters
    ----------
    name, feature, levels, least
        As for :func:`turnsure.calibration.fitting.fit`.
    rows
        With the dialogues that are dealt into folds.
    folds
        From 2, at most the number of dialogues.
    seed
        Of the deal.

    Returns
    -------
    numpy.ndarray
        Shape (n,), in [0, 1]; the same for the same rows in any order.

    Raises
    ------
    InputError
        As for ``fit``, and for settings out of range.
    UndefinedMetricError
        There are too few dialogues, or some fold's others allow no fit; names the fold.
    """
    fold = fold_of_rows(rows, folds=folds, seed=seed)
    result = np.empty(len(rows))
    for place in range(folds):
        held_out = fold == place
        try:
            fitted = fit(name, rows.rows(~held_out), feature=feature, levels=levels, least=least)
        except UndefinedMetricError as error:
            raise UndefinedMetricError(f"without fold {place + 1} of {folds}: {error}") from error
        result[held_out] = fitted.on(rows.rows(held_out))
    return result
