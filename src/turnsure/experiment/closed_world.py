"""Confidence against what is known of a closed world: the ideal, identification, corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from turnsure import metrics
from turnsure.core.closed_world import (
    ClosedWorld,
    CorrectionRow,
    Ideal,
    IdealRow,
    IdentificationRow,
)
from turnsure.core.confidence import Confidence, Target
from turnsure.core.dialogue import Dialogue
from turnsure.core.results import Curve, MetricResult, Undefined
from turnsure.core.spec import RunSpec
from turnsure.core.tested import Found, TestedChange, Verdict, is_within
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.experiment.columns import turn_columns
from turnsure.experiment.effects.pairing import (
    Turn,
    Values,
    boot,
    confidences,
    corrected,
    defined,
    tested_change,
)
from turnsure.experiment.evaluate import method_metrics, or_empty
from turnsure.experiment.known_candidates import KnownCandidates

TOLERANCE = 0.02

TARGETS: tuple[Target, ...] = ("answer", "gold")

SUFFICIENCY = frozenset({"p_sufficient"})
"""Methods that ask whether what is known is enough: a perfect reasoner is sure of nothing until
one candidate remains."""

_METRICS = ("info_ece", "kendall_tau", "brier", "auroc")


def closed_world(
    table: TurnsTable, dialogues: Sequence[Dialogue], spec: RunSpec
) -> ClosedWorld | None:
    """What a run's rows say against known candidates; None when no dialogue has any.

    Parameters
    ----------
    table
        The plain rows.
    dialogues
        What was measured.
    spec
        Sets bins, resamples and seed.
    """
    known = KnownCandidates(dialogues)
    if not known.dialogues:
        return None
    closed = table.where(lambda row: row.dialogue in known.dialogues)
    asked = [
        _Asked(known, closed.select(target=target, method=method).rows, target, method)
        for target in TARGETS
        for method in closed.select(target=target).methods
    ]
    turns, widened = known.turns(), known.widened()
    answers = closed.one_row_a_turn().rows
    told = [row for row in answers if known.can_tell(row)]
    return ClosedWorld(
        n_dialogues=len(known.dialogues),
        n_without=len(dialogues) - len(known.dialogues),
        n_turns=len(turns),
        n_identified=sum(known.is_identified(turn) for turn in turns),
        n_ungraded=len(answers) - len(told),
        n_unnamed=sum(known.named(row) is None for row in told),
        n_corrections=len(widened),
        n_corrected=len({dialogue for dialogue, _ in widened}),
        ideals=tuple(one.against_ideal(spec) for one in asked),
        identification=tuple(one.against_identification(spec) for one in asked),
        corrections=_corrections([one for one in asked if one.target == "answer"], widened, spec),
        tolerance=TOLERANCE,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """One method's rows for one target."""

    known: KnownCandidates
    rows: Sequence[TurnRow]
    target: Target
    method: str

    @property
    def ideal(self) -> Ideal:
        return "identified" if self.method in SUFFICIENCY else "candidate"

    def against_ideal(self, spec: RunSpec) -> IdealRow:
        given = [_value(row) for row in self.rows]
        ideals = [self.known.ideal(row, self.ideal) for row in self.rows]
        # Both curves are over the same turns: those that have both.
        pairs = list(zip(given, ideals, strict=True))
        scored = [None if ideal is None else value for value, ideal in pairs]
        wanted = [None if value is None else ideal for value, ideal in pairs]
        dialogue, turn, n_turns = self._places()

        def mean(name: str, values: Sequence[float | None]) -> Curve:
            return metrics.by_level(
                values, turn, n_turns, spec.bins, dialogue=dialogue, name=name, **boot(spec)
            )

        return IdealRow(
            method=self.method,
            target=self.target,
            ideal=self.ideal,
            distance=defined(
                "ideal_distance",
                lambda: metrics.ideal_distance(given, ideals, dialogue=dialogue, **boot(spec)),
            ),
            bias=defined(
                "ideal_bias",
                lambda: metrics.ideal_bias(given, ideals, dialogue=dialogue, **boot(spec)),
            ),
            confidence_by_level=_curve("confidence", lambda: mean("confidence", scored)),
            ideal_by_level=_curve("ideal", lambda: mean("ideal", wanted)),
            distance_by_level=_curve(
                "distance to the ideal",
                lambda: metrics.ideal_distance_by_level(
                    given, ideals, turn, n_turns, spec.bins, dialogue=dialogue, **boot(spec)
                ),
            ),
            n_unnamed=sum(
                one is not None and self.known.named(row) is None
                for one, row in zip(scored, self.rows, strict=True)
            ),
        )

    def against_identification(self, spec: RunSpec) -> IdentificationRow:
        dialogue, turn, n_turns = self._places()
        labels = [self.known.is_identified(where) for where in zip(dialogue, turn, strict=True)]
        columns = turn_columns(
            dialogue=dialogue,
            turn=turn,
            n_turns=n_turns,
            confidence=[_value(row) for row in self.rows],
            correct=[float(label) for label in labels],
        )
        found = dict(method_metrics(columns, columns, spec, only=_METRICS))
        if len(set(labels)) == 1:
            which = "every" if labels[0] else "no"
            reason = f"one candidate remains at {which} turn, so there is nothing to tell apart"
            found["auroc"] = Undefined(name="auroc", reason=reason, n_turns=len(labels))
        return IdentificationRow(
            method=self.method, target=self.target, ideal=self.ideal, metrics=found
        )

    def _places(self) -> tuple[list[str], list[int], list[int]]:
        """Dialogue, turn and number of turns of each row."""
        return (
            [row.dialogue for row in self.rows],
            [row.turn for row in self.rows],
            [row.n_turns for row in self.rows],
        )


