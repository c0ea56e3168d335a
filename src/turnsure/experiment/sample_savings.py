"""How many samples adaptive self-consistency saved in a run, and what that changed."""

from __future__ import annotations

from collections import Counter

from turnsure import metrics
from turnsure.core.confidence import Confidence
from turnsure.core.sample_savings import SampleSavings
from turnsure.core.spec import RunSpec
from turnsure.core.tested import Found
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.estimators.adaptive_self_consistency import NAME as ADAPTIVE
from turnsure.estimators.adaptive_self_consistency import samples_drawn
from turnsure.estimators.self_consistency import NAME as ALL_SAMPLES
from turnsure.experiment.effects.pairing import Turn, boot, defined
from turnsure.metrics.paired_metrics import PairedMetric

COMPARED: tuple[PairedMetric, ...] = ("info_ece", "kendall_tau", "auroc", "mean_confidence")


def sample_savings(table: TurnsTable, spec: RunSpec) -> SampleSavings | None:
    """The adaptive method beside the one with all samples; None unless a run has both.

    Parameters
    ----------
    table
        The plain rows.
    spec
        Sets m, bins, resamples and seed.
    """
    adaptive, whole = table.select(method=ADAPTIVE), table.select(method=ALL_SAMPLES)
    own, of_all = adaptive.select(target="answer"), whole.select(target="answer")
    if not own.rows or not of_all.rows:
        return None
    used = _drawn(own)
    drawn = _drawn(adaptive)
    left, right = of_all.columns(), own.columns()

    def difference(metric: PairedMetric) -> Found:
        return defined(
            f"{metric}_difference",
            lambda: metrics.paired_metric_difference(
                metric, left, right, bins=spec.bins, **boot(spec)
            ),
        )

    return SampleSavings(
        samples=spec.samples,
        n_turns=len(used),
        n_failed=len(own) - len(used),
        stopped=dict(sorted(Counter(used.values()).items())),
        n_drawn=sum(drawn[turn] for turn in used),
        differences={metric: difference(metric) for metric in COMPARED},
    )


def _drawn(rows: TurnsTable) -> dict[Turn, int]:
    """The most samples that any answer of a turn needed, where one has a confidence."""
    found: dict[Turn, int] = {}
    for row in rows.rows:
        n = _samples(row)
        if n is not None:
            place = (row.dialogue, row.turn)
            found[place] = max(n, found.get(place, 0))
    return found


def _samples(row: TurnRow) -> int | None:
    return samples_drawn(row.confidence) if isinstance(row.confidence, Confidence) else None
