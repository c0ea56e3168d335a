"""How far results move when one thing of the protocol changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from turnsure import metrics
from turnsure.core.question_controls import Flip, ProtocolEffects, VariantRow
from turnsure.core.results import MetricResult
from turnsure.core.spec import RunSpec
from turnsure.core.tested import Found
from turnsure.core.turns import TurnsTable
from turnsure.experiment.effects.pairing import boot, defined, is_above_zero, is_below_zero
from turnsure.metrics.paired_metrics import PairedMetric

METRICS: Sequence[PairedMetric] = ("info_ece", "kendall_tau", "auroc")
_LOWER_IS_BETTER = frozenset({"info_ece"})


def protocol_effects(
    plain: TurnsTable,
    variants: Mapping[str, TurnsTable],
    spec: RunSpec,
    digests: Mapping[str, str],
) -> ProtocolEffects:
    """Compare the run with its variants, metric by metric and pair by pair of methods.

    Parameters
    ----------
    plain
        The run's rows.
    variants
        The rows of each variant, of the methods that it changes.
    spec
        Sets bins, resamples and seed.
    digests
        Protocol digest of each variant.
    """
    base = {method: plain.select(target="answer", method=method) for method in plain.methods}
    rows: list[VariantRow] = []
    flips: list[Flip] = []
    n_pairs = 0
    for name, table in variants.items():
        changed = {method: table.select(method=method) for method in table.methods}
        rows += [
            VariantRow(
                variant=name,
                method=method,
                differences={
                    metric: _difference(metric, base[method], other, spec) for metric in METRICS
                },
            )
            for method, other in changed.items()
        ]
        # A method that the variant leaves alone has the same scores under both protocols.
        after = {**base, **changed}
        for metric in METRICS:
            for pair in combinations(base, 2):
                n_pairs += 1
                flip = _flip(metric, name, pair, base, after, spec)
                if flip is not None:
                    flips.append(flip)
    return ProtocolEffects(protocols=digests, rows=tuple(rows), flips=tuple(flips), n_pairs=n_pairs)


def _difference(metric: PairedMetric, left: TurnsTable, right: TurnsTable, spec: RunSpec) -> Found:
    return defined(
        metric,
        lambda: metrics.paired_metric_difference(
            metric, left.columns(), right.columns(), bins=spec.bins, **boot(spec)
        ),
    )


def _flip(
    metric: PairedMetric,
    variant: str,
    pair: tuple[str, str],
    base: Mapping[str, TurnsTable],
    after: Mapping[str, TurnsTable],
    spec: RunSpec,
) -> Flip | None:
    one, other = pair
    before = _difference(metric, base[one], base[other], spec)
    now = _difference(metric, after[one], after[other], spec)
    if not (isinstance(before, MetricResult) and isinstance(now, MetricResult)):
        return None
    if before.value * now.value >= 0.0:
        return None
    first_is_better = (before.value > 0.0) == (metric in _LOWER_IS_BETTER)
    better, worse = pair if first_is_better else (other, one)
    return Flip(
        metric=metric,
        variant=variant,
        better=better,
        worse=worse,
        beyond_chance=(is_above_zero(before) and is_below_zero(now))
        or (is_below_zero(before) and is_above_zero(now)),
        n_turns=now.n_turns,
    )
