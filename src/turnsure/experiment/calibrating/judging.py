"""Held-out probabilities against outcomes: metrics, intervals, and differences to the raw score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from turnsure import metrics
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.errors import UndefinedMetricError
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.tested import Found, TestedChange
from turnsure.metrics.calibration_error import calibration_error, weighted_smooth_ece
from turnsure.metrics.paired import PAIRED_INTERVAL, resampled_mean
from turnsure.metrics.ranking import weighted_auroc
from turnsure.numerics.arrays import FloatArray
from turnsure.numerics.binning import equal_width_bins
from turnsure.numerics.few_clusters import expanded_interval
from turnsure.numerics.inputs import clusters_of
from turnsure.numerics.ranks import tie_groups
from turnsure.numerics.resampling import Clusters, percentile_interval, resampled_sums

LEVEL = 0.95
TESTED = "log_loss"
"""The metric that maps are chosen by, and that has a test beside its interval."""

_DRAWN_IN_ALL = 1 << 24
_MOST_SMOOTH = 200
"""Resamples of smooth ECE, each of which takes a search with several Fourier transforms."""

_FLIPPED_IN_ALL = 20_000_000
_MOST_FLIPS = 10_000
_LEAST_FLIPS = 499


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """Everything that all maps of a comparison share.

    Attributes
    ----------
    rows
        With the outcomes.
    clusters
        Their dialogues, for the bootstrap.
    bins
        Of ECE, of equal width.
    clip
        Of log loss.
    seed
        Of the sign-flip test.
    """

    rows: LabelledScores
    clusters: Clusters
    bins: int
    clip: float
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Probabilities with what they are worth.

    Attributes
    ----------
    probability
        Shape (n,).
    metrics
        By name.
    resampled
        Each metric in every resample in which there are both classes, where the metric needs them;
        the same resamples for all probabilities of one :class:`Judging`.  Empty for one dialogue.
    """

    probability: FloatArray
    metrics: Mapping[str, Found]
    resampled: Mapping[str, FloatArray]


