"""How far results move when one thing of the protocol changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from turnsure import metrics
from turnsure.core.confidence import Confidence
from turnsure.core.question_controls import Flip, ProtocolEffects, VariantRow
from turnsure.core.results import MetricResult
from turnsure.core.spec import RunSpec
from turnsure.core.tested import Found, clear_sign
from turnsure.core.turns import TurnsTable
from turnsure.experiment.controls.protocols import LEFT_OUT
from turnsure.experiment.effects.pairing import boot, defined
from turnsure.metrics.paired_metrics import PairedMetric

METRICS: Sequence[PairedMetric] = ("info_ece", "kendall_tau", "auroc")

Tables = Mapping[str, TurnsTable]
"""Rows for the own answer, by method."""


def protocol_effects(
    plain: TurnsTable,
    variants: Tables,
    spec: RunSpec,
    definition: Mapping[str, str],
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
    definition
        The control's own words; they name the variants that were left out.
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
        for pair in combinations(base, 2):
            if changed.keys().isdisjoint(pair):
                continue
            before_pair, after_pair = _on_common_turns(pair, base, after)
            for metric in METRICS:
                before = _difference(metric, *before_pair, spec)
                now = _difference(metric, *after_pair, spec)
                if isinstance(before, MetricResult) and isinstance(now, MetricResult):
                    n_pairs += 1
                    flips += _flips(metric, name, pair, before, now)
    return ProtocolEffects(
        protocols=digests,
        left_out={
            name.removeprefix(LEFT_OUT): reason
            for name, reason in definition.items()
            if name.startswith(LEFT_OUT)
        },
        rows=tuple(rows),
        flips=tuple(flips),
        n_pairs=n_pairs,
    )


def _on_common_turns(
    pair: tuple[str, str], base: Tables, after: Tables
) -> tuple[tuple[TurnsTable, TurnsTable], tuple[TurnsTable, TurnsTable]]:
    """Both methods under both protocols, on the turns that all four scored.

    Otherwise turns that fail under one protocol alone could turn the order around.
    """
    one, other = pair
    tables = (base[one], base[other], after[one], after[other])
    common = _scored(tables[0])
    for table in tables[1:]:
        common &= _scored(table)
    kept = [table.where(lambda row: (row.dialogue, row.turn) in common) for table in tables]
    return (kept[0], kept[1]), (kept[2], kept[3])


def _scored(table: TurnsTable) -> set[tuple[str, int]]:
    return {
        (row.dialogue, row.turn)
        for row in table.rows
        if isinstance(row.confidence, Confidence) and row.outcome.correct is not None
    }


def _difference(metric: PairedMetric, left: TurnsTable, right: TurnsTable, spec: RunSpec) -> Found:
    return defined(
        metric,
        lambda: metrics.paired_metric_difference(
            metric, left.columns(), right.columns(), bins=spec.bins, **boot(spec)
        ),
    )


def _flips(
    metric: PairedMetric,
    variant: str,
    pair: tuple[str, str],
    before: MetricResult,
    now: MetricResult,
) -> list[Flip]:
    """The flip of a pair, or none."""
    if before.value * now.value >= 0.0:
        return []
    one, other = pair
    first_is_better = (before.value > 0.0) == (before.direction == "lower")
    better, worse = (one, other) if first_is_better else (other, one)
    return [
        Flip(
            metric=metric,
            variant=variant,
            better=better,
            worse=worse,
            beyond_chance=clear_sign(before) * clear_sign(now) < 0,
            n_turns=now.n_turns,
        )
    ]
