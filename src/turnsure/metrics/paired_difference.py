"""How much a metric differs between two conditions at the same turns."""

from __future__ import annotations

from typing import get_args

from turnsure.core.results import MetricResult
from turnsure.metrics.information_level import Binning
from turnsure.metrics.paired import PAIRED_INTERVAL
from turnsure.metrics.paired_metrics import COMPARISONS, PairedMetric
from turnsure.metrics.pairing import Columns, pair_turns
from turnsure.numerics.binning import MAX_BINS
from turnsure.numerics.few_clusters import expanded_interval
from turnsure.numerics.inputs import choice, clusters_of, whole_number


def paired_metric_difference(
    metric: PairedMetric,
    left: Columns,
    right: Columns,
    *,
    bins: int = 10,
    binning: Binning = "width",
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """A metric under the right condition minus the same metric under the left one.

    Only turns that both conditions scored count, so that the two values are about the same turns of
    the same dialogues; every resample draws the same dialogues for both.

    Parameters
    ----------
    metric
        Name of the metric; it is computed as by the function of that name, so a mean over turns
        weighs turns the same, not dialogues as :func:`turnsure.metrics.paired_change` does.
    left, right
        Columns of either condition, for example :class:`turnsure.core.turns.TurnColumns`; the rows
        may come in any order.
    bins, binning
        Of ``"info_ece"`` and ``"ece"``; the bins of the full data hold in every resample.
    resamples, seed, level
        Of the bootstrap over dialogues.

    Returns
    -------
    The details ``left`` and ``right`` are the two values, which differ by the value exactly.
    ``n_failed`` counts the turns left out: those that only one side has (``n_one_side``) and those
    that lack a confidence or an outcome that the metric needs on either side (``n_unscored``).  For
    Kendall's τ ``n_left_out`` are the dialogues with fewer than two paired turns.  The interval is
    the percentile interval, expanded for few dialogues, of the resamples that have a value on both
    sides; None with a single dialogue.

    Raises
    ------
    InputError
        For an unknown metric and for what :func:`turnsure.metrics.pairing.pair_turns` refuses.
    UndefinedMetricError
        When no turn is scored on both sides, or a side has no value.

    Notes
    -----
    Means of absolute values (InfoECE, ECE, smooth ECE) are too large in small samples, most where
    calibration is good.  The errors of the sides cancel only if both are about as well calibrated;
    if one alone is, the difference is too close to 0, and its interval nearer to 0 still.
    """
    choice(metric, "metric", get_args(PairedMetric))
    choice(binning, "binning", get_args(Binning))
    n_bins = whole_number(bins, "bins", minimum=1, maximum=MAX_BINS)
    needs, compare = COMPARISONS[metric]
    pairs = pair_turns(left, right, needs)
    compared = compare(pairs, n_bins, binning)
    clusters = clusters_of(compared.dialogue, resamples=resamples, seed=seed, level=level)
    interval = None
    if clusters.n > 1:
        interval = expanded_interval(compared.resampled(clusters), clusters.n, clusters.level)
    one, other = compared.left, compared.right
    left_out = {key: other.details[key] for key in ("n_left_out",) if key in other.details}
    return MetricResult(
        name=f"{metric}_difference",
        value=other.value - one.value,
        interval=interval,
        n_turns=other.n_turns,
        n_dialogues=clusters.n,
        n_failed=pairs.n_one_side + pairs.n_unscored,
        direction=other.direction,
        definition={
            **other.definition,
            "difference": "right - left, at the turns that both scored",
            "interval": PAIRED_INTERVAL,
        },
        details={
            "left": one.value,
            "right": other.value,
            "n_one_side": pairs.n_one_side,
            "n_unscored": pairs.n_unscored,
            **left_out,
        },
    )
