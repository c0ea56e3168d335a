"""Whether a change is more than chance: the sign-flip test, and Holm's step for several tests."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.numerics.arrays import BoolArray, FloatArray
from turnsure.numerics.few_clusters import cluster_means
from turnsure.numerics.inputs import (
    Ids,
    Numbers,
    dialogue_codes,
    require_rows,
    scored_fractions,
    whole_number,
)
from turnsure.numerics.sign_flips import flip_signs

_MOST_DRAWS = 10_000_000
_DIFFERENCE = "a finite number, or None where it is missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignFlipTest:
    """What a sign-flip test found.

    Attributes
    ----------
    p_value
        Two-sided, in (0, 1].
    statistic
        Mean over dialogues of the dialogue's mean difference.
    n_dialogues
        Dialogues behind it, those without any change included.
    exact
        Whether all sign patterns were looked at.
    n_draws
        Patterns looked at: all 2^m for m dialogues with a change when ``exact``, else random ones.
    n_failed
        Differences left out because they are missing.
    """

    p_value: float
    statistic: float
    n_dialogues: int
    exact: bool
    n_draws: int
    n_failed: int


def sign_flip_test(
    differences: Numbers, dialogue: Ids, *, draws: int = 10_000, seed: int = 0
) -> SignFlipTest:
    """Two-sided permutation test of no change, which flips the sign of whole dialogues.

    If the two conditions do the same, each dialogue's mean difference is as likely with one sign as
    with the other.  The p-value is the share of sign patterns whose mean is at least as far from 0
    as the one found; means equal up to rounding count as equal.

    Parameters
    ----------
    differences
        After − before, a finite number a pair, shape (n,); None, NaN or masked where one is
        missing.
    dialogue
        Id of the pair's dialogue, shape (n,).
    draws
        From 1 to 10,000,000.  All patterns are enumerated when they are no more than this;
        otherwise this many are drawn, and p = (b + 1) / (draws + 1) with b of them as extreme.
    seed
        Of the draws.

    Returns
    -------
    A dialogue whose mean difference is 0 counts in the mean; flipping it changes nothing, so it is
    not among the m dialogues whose 2^m patterns are enumerated, which leaves p as it is.  If no
    dialogue changes, p is 1.

    Raises
    ------
    InputError
        For columns of different lengths and for values that are no finite number.
    UndefinedMetricError
        When every difference is missing.

    References
    ----------
    Fisher: The Design of Experiments (1935), section 21.  The 1 added to draws: Phipson, Smyth:
    Permutation p-values should never be zero. Statistical Applications in Genetics and Molecular
    Biology 9 (2010).
    """
    n_draws = whole_number(draws, "draws", minimum=1, maximum=_MOST_DRAWS)
    whole_number(seed, "seed", minimum=0)
    values, there = _differences(differences)
    codes, _ = dialogue_codes(dialogue, len(values), "differences")
    if not there.any():
        raise UndefinedMetricError(f"none of the {len(values)} rows has a difference")
    _, codes = np.unique(codes[there], return_inverse=True)
    means = cluster_means(codes, values[there])
    flips = flip_signs(means, draws=n_draws, seed=seed)
    # Random patterns join the one that was found, which is as likely as any of them.
    own = 0 if flips.exact else 1
    return SignFlipTest(
        p_value=(flips.n_reaching + own) / (flips.n_patterns + own),
        statistic=float(means.mean()),
        n_dialogues=len(means),
        exact=flips.exact,
        n_draws=flips.n_patterns,
        n_failed=int(np.count_nonzero(~there)),
    )


def holm(p_values: Numbers) -> tuple[float | None, ...]:
    """Holm's adjusted p-values: comparing each with α keeps the chance of any false alarm under α.

    Of m p-values the i-th smallest becomes the largest of (m − j + 1) p₍ⱼ₎ over j ≤ i, at most 1.

    Parameters
    ----------
    p_values
        In [0, 1], shape (m,); None, NaN or masked where a test has no p-value.  Such a test does
        not count in m.

    Returns
    -------
    One a test, in the order given; None where there was none.

    Raises
    ------
    InputError
        For values out of range.

    References
    ----------
    Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6 (1979).
    """
    try:
        kept, given = scored_fractions(p_values, "p_values")
    except UndefinedMetricError:
        return (None,) * len(np.asarray(p_values))
    order = np.argsort(given, kind="stable")
    adjusted = np.empty(kept.n)
    stepped = np.maximum.accumulate(given[order] * np.arange(kept.n, 0, -1))
    adjusted[order] = np.minimum(stepped, 1.0)
    values = iter(adjusted.tolist())
    there = np.ones(kept.n, dtype=np.bool_) if kept.mask is None else kept.mask
    return tuple(next(values) if is_there else None for is_there in there.tolist())


def _differences(values: Numbers) -> tuple[FloatArray, BoolArray]:
    """A column of finite numbers of any sign, and which are there."""
    given: npt.NDArray[Any] = np.asanyarray(values, dtype=object)
    if given.ndim != 1:
        problem = f"it has {given.ndim} dimensions"
        raise InputError(problem, field="differences", expected=f"a column, each {_DIFFERENCE}")
    items: list[Any] = given.tolist()  # of a masked array: None where it is masked
    for row, item in enumerate(items):
        if not (item is None or isinstance(item, numbers.Real)):
            raise InputError(f"row {row} is {item!r}", field="differences", expected=_DIFFERENCE)
    column = np.array([math.nan if item is None else item for item in items], dtype=np.float64)
    there = ~np.isnan(column)
    require_rows(~np.isinf(column), column, "differences", _DIFFERENCE)
    return column, there
