"""Agreement of two raters: raw, and Cohen's kappa."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from turnsure.core.errors import UndefinedMetricError
from turnsure.core.results import Interval, MetricResult
from turnsure.metrics.rates import wilson
from turnsure.numerics.arrays import FloatArray, IntArray
from turnsure.numerics.few_clusters import expanded_interval
from turnsure.numerics.inputs import Ids, clusters_of, dialogue_codes, require_length
from turnsure.numerics.resampling import Clusters, resampled_sums

_ROUNDING = 1e-12
"""Relative spread of resamples that sums in another order bring about by themselves."""

Labels = Sequence[str | None]
"""One label a row; None where a rater gave none."""


def raw_agreement(
    left: Labels,
    right: Labels,
    *,
    cluster: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Share of rows with the same label.

    Parameters
    ----------
    left, right
        Shape (n,).  A row without either label is left out and counted.
    cluster
        What rows belong to, such as the scenario, shape (n,); None where each stands for itself.
    resamples, seed, level
        Of the bootstrap over clusters.

    Returns
    -------
    With Wilson's interval where no two rows share a cluster, else that of the bootstrap over
    clusters; None where the latter shows no spread.

    Raises
    ------
    InputError
        For columns of different lengths.
    UndefinedMetricError
        No row has both labels.
    """
    pairs, clusters, n_failed = _pairs(left, right, cluster, resamples, seed, level)
    same = np.array([one == other for one, other in pairs], dtype=np.float64)
    n_same = int(same.sum())
    if clusters.n == len(pairs):
        interval = wilson(n_same, len(pairs), level)
    else:
        interval = spread_interval(
            clusters,
            np.zeros(len(pairs), dtype=np.intp),
            [same],
            lambda sums: sums[:, 1, 0] / sums[:, 0, 0],
        )
    return MetricResult(
        name="raw_agreement",
        value=n_same / len(pairs),
        interval=interval,
        n_turns=len(pairs),
        n_dialogues=clusters.n,
        n_failed=n_failed,
        direction="higher",
        details={"n_same": n_same},
    )


def cohen_kappa(
    left: Labels,
    right: Labels,
    *,
    cluster: Ids | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Cohen's kappa: (p₀ − pₑ) / (1 − pₑ).

    p₀ is the share of rows with the same label, pₑ the share to be expected if both raters kept
    their habits but drew their labels independently.  The value is computed in whole numbers and
    rounded once.

    Parameters
    ----------
    left, right, cluster, resamples, seed, level
        As for :func:`raw_agreement`.

    Returns
    -------
    In [−1, 1].  The interval is the percentile one, expanded for few clusters, of the resamples in
    which kappa exists; None with a single cluster and where they show no spread, as after perfect
    agreement.

    Raises
    ------
    InputError
        For columns of different lengths.
    UndefinedMetricError
        No row has both labels, or both raters give one and the same label throughout.

    References
    ----------
    Cohen: A coefficient of agreement for nominal scales. Educational and Psychological Measurement
    20 (1960).
    """
    pairs, clusters, n_failed = _pairs(left, right, cluster, resamples, seed, level)
    n = len(pairs)
    n_same = sum(one == other for one, other in pairs)
    ours, theirs = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    by_chance = sum(count * theirs[label] for label, count in ours.items())
    if by_chance == n * n:
        raise UndefinedMetricError(
            f"both raters say {pairs[0][0]!r} in all {n} rows, so agreement beyond chance has no "
            "meaning"
        )
    labels = sorted({*ours, *theirs})
    place = {label: code for code, label in enumerate(labels)}
    codes = np.array([[place[one], place[other]] for one, other in pairs], dtype=np.intp)
    cells = codes[:, 0] * len(labels) + codes[:, 1]
    occupied = np.unique(cells)
    rows, columns = occupied // len(labels), occupied % len(labels)

    def kappas(sums: FloatArray) -> FloatArray:
        return _kappas(sums[:, 0], rows, columns, len(labels))

    return MetricResult(
        name="cohen_kappa",
        value=(n * n_same - by_chance) / (n * n - by_chance),
        interval=spread_interval(clusters, cells, [], kappas),
        n_turns=n,
        n_dialogues=clusters.n,
        n_failed=n_failed,
        direction="higher",
        definition={"weights": "none"},
        details={
            "observed": n_same / n,
            "expected": by_chance / (n * n),
            "n_labels": len(labels),
        },
    )


def spread_interval(
    clusters: Clusters,
    bins: IntArray,
    columns: Sequence[FloatArray],
    statistic: Callable[[FloatArray], FloatArray],
) -> Interval | None:
    """Interval of a statistic of :func:`~turnsure.numerics.resampling.resampled_sums`.

    The percentile interval, expanded for few clusters, of the resamples in which the statistic has
    a value.  None with a single cluster, and where all resamples bring the same value: that is no
    evidence of certainty.
    """
    if clusters.n < 2:
        return None
    values = np.concatenate([statistic(sums) for sums in resampled_sums(clusters, bins, columns)])
    if not values.size or bool(np.ptp(values) <= _ROUNDING * np.abs(values).max()):
        return None
    return expanded_interval(values, clusters.n, clusters.level)


def _kappas(counts: FloatArray, rows: IntArray, columns: IntArray, n_labels: int) -> FloatArray:
    """Kappa of each resample, shape (r,), from its rows by cell, shape (r, n_occupied)."""
    ours = np.zeros((len(counts), n_labels))
    theirs = np.zeros((len(counts), n_labels))
    for cell, (row, column) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        ours[:, row] += counts[:, cell]
        theirs[:, column] += counts[:, cell]
    n = counts.sum(axis=1)
    same = counts[:, rows == columns].sum(axis=1)
    by_chance = (ours * theirs).sum(axis=1)
    defined = by_chance < n * n
    return (n * same - by_chance)[defined] / (n * n - by_chance)[defined]


def _pairs(
    left: Labels,
    right: Labels,
    cluster: Ids | None,
    resamples: int,
    seed: int,
    level: float,
) -> tuple[list[tuple[str, str]], Clusters, int]:
    """The rows with both labels, what they belong to, and how many rows lack one."""
    require_length(len(right), "right", len(left), "left")
    codes = np.arange(len(left))
    if cluster is not None:
        codes, _ = dialogue_codes(cluster, len(left), "left")
    pairs: list[tuple[str, str]] = []
    kept: list[int] = []
    for place, (one, other) in enumerate(zip(left, right, strict=True)):
        if one is not None and other is not None:
            pairs.append((one, other))
            kept.append(place)
    if not pairs:
        raise UndefinedMetricError(f"none of the {len(left)} rows has a label of both raters")
    clusters = clusters_of(codes[kept], resamples=resamples, seed=seed, level=level)
    return pairs, clusters, len(left) - len(pairs)
