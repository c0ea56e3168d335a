"""Whether confidence and calibration move when the hints are told at once."""

from __future__ import annotations

from collections import Counter

from turnsure import metrics
from turnsure.core.confidence import Confidence
from turnsure.core.dialogue import NOTE
from turnsure.core.outcome import Failure
from turnsure.core.spec import RunSpec
from turnsure.core.tested import Found, TestedChange, Verdict, is_within
from turnsure.core.turn_controls import FormatEffects, FormatRow
from turnsure.core.turns import TurnsTable
from turnsure.experiment.effects.pairing import (
    boot,
    confidences,
    corrected,
    counted_reasons,
    defined,
    outcomes,
    tested_change,
)
from turnsure.metrics.paired_metrics import PairedMetric

TOLERANCE = 0.05


def format_effects(
    plain: TurnsTable, told: TurnsTable, spec: RunSpec, condition: str
) -> FormatEffects:
    """Compare the turns with one single-turn format.

    Parameters
    ----------
    plain, told
        The run's rows, and those of the format.
    spec
        Sets bins, resamples and seed.
    condition
        The format's name.
    """
    methods = plain.select(target="answer").methods
    changes = corrected([_change(plain, told, method, spec) for method in methods])
    states = {(row.dialogue, row.turn): row for row in told.rows}
    failures = Counter(counted_reasons(told)) + _unread(told)
    right = outcomes(told)
    return FormatEffects(
        condition=condition,
        rows=tuple(
            FormatRow(
                method=method,
                confidence=change,
                info_ece=_difference("info_ece", plain, told, method, spec),
                kendall_tau=_difference("kendall_tau", plain, told, method, spec),
                verdict=verdict_of(change),
            )
            for method, change in zip(methods, changes, strict=True)
        ),
        accuracy=tested_change(outcomes(plain), right, sorted(right), spec).change,
        n_states=len(states),
        n_measured=len(states) - sum(failures.values()),
        n_flagged=sum(f"{NOTE}problems" in row.meta for row in states.values()),
        problems=Counter(
            problem
            for row in states.values()
            for problem in row.meta.get(f"{NOTE}problems", "").split(", ")
            if problem
        ),
        failures=failures,
        tolerance=TOLERANCE,
    )


def _unread(told: TurnsTable) -> Counter[str]:
    """States from which no confidence came because the reply held no answer, by kind."""
    told_of = {
        (row.dialogue, row.turn)
        for row in told.rows
        if isinstance(row.confidence, Confidence) or row.confidence.stage == "control"
    }
    return Counter(
        {
            (row.dialogue, row.turn): row.confidence.kind
            for row in told.rows
            if isinstance(row.confidence, Failure) and (row.dialogue, row.turn) not in told_of
        }.values()
    )


def _change(plain: TurnsTable, told: TurnsTable, method: str, spec: RunSpec) -> TestedChange:
    before = confidences(plain.select(target="answer", method=method).rows)
    after = confidences(told.select(target="answer", method=method).rows)
    return tested_change(before, after, sorted(after), spec)


def _difference(
    metric: PairedMetric, plain: TurnsTable, told: TurnsTable, method: str, spec: RunSpec
) -> Found:
    return defined(
        metric,
        lambda: metrics.paired_metric_difference(
            metric,
            plain.select(target="answer", method=method).columns(),
            told.select(target="answer", method=method).columns(),
            bins=spec.bins,
            **boot(spec),
        ),
    )


def verdict_of(change: TestedChange) -> Verdict:
    """The verdict on one method, by :class:`FormatRow`."""
    if is_within(change.change, TOLERANCE):
        return "passed"
    return "failed" if change.rises or change.falls else "open"
