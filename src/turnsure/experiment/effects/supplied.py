"""Whether a method tells a right answer from plausible wrong ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from turnsure import metrics
from turnsure.core.confidence import Confidence
from turnsure.core.dialogue import NOTE
from turnsure.core.outcome import Failure
from turnsure.core.question_controls import ALL_SOURCES, SuppliedEffects, SuppliedRow
from turnsure.core.results import MetricResult
from turnsure.core.spec import RunSpec
from turnsure.core.tested import Found, TestedChange, Verdict, is_within
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.experiment.effects.pairing import (
    Turn,
    boot,
    confidences,
    corrected,
    defined,
    tested_change,
)

TOLERANCE = 0.05
_NOT_JUDGED = "remaining"
"""What still fits the hints is as likely as the gold answer: a fair method sets neither apart."""


def supplied_effects(
    plain: TurnsTable, supplied: TurnsTable, spec: RunSpec, definition: Mapping[str, str]
) -> SuppliedEffects:
    """Compare the confidence in wrong answers with that in the right one.

    Parameters
    ----------
    plain, supplied
        The run's rows for the own and the gold answer, and those for supplied wrong ones.
    spec
        Sets sources, resamples and seed.
    definition
        The control's own words.
    """
    n_turns = len({(row.dialogue, row.turn) for row in plain.rows})
    once = {
        (row.dialogue, row.turn, row.condition): row
        for row in supplied.rows
        if row.answer is not None
    }
    with_one = Counter(
        source for _, _, source in {(row.dialogue, row.turn, _source(row)) for row in once.values()}
    )
    sources = [source for source in spec.supplied_from if with_one[source]]
    if len(set(sources) - {_NOT_JUDGED}) > 1:
        sources = [ALL_SOURCES, *sources]
    names = [(method, source) for method in supplied.methods for source in sources]
    gaps = corrected([_gap(plain, supplied, method, source, spec) for method, source in names])
    return SuppliedEffects(
        definition=definition,
        rows=tuple(
            SuppliedRow(
                method=method,
                source=source,
                auroc=_auroc(plain, supplied, method, source, spec),
                gap=gap,
                verdict=None if source == _NOT_JUDGED else verdict_of(gap),
            )
            for (method, source), gap in zip(names, gaps, strict=True)
        ),
        n_supplied=Counter(_source(row) for row in once.values()),
        n_turns_without={source: n_turns - with_one[source] for source in spec.supplied_from},
        failures=Counter(
            row.confidence.kind for row in supplied.rows if isinstance(row.confidence, Failure)
        ),
        tolerance=TOLERANCE,
    )


def _source(row: TurnRow) -> str:
    return row.meta[f"{NOTE}source"]


def _of_source(supplied: TurnsTable, method: str, source: str) -> list[TurnRow]:
    """The rows of a source; those of all sources that are judged for ``ALL_SOURCES``."""
    rows = supplied.select(method=method).rows
    if source == ALL_SOURCES:
        return [row for row in rows if _source(row) != _NOT_JUDGED]
    return [row for row in rows if _source(row) == source]


def _gap(
    plain: TurnsTable, supplied: TurnsTable, method: str, source: str, spec: RunSpec
) -> TestedChange:
    """Gold minus the mean of the wrong answers of the same turn."""
    right = confidences(plain.select(target="gold", method=method).rows)
    wrong = _means(_of_source(supplied, method, source))
    return tested_change(wrong, right, sorted(wrong), spec)


def _means(rows: Iterable[TurnRow]) -> dict[Turn, float]:
    values: dict[Turn, list[float]] = {}
    for row in rows:
        if isinstance(row.confidence, Confidence):
            values.setdefault((row.dialogue, row.turn), []).append(row.confidence.value)
    return {turn: sum(some) / len(some) for turn, some in values.items()}


def _auroc(
    plain: TurnsTable, supplied: TurnsTable, method: str, source: str, spec: RunSpec
) -> Found:
    """Over the turns with a wrong answer of this source: gold, own and wrong answers together."""
    wrong = _of_source(supplied, method, source)
    turns = {(row.dialogue, row.turn) for row in wrong}
    judged = [row for row in plain.select(method=method).rows if (row.dialogue, row.turn) in turns]
    columns = TurnsTable((*judged, *wrong)).columns()

    def area() -> MetricResult:
        found = metrics.auroc(
            columns.confidence, columns.correct, dialogue=columns.dialogue, **boot(spec)
        )
        details = {**found.details, "n_answers": found.n_turns}
        return replace(found, n_turns=len(turns), details=details)

    return defined("auroc", area)


def verdict_of(gap: TestedChange) -> Verdict:
    """The verdict on one gap that is judged, by :class:`SuppliedRow`."""
    if is_within(gap.change, TOLERANCE) or gap.falls:
        return "failed"
    return "passed" if gap.rises else "open"
