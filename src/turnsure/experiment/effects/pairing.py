"""The same turns under two conditions, as columns; and the tests that all controls share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypedDict

from turnsure import metrics
from turnsure.core.confidence import Confidence
from turnsure.core.errors import UndefinedMetricError
from turnsure.core.outcome import Failure
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.spec import RunSpec
from turnsure.core.tested import Found, TestedChange
from turnsure.core.turns import TurnRow, TurnsTable

Turn = tuple[str, int]
"""Dialogue and turn."""

Values = Mapping[Turn, float | None]


class Boot(TypedDict):
    """Arguments of the bootstrap."""

    resamples: int
    seed: int


def boot(spec: RunSpec) -> Boot:
    """The spec's bootstrap."""
    return {"resamples": spec.resamples, "seed": spec.seed}


def confidences(rows: Iterable[TurnRow]) -> dict[Turn, float | None]:
    """The confidence at each turn; None where it failed."""
    return {
        (row.dialogue, row.turn): row.confidence.value
        if isinstance(row.confidence, Confidence)
        else None
        for row in rows
    }


def outcomes(table: TurnsTable) -> dict[Turn, float | None]:
    """Whether the own answer is right at each turn, 1.0 or 0.0; None where it is ungraded."""
    return {
        (row.dialogue, row.turn): None
        if row.outcome.correct is None
        else float(row.outcome.correct)
        for row in table.select(target="answer").rows
    }


def tested_change(
    before: Values, after: Values, turns: Sequence[Turn], spec: RunSpec
) -> TestedChange:
    """Change from ``before`` to ``after`` over the turns that have both, with its test."""
    left = [before.get(turn) for turn in turns]
    right = [after.get(turn) for turn in turns]
    if not any(
        one is not None and other is not None for one, other in zip(left, right, strict=True)
    ):
        reason = f"none of the {len(turns)} turns has a confidence under both conditions"
        return TestedChange(
            change=Undefined(name="paired_change", reason=reason, n_failed=len(turns))
        )
    dialogue = [turn[0] for turn in turns]
    change = metrics.paired_change(left, right, dialogue, **boot(spec))
    return with_test(change, left, right, dialogue, spec)


def with_test(
    change: MetricResult,
    left: Sequence[float | None],
    right: Sequence[float | None],
    dialogue: Sequence[str],
    spec: RunSpec,
) -> TestedChange:
    """A change that is defined, with the sign-flip test of the same pairs."""
    differences = [
        None if one is None or other is None else other - one
        for one, other in zip(left, right, strict=True)
    ]
    test = metrics.sign_flip_test(differences, dialogue, seed=spec.seed)
    return TestedChange(change=change, p_value=test.p_value, exact=test.exact)


def corrected(changes: Sequence[TestedChange]) -> list[TestedChange]:
    """The changes with p-values corrected for all of them together (Holm)."""
    adjusted = metrics.holm([one.p_value for one in changes])
    return [replace(one, p_holm=p) for one, p in zip(changes, adjusted, strict=True)]


def defined(name: str, compute: Callable[[], MetricResult]) -> Found:
    """The metric, or the reason why it has no value here."""
    try:
        return compute()
    except UndefinedMetricError as error:
        return Undefined(name=name, reason=str(error))


def counted_reasons(table: TurnsTable) -> Mapping[str, int]:
    """Turns of a control that have no state, by reason; every turn once."""
    reasons = {
        (row.dialogue, row.turn, row.condition): row.confidence.kind
        for row in table.rows
        if isinstance(row.confidence, Failure) and row.confidence.stage == "control"
    }
    return Counter(reasons.values())
