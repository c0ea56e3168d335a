"""Whether confidence tracks information or the number of turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from turnsure import metrics
from turnsure.core.confidence import Target
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.spec import RunSpec
from turnsure.core.tested import ALPHA, TestedChange, clear_sign, is_within
from turnsure.core.turn_controls import Diagnosis, PlaceboEffects, PlaceboRow
from turnsure.core.turns import TurnsTable
from turnsure.experiment.effects.pairing import (
    Turn,
    Values,
    boot,
    confidences,
    corrected,
    counted_reasons,
    outcomes,
    tested_change,
    with_test,
)

TOLERANCE = 0.02


def placebo_effects(
    plain: TurnsTable, placebo: TurnsTable, spec: RunSpec, definition: Mapping[str, str]
) -> PlaceboEffects:
    """Compare the three states of every tested turn.

    Parameters
    ----------
    plain, placebo
        The run's rows, and those after a placebo.
    spec
        Sets resamples and seed.
    definition
        The control's own words.
    """
    turns = sorted({(row.dialogue, row.turn) for row in placebo.rows})
    names: list[tuple[Target, str]] = [
        (target, method)
        for target in ("answer", "gold")
        for method in plain.select(target=target).methods
    ]
    states = [_States(plain, placebo, turns, target, method) for target, method in names]
    information = [one.change(one.information, spec) for one in states]
    on_placebo = [one.change(one.placebo, spec) for one in states]
    tested = corrected([*information, *on_placebo])
    information, on_placebo = tested[: len(states)], tested[len(states) :]
    separations = corrected([one.separation(spec) for one in states])
    rows = tuple(
        _row(target, method, *found)
        for (target, method), *found in zip(
            names, information, on_placebo, separations, strict=True
        )
    )
    every = {(row.dialogue, row.turn) for row in plain.rows}
    right = _accuracy(plain, placebo, turns)
    return PlaceboEffects(
        definition=definition,
        rows=rows,
        accuracy_before=right[0],
        accuracy_information=right[1],
        accuracy_placebo=right[2],
        n_accuracy=right[3],
        n_tests=sum(one.p_value is not None for one in information),
        n_significant_information=sum(one.significant for one in information),
        n_significant_placebo=sum(one.significant for one in on_placebo),
        n_uncorrected_information=_n_uncorrected(information),
        n_uncorrected_placebo=_n_uncorrected(on_placebo),
        n_tested=len(turns),
        n_first_turns=sum(turn == 1 for _, turn in every),
        n_untested=sum(turn > 1 for _, turn in every - set(turns)),
        failures=counted_reasons(placebo),
        tolerance=TOLERANCE,
    )


class _States:
    """One method's confidences before, after the hint, and after the placebo, by tested turn.

    Only turns that have all three take part, so that both changes start from the same mean.
    """

    def __init__(
        self,
        plain: TurnsTable,
        placebo: TurnsTable,
        turns: Sequence[Turn],
        target: Target,
        method: str,
    ) -> None:
        known = confidences(plain.select(target=target, method=method).rows)
        self.before: Values = {turn: known.get((turn[0], turn[1] - 1)) for turn in turns}
        self.information: Values = {turn: known.get(turn) for turn in turns}
        self.placebo: Values = confidences(placebo.select(target=target, method=method).rows)
        self.turns = turns
        self.complete = [turn for turn in turns if None not in self._at(turn)]

    def _at(self, turn: Turn) -> tuple[float | None, ...]:
        return self.before[turn], self.information[turn], self.placebo.get(turn)

    def change(self, after: Values, spec: RunSpec) -> TestedChange:
        if not self.complete:
            return TestedChange(change=self._none("paired_change"))
        return tested_change(self.before, after, self.complete, spec)

    def separation(self, spec: RunSpec) -> TestedChange:
        if not self.complete:
            return TestedChange(change=self._none("paired_separation"))
        before, information, placebo = (
            [state.get(turn) for turn in self.turns]
            for state in (self.before, self.information, self.placebo)
        )
        dialogue = [turn[0] for turn in self.turns]
        found = metrics.paired_separation(before, information, placebo, dialogue, **boot(spec))
        pairs = [self._at(turn) for turn in self.complete]
        return with_test(
            found,
            [pair[2] for pair in pairs],
            [pair[1] for pair in pairs],
            [turn[0] for turn in self.complete],
            spec,
        )

    def _none(self, name: str) -> Undefined:
        reason = f"none of the {len(self.turns)} tested turns has a confidence in all three states"
        return Undefined(name=name, reason=reason, n_failed=len(self.turns))


def _row(
    target: Target,
    method: str,
    information: TestedChange,
    placebo: TestedChange,
    separation: TestedChange,
) -> PlaceboRow:
    return PlaceboRow(
        method=method,
        target=target,
        before=_detail(information, "mean_before"),
        after_information=_detail(information, "mean_after"),
        after_placebo=_detail(placebo, "mean_after"),
        information=information,
        placebo=placebo,
        separation=separation,
        diagnosis=diagnosis_of(information, placebo, separation),
    )


def diagnosis_of(
    information: TestedChange, placebo: TestedChange, separation: TestedChange
) -> Diagnosis:
    """What a confidence with these changes follows, by :class:`PlaceboRow`."""
    separates = separation.rises and not is_within(separation.change, TOLERANCE)
    if placebo.rises and not is_within(placebo.change, TOLERANCE):
        return "mixed" if separates else "turns"
    if separates:
        # Falling less on a hint than on a placebo is no way to follow information.
        return "open" if clear_sign(information.change) < 0 else "information"
    if is_within(separation.change, TOLERANCE):
        return "neither"
    return "against" if separation.falls else "open"


def _detail(tested: TestedChange, name: str) -> float | None:
    if not isinstance(tested.change, MetricResult):
        return None
    value = tested.change.details[name]
    return value if isinstance(value, float) else None


def _accuracy(
    plain: TurnsTable, placebo: TurnsTable, turns: Sequence[Turn]
) -> tuple[float | None, float | None, float | None, int]:
    """Mean accuracy in the three states over the turns graded in all of them, and their number.

    Dialogues weigh the same, as in the changes of confidence beside it.
    """
    known, after = outcomes(plain), outcomes(placebo)
    graded: dict[str, list[tuple[float, float, float]]] = {}
    for turn in turns:
        before, information = known.get((turn[0], turn[1] - 1)), known.get(turn)
        nothing = after.get(turn)
        if before is not None and information is not None and nothing is not None:
            graded.setdefault(turn[0], []).append((before, information, nothing))
    if not graded:
        return None, None, None, 0
    means = [
        sum(sum(state[k] for state in states) / len(states) for states in graded.values())
        / len(graded)
        for k in range(3)
    ]
    return means[0], means[1], means[2], sum(map(len, graded.values()))


def _n_uncorrected(changes: Sequence[TestedChange]) -> int:
    return sum(one.p_value is not None and one.p_value < ALPHA for one in changes)
