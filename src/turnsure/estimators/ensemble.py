"""The ensemble: one confidence from those of several methods, fitted on other dialogues.

No method of its own but a pure function over measured rows: it asks no model.  The dialogues are
dealt into folds; the rows of a fold are scored by a ridge-penalised logistic regression of
correctness on the logits of the base confidences that was fitted on the rows of all other folds
(stacked generalisation: Wolpert 1992).  So no row is scored by a model that saw its dialogue.

Logits are taken after clipping to [:data:`CLIP`, 1 − :data:`CLIP`]: counted and written confidences
are often exactly 0 or 1.  All features are logits, so they are penalised alike without being
standardised.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from turnsure.core.digest import seed_from
from turnsure.core.errors import InputError, LeakageError
from turnsure.core.outcome import Failure
from turnsure.numerics.logistic import fit_logistic, probability

if TYPE_CHECKING:
    from turnsure.numerics.logistic import Floats

NAME = "ensemble"

CLIP = 0.01
"""Base confidences nearer to 0 or 1 than this are taken as this near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The regression that scored one fold.

    Attributes
    ----------
    fold
        0 … folds − 1.
    intercept
        Log-odds of being right where every base confidence is ½.
    weights
        One a method, in the order of the columns.
    n_rows, n_dialogues
        What it was fitted on.
    """

    fold: int
    intercept: float
    weights: tuple[float, ...]
    n_rows: int
    n_dialogues: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossFitted:
    """Confidences of the ensemble.

    Attributes
    ----------
    confidence
        For each row a probability in (0, 1), or the failure in its place, of kind
        ``"missing_base"`` (a base confidence is missing), ``"one_class"`` (the other folds hold no
        right answer, or no wrong one, or nothing) or ``"not_converged"``.
    fold
        For each row the fold of its dialogue.
    fits
        The regressions, in the order of their folds; those that failed are missing.
    """

    confidence: tuple[float | Failure, ...]
    fold: tuple[int, ...]
    fits: tuple[Fit, ...]


def cross_fitted(
    base: Sequence[Sequence[float | None]],
    correct: Sequence[bool | None],
    dialogue: Sequence[str],
    *,
    folds: int = 5,
    seed: int = 0,
    penalty: float = 1.0,
) -> CrossFitted:
    """Combine base confidences without letting a dialogue judge itself.

    Parameters
    ----------
    base
        n rows of m confidences in [0, 1], None where a method failed.
    correct
        n outcomes, None where ungraded.  Ungraded rows are scored but not fitted on.
    dialogue
        n ids.
    folds
        2 or more.
    seed
        Of the folds.
    penalty
        λ of the ridge penalty, above 0.

    Returns
    -------
    CrossFitted
        The same for the same rows in any order.

    Raises
    ------
    InputError
        Lengths differ, a confidence is out of range, or a setting is.
    """
    _check(base, correct, dialogue, folds=folds, penalty=penalty)
    fold = tuple(fold_of(one, folds=folds, seed=seed) for one in dialogue)
    confidence: list[float | Failure] = [_missing(row) for row in base]
    fits: list[Fit] = []
    for held_out in range(folds):
        score = [i for i, one in enumerate(fold) if one == held_out and None not in base[i]]
        train = [
            i
            for i, one in enumerate(fold)
            if one != held_out and None not in base[i] and correct[i] is not None
        ]
        if not score:
            continue
        # In the order of their content, so that the order of the rows changes no rounding.
        train.sort(key=lambda i: (dialogue[i], _known(base[i]), bool(correct[i])))
        fitted_on = {dialogue[i] for i in train}
        require_disjoint(fitted_on, {dialogue[i] for i in score})
        weights = _fit([base[i] for i in train], [bool(correct[i]) for i in train], penalty)
        if isinstance(weights, Failure):
            for i in score:
                confidence[i] = weights
            continue
        for i, value in zip(
            score, probability(_logits([base[i] for i in score]), weights), strict=True
        ):
            confidence[i] = float(value)
        fits.append(
            Fit(
                fold=held_out,
                intercept=float(weights[0]),
                weights=tuple(float(one) for one in weights[1:]),
                n_rows=len(train),
                n_dialogues=len(fitted_on),
            )
        )
    return CrossFitted(confidence=tuple(confidence), fold=fold, fits=tuple(fits))


def fold_of(dialogue: str, *, folds: int, seed: int) -> int:
    """The fold of a dialogue, from its id and the seed alone."""
    return seed_from(NAME, seed, dialogue) % folds


def require_disjoint(fitted_on: Collection[str], scored: Collection[str]) -> None:
    """Raise a LeakageError when a dialogue is both fitted on and scored."""
    shared = sorted(set(fitted_on) & set(scored))
    if shared:
        raise LeakageError(
            f"{len(shared)} dialogues are both fitted on and scored, the first is {shared[0]!r}"
        )


def _check(
    base: Sequence[Sequence[float | None]],
    correct: Sequence[bool | None],
    dialogue: Sequence[str],
    *,
    folds: int,
    penalty: float,
) -> None:
    for name, column in (("correct", correct), ("dialogue", dialogue)):
        if len(column) != len(base):
            raise InputError(
                f"{name} has {len(column)} entries", field=name, expected=f"{len(base)}, as base"
            )
    if len({len(row) for row in base}) > 1 or any(not row for row in base):
        raise InputError("the rows differ in length", field="base", expected="n rows of m numbers")
    for place, row in enumerate(base):
        for value in row:
            if value is not None and not 0 <= value <= 1:
                raise InputError(
                    f"row {place} holds {value!r}", field="base", expected="[0, 1], or None"
                )
    if folds < 2:
        raise InputError(f"folds is {folds}", field="folds", expected="2 or more")
    if not 0 < penalty < math.inf:
        raise InputError(f"penalty is {penalty}", field="penalty", expected="above 0")


def _missing(row: Sequence[float | None]) -> Failure:
    n = sum(value is None for value in row)
    return _failure("missing_base", f"{n} of {len(row)} base confidences are missing")


def _failure(kind: str, message: str) -> Failure:
    return Failure(stage="confidence", kind=kind, message=message, method=NAME)


def _known(row: Sequence[float | None]) -> tuple[float, ...]:
    return tuple(value for value in row if value is not None)


def _logits(rows: Sequence[Sequence[float | None]]) -> Floats:
    """Shape (n, m); no value is missing."""
    import numpy as np

    clipped = np.clip(np.array([_known(row) for row in rows], dtype=np.float64), CLIP, 1 - CLIP)
    return np.log(clipped) - np.log1p(-clipped)


def _fit(
    rows: Sequence[Sequence[float | None]], correct: Sequence[bool], penalty: float
) -> Floats | Failure:
    import numpy as np

    if len(set(correct)) < 2:
        return _failure(
            "one_class",
            f"the other folds hold {sum(correct)} right and {len(correct) - sum(correct)} wrong "
            "answers, and both are needed",
        )
    weights = fit_logistic(_logits(rows), np.array(correct, dtype=np.float64), penalty=penalty)
    if weights is None:
        return _failure("not_converged", "the regression on the other folds did not converge")
    return weights
