"""How a chosen threshold moves when dialogues are drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from turnsure.calibration.thresholds.steps import Counts, Selector, Steps, places
from turnsure.core.chosen import ThresholdStability
from turnsure.core.errors import InputError
from turnsure.numerics.arrays import FloatArray, IntArray
from turnsure.numerics.inputs import coverage, whole_number
from turnsure.numerics.resampling import Clusters, percentile_interval, resampled_sums

MOST_THRESHOLDS = 256
_BLOCK_NUMBERS = 1 << 20


def threshold_stability(
    steps: Steps,
    thresholds: FloatArray,
    select: Selector,
    *,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> ThresholdStability:
    """The cluster bootstrap of a threshold: whole dialogues are drawn with replacement.

    Parameters
    ----------
    steps
        Of the units.
    thresholds
        The candidates, falling, at most 256: see :func:`thinned`.
    select
        The rule, made for these candidates.
    resamples, seed, level
        Of the bootstrap.
    """
    resamples = whole_number(resamples, "resamples", minimum=1)
    seed = whole_number(seed, "seed", minimum=0)
    level = coverage(level)
    if len(thresholds) > MOST_THRESHOLDS:
        raise InputError(
            f"there are {len(thresholds)}",
            field="thresholds",
            expected=f"at most {MOST_THRESHOLDS}",
        )
    place = places(steps.threshold, thresholds)
    samples = (
        _samples_of_single_rows(steps, place, len(thresholds), resamples, seed)
        if steps.n_clusters == steps.n_units == len(place)
        else _samples(steps, place, len(thresholds), resamples, seed, level)
    )
    chosen = np.concatenate([select(counts) for counts in samples])
    values = thresholds[chosen[chosen >= 0]]
    return ThresholdStability(
        n_resamples=resamples,
        n_none=int(np.count_nonzero(chosen < 0)),
        interval=percentile_interval(values, level),
        median=float(np.median(values)) if len(values) else None,
        distribution=_distribution(values),
    )


def _distribution(values: FloatArray) -> tuple[tuple[float, int], ...]:
    found, n = np.unique(values, return_counts=True)
    return tuple(zip(found.tolist(), n.tolist(), strict=True))


def _samples(
    steps: Steps, place: IntArray, m: int, resamples: int, seed: int, level: float
) -> Iterator[Counts]:
    codes = steps.cluster[steps.unit]
    clusters = Clusters(
        codes=codes, n=steps.n_clusters, resamples=resamples, seed=seed, level=level
    )
    columns = [
        column.astype(np.float64) for column in (steps.answered, steps.wrong, steps.ever_wrong)
    ]
    occupied = np.unique(place)
    for sums in resampled_sums(clusters, place, columns):
        # Steps below the lowest threshold stand in a place of their own, m, and count in n alone.
        full = np.zeros((3, len(sums), m + 1), dtype=np.int64)
        full[:, :, occupied] = np.rint(sums[:, 1:]).astype(np.int64).transpose(1, 0, 2)
        yield _counts(full)


def _samples_of_single_rows(
    steps: Steps, place: IntArray, m: int, resamples: int, seed: int
) -> Iterator[Counts]:
    """The same where every unit has one step and is a dialogue of its own.

    Such a resample is a multinomial draw of (threshold, right or wrong), whatever the number of
    units.
    """
    random = np.random.default_rng(seed)
    cells = np.bincount(2 * place + steps.wrong, minlength=2 * (m + 1))
    step = max(1, _BLOCK_NUMBERS // len(cells))
    for start in range(0, resamples, step):
        drawn = random.multinomial(
            steps.n_units, cells / steps.n_units, size=min(step, resamples - start)
        ).reshape(-1, m + 1, 2)
        yield _counts(np.stack((drawn.sum(axis=2), drawn[:, :, 1], drawn[:, :, 1])))


def _counts(changes: IntArray) -> Counts:
    """Running counts from changes at every threshold and below the last, shape (3, r, m + 1)."""
    sums = np.cumsum(changes, axis=2)
    answered, wrong, ever_wrong = sums[:, :, :-1]
    return Counts(answered=answered, wrong=wrong, ever_wrong=ever_wrong, n=sums[0, :, -1])


def thinned(thresholds: FloatArray, keep: Sequence[float]) -> FloatArray:
    """At most 256 of falling thresholds, at equal steps of their number.

    The ends and those to ``keep``, which must be among them and few, stay.
    """
    if len(thresholds) <= MOST_THRESHOLDS:
        return thresholds
    n = MOST_THRESHOLDS - len(keep)
    some = np.rint(np.linspace(0, len(thresholds) - 1, n)).astype(np.intp)
    return np.unique(np.concatenate((thresholds[some], keep)))[::-1]