def _corrections(
    asked: Sequence[_Asked], widened: Sequence[Turn], spec: RunSpec
) -> tuple[CorrectionRow, ...]:
    """For each method the turns of corrections against the turns before them."""
    if not widened:
        return ()
    ends = [(_before(one, widened), confidences(one.rows)) for one in asked]
    changes = corrected([tested_change(before, after, widened, spec) for before, after in ends])
    rows: list[CorrectionRow] = []
    for one, (before, after), change in zip(asked, ends, changes, strict=True):
        ideal = _ideal_change(one, before, after, widened, spec)
        rows.append(
            CorrectionRow(
                method=one.method,
                change=change,
                falling=_falling(before, after, widened, spec),
                ideal=ideal,
                verdict=verdict_of(change, ideal),
            )
        )
    return tuple(rows)


def _before(asked: _Asked, turns: Sequence[Turn]) -> dict[Turn, float | None]:
    """The confidences at the turns before, filed under the turns themselves."""
    found = confidences(asked.rows)
    return {(name, turn): found.get((name, turn - 1)) for name, turn in turns}


def _falling(before: Values, after: Values, turns: Sequence[Turn], spec: RunSpec) -> Found:
    return defined(
        "share_falling",
        lambda: metrics.share_falling(
            [before.get(turn) for turn in turns],
            [after.get(turn) for turn in turns],
            [turn[0] for turn in turns],
            **boot(spec),
        ),
    )


def _ideal_change(
    asked: _Asked, before: Values, after: Values, turns: Sequence[Turn], spec: RunSpec
) -> Found:
    """Change of the ideal over the turns at which the method has both confidences."""
    paired = [
        turn for turn in turns if before.get(turn) is not None and after.get(turn) is not None
    ]
    known, kind = asked.known, asked.ideal
    return defined(
        "paired_change",
        lambda: metrics.paired_change(
            [known.ideal_of_fitting((name, turn - 1), kind) for name, turn in paired],
            [known.ideal_of_fitting(turn, kind) for turn in paired],
            [turn[0] for turn in paired],
            **boot(spec),
        ),
    )


def verdict_of(change: TestedChange, ideal: Found) -> Verdict:
    """The verdict on one method at corrections, by :class:`CorrectionRow`."""
    still = is_within(change.change, TOLERANCE)
    has_to_fall = isinstance(ideal, MetricResult) and ideal.value < -TOLERANCE
    if (change.rises and not still) or (still and has_to_fall):
        return "failed"
    return "passed" if change.falls else "open"


def _value(row: TurnRow) -> float | None:
    return row.confidence.value if isinstance(row.confidence, Confidence) else None


def _curve(name: str, compute: Callable[[], Curve]) -> Curve:
    empty = Curve(
        name=name, x_label="information level", y_label=f"mean {name}", points=(), n_turns=0
    )
    return or_empty(compute, empty)
