"""How much a condition changes a confidence, or an outcome, at the same turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from turnsure.core.errors import UndefinedMetricError
from turnsure.core.results import Detail, Direction, MetricResult
from turnsure.metrics.results import turn_result
from turnsure.numerics.arrays import FloatArray
from turnsure.numerics.few_clusters import cluster_means, expanded_interval
from turnsure.numerics.inputs import (
    Ids,
    Kept,
    Numbers,
    clusters_of,
    dialogue_codes,
    require_length,
    scored_fractions,
)
from turnsure.numerics.resampling import Clusters, resampled_sums

PAIRED_INTERVAL = "percentile, expanded for few dialogues"
"""How the intervals of paired comparisons are made; see :mod:`turnsure.numerics.few_clusters`."""


def paired_change(
    before: Numbers,
    after: Numbers,
    dialogue: Ids,
    *,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Mean change from ``before`` to ``after``, the rows being pairs of the same turn.

    The mean over dialogues of the dialogue's mean difference: dialogues weigh the same however many
    turns they have, as in Kendall's τ and in :func:`turnsure.metrics.sign_flip_test`.

    Parameters
    ----------
    before, after
        In [0, 1], confidences or outcomes 0 and 1, shape (n,); None, NaN or masked where one is
        missing.  A pair with a missing half is left out and counted in ``n_failed``.
    dialogue
        Id of the pair's dialogue, shape (n,).
    resamples, seed, level
        Of the bootstrap over dialogues.

    Returns
    -------
    ``n_turns`` is the number of pairs.  The details ``mean_before`` and ``mean_after`` weigh alike
    and differ by the value exactly.  The interval is the percentile interval of the resampled mean,
    expanded for few dialogues; None with a single dialogue.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no pair is complete.
    """
    means = _dialogue_means(
        {"before": before, "after": after}, dialogue, resamples=resamples, seed=seed, level=level
    )
    mean_before, mean_after = means.mean("before"), means.mean("after")
    return means.result(
        "paired_change",
        mean_after - mean_before,
        between=("before", "after"),
        direction="none",
        details={"mean_before": mean_before, "mean_after": mean_after},
    )


def paired_separation(
    before: Numbers,
    after_information: Numbers,
    after_placebo: Numbers,
    dialogue: Ids,
    *,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Change on information minus change on a placebo, at the turns that have all three values.

    Both changes start from the same ``before``, so it cancels: the separation is the mean
    difference ``after_information − after_placebo``, and the start decides only which turns count.
    Dialogues weigh the same, as in :func:`paired_change`.

    Parameters
    ----------
    before, after_information, after_placebo
        In [0, 1], shape (n,); None, NaN or masked where one is missing.  A turn that lacks one of
        the three is left out and counted in ``n_failed``.
    dialogue, resamples, seed, level
        As for :func:`paired_change`.

    Returns
    -------
    The details ``change_on_information`` and ``change_on_placebo`` differ by the value exactly.
    For a p-value give ``after_information − after_placebo`` of the same turns to
    :func:`turnsure.metrics.sign_flip_test`.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no turn has all three.
    """
    columns = {
        "before": before,
        "after_information": after_information,
        "after_placebo": after_placebo,
    }
    means = _dialogue_means(columns, dialogue, resamples=resamples, seed=seed, level=level)
    start = means.mean("before")
    on_information = means.mean("after_information") - start
    on_placebo = means.mean("after_placebo") - start
    return means.result(
        "paired_separation",
        on_information - on_placebo,
        between=("after_placebo", "after_information"),
        direction="higher",
        details={
            "change_on_information": on_information,
            "change_on_placebo": on_placebo,
            "mean_before": start,
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _DialogueMeans:
    """Each column's mean within every dialogue, over the rows where no column lacks a value."""

    kept: Kept
    clusters: Clusters
    by_column: Mapping[str, FloatArray]

    def mean(self, column: str) -> float:
        return float(self.by_column[column].mean())

    def result(
        self,
        name: str,
        value: float,
        *,
        between: tuple[str, str],
        direction: Direction,
        details: Mapping[str, Detail],
    ) -> MetricResult:
        """A mean difference from the first to the second column, with its interval."""
        start, end = between
        resampled = resampled_mean(self.clusters, self.by_column[end] - self.by_column[start])
        return turn_result(
            name,
            value,
            kept=self.kept,
            clusters=self.clusters,
            interval=expanded_interval(resampled, self.clusters.n, self.clusters.level),
            direction=direction,
            definition={"average": "dialogues weigh the same", "interval": PAIRED_INTERVAL},
            details=details,
        )


def resampled_mean(clusters: Clusters, values: FloatArray) -> FloatArray:
    """Mean of a column of values in every resample, shape (resamples,)."""
    in_one_bin = np.zeros(len(values), dtype=np.intp)
    sums = np.concatenate(list(resampled_sums(clusters, in_one_bin, [values])))
    return sums[:, 1, 0] / sums[:, 0, 0]


def _dialogue_means(
    columns: Mapping[str, Numbers], dialogue: Ids, *, resamples: int, seed: int, level: float
) -> _DialogueMeans:
    read = {field: scored_fractions(values, field) for field, values in columns.items()}
    first, n_given = next((field, kept.n_given) for field, (kept, _) in read.items())
    complete = np.ones(n_given, dtype=np.bool_)
    for field, (kept, _) in read.items():
        require_length(kept.n_given, field, n_given, first)
        if kept.mask is not None:
            complete &= kept.mask
    codes, _ = dialogue_codes(dialogue, n_given, first)
    n = int(np.count_nonzero(complete))
    if not n:
        names = ", ".join(repr(field) for field in columns)
        raise UndefinedMetricError(f"none of the {n_given} rows has a value in each of {names}")

    _, codes = np.unique(codes[complete], return_inverse=True)
    by_column = {
        field: cluster_means(codes, values[kept.pick(complete)])
        for field, (kept, values) in read.items()
    }
    n_dialogues = int(codes.max()) + 1
    return _DialogueMeans(
        kept=Kept(n, n_given - n, complete),
        clusters=clusters_of(np.arange(n_dialogues), resamples=resamples, seed=seed, level=level),
        by_column=by_column,
    )