def judging(rows: LabelledScores, *, resamples: int, seed: int, bins: int, clip: float) -> Judging:
    """Settings with as many resamples as many dialogues allow.

    No more than about 17 million dialogues are drawn in all: intervals of very many dialogues are
    narrow, and a few hundred resamples show how narrow.
    """
    most = max(_DRAWN_IN_ALL // len(rows.groups), 1)
    clusters = clusters_of(rows.group, resamples=resamples, seed=seed, level=LEVEL)
    clusters = replace(clusters, resamples=min(clusters.resamples, most))
    return Judging(rows=rows, clusters=clusters, bins=bins, clip=clip, seed=seed)


def log_losses(probability: FloatArray, judge: Judging) -> FloatArray:
    """Log loss of each row, clipped as :func:`turnsure.metrics.log_loss` says."""
    given = np.where(judge.rows.correct, probability, 1.0 - probability)
    return 0.0 - np.log(np.clip(given, judge.clip, 1.0 - judge.clip))


def judged(probability: FloatArray, judge: Judging) -> Judged:
    """All metrics of held-out probabilities, shape (n,), with intervals over dialogues."""
    found: dict[str, Found] = {}
    resampled: dict[str, FloatArray] = {}
    for name, (compute, resample) in _METRICS.items():
        try:
            result = compute(probability, judge)
        except UndefinedMetricError as error:
            found[name] = Undefined(name=name, reason=str(error), n_turns=len(judge.rows))
            continue
        interval = None
        if judge.clusters.n > 1:
            resampled[name] = resample(probability, judge)
            interval = percentile_interval(resampled[name], LEVEL)
        found[name] = replace(result, interval=interval, n_dialogues=judge.clusters.n)
    return Judged(probability=probability, metrics=found, resampled=resampled)


def differences(raw: Judged, other: Judged, judge: Judging) -> dict[str, TestedChange]:
    """Each metric of ``other`` minus that of ``raw``, at the same rows and resamples."""
    return {name: _difference(name, raw, other, judge) for name in _METRICS}


def _difference(name: str, raw: Judged, other: Judged, judge: Judging) -> TestedChange:
    before, after = raw.metrics[name], other.metrics[name]
    if isinstance(before, Undefined) or isinstance(after, Undefined):
        missing = before if isinstance(before, Undefined) else after
        return TestedChange(change=replace(missing, name=f"{name}_difference"))
    interval = None
    if name in raw.resampled:
        values = other.resampled[name] - raw.resampled[name]
        interval = expanded_interval(values, judge.clusters.n, LEVEL)
    change = MetricResult(
        name=f"{name}_difference",
        value=after.value - before.value,
        interval=interval,
        n_turns=after.n_turns,
        n_dialogues=judge.clusters.n,
        direction=after.direction,
        definition={
            **after.definition,
            "difference": "map - raw score, at the same rows",
            "interval": PAIRED_INTERVAL,
        },
        details={"raw": before.value, "map": after.value},
    )
    if name != TESTED:
        return TestedChange(change=change)
    test = metrics.sign_flip_test(
        log_losses(other.probability, judge) - log_losses(raw.probability, judge),
        judge.rows.group,
        draws=min(max(_FLIPPED_IN_ALL // judge.clusters.n, _LEAST_FLIPS), _MOST_FLIPS),
        seed=judge.seed,
    )
    return TestedChange(change=change, p_value=test.p_value, p_holm=test.p_value, exact=test.exact)


def _squares(probability: FloatArray, judge: Judging) -> FloatArray:
    return np.square(probability - judge.rows.correct)


def _mean_of(
    of_rows: Callable[[FloatArray, Judging], FloatArray], probability: FloatArray, judge: Judging
) -> FloatArray:
    return resampled_mean(judge.clusters, of_rows(probability, judge))


def _resampled_ece(probability: FloatArray, judge: Judging) -> FloatArray:
    bins = equal_width_bins(probability, judge.bins)
    columns = [probability, judge.rows.correct.astype(np.float64)]
    blocks = resampled_sums(judge.clusters, bins, columns)
    return np.concatenate([calibration_error(sums, norm="l1", debias=False) for sums in blocks])


def _resampled_smooth_ece(probability: FloatArray, judge: Judging) -> FloatArray:
    """For the first of the resamples."""
    errors = weighted_smooth_ece(probability, judge.rows.correct)
    found: list[float] = []
    for weights in judge.clusters.row_weights(np.arange(len(probability))):
        found += errors(weights[: _MOST_SMOOTH - len(found)]).tolist()
        if len(found) == _MOST_SMOOTH:
            break
    return np.array(found)


def _resampled_auroc(probability: FloatArray, judge: Judging) -> FloatArray:
    groups = tie_groups(probability)
    right = judge.rows.correct[groups.order]
    areas: list[FloatArray] = []
    for weights in judge.clusters.row_weights(groups.order):
        area, defined = weighted_auroc(weights, right, groups.starts)
        areas.append(area[defined])
    return np.concatenate(areas)


_Compute = Callable[[FloatArray, Judging], MetricResult]
_Resample = Callable[[FloatArray, Judging], FloatArray]

_METRICS: Mapping[str, tuple[_Compute, _Resample]] = {
    "log_loss": (
        lambda probability, judge: metrics.log_loss(probability, judge.rows.correct, judge.clip),
        partial(_mean_of, log_losses),
    ),
    "brier": (
        lambda probability, judge: metrics.brier(probability, judge.rows.correct),
        partial(_mean_of, _squares),
    ),
    "ece": (
        lambda probability, judge: metrics.ece(probability, judge.rows.correct, judge.bins),
        _resampled_ece,
    ),
    "smooth_ece": (
        lambda probability, judge: metrics.smooth_ece(probability, judge.rows.correct),
        _resampled_smooth_ece,
    ),
    "auroc": (
        lambda probability, judge: metrics.auroc(probability, judge.rows.correct),
        _resampled_auroc,
    ),
}
