"""From a score and its circumstances to a decision: pure, and the one place where gates decide."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from turnsure.calibration.fitting import FittedMap, restore
from turnsure.calibration.gate_file import GateFile
from turnsure.core.decided import Decision, DecisionCost
from turnsure.core.decision import Action
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure

_NOTHING = DecisionCost()


class Known(TypedDict, total=False):
    """What a caller may say; see :class:`Circumstances`."""

    n_turns: int | None
    may_ask: bool
    irreversible: bool
    act: str | None
    slices: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What is known of a decision besides the score.

    Attributes
    ----------
    n_turns
        How long the dialogue is going to be, for maps that use the information level; None where
        that is not known.
    may_ask
        Whether a question may still be asked.
    irreversible
        Whether what follows from the answer cannot be undone.
    act
        What follows from it, by name.
    slices
        By name, what is known of the dialogue, such as its language.
    turn
        1-based; None where not known.
    task
        The task that was stated; None where not known.
    characters
        Of the rendered dialogue; None where not known.
    """

    n_turns: int | None = None
    may_ask: bool = True
    irreversible: bool = False
    act: str | None = None
    slices: Mapping[str, str] = field(default_factory=dict[str, str])
    turn: int | None = None
    task: str | None = None
    characters: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Decides by one gate.

    Attributes
    ----------
    file
        The gate.
    map
        Its calibration map.
    today
        The day, for gates that expire.
    """

    file: GateFile
    map: FittedMap
    today: Callable[[], datetime.date]

    @classmethod
    def of(cls, file: GateFile, *, today: Callable[[], datetime.date]) -> Judge:
        """Read the map of a gate.

        Raises
        ------
        InputError
            The map cannot be read; names the field.
        """
        return cls(file=file, map=gate_map(file), today=today)

    def blocked(self, at: Circumstances) -> Failure | None:
        """Why no score counts under these circumstances, so that none need be asked for."""
        limits, validity = self.file.limits, self.file.validity
        if limits.expires is not None and self.today().isoformat() > limits.expires:
            return _failure("expired", f"the gate was valid until {limits.expires}")
        if at.turn is not None and validity.turns is not None:
            first, last = validity.turns
            if not first <= at.turn <= last:
                return _outside(f"turn {at.turn} was not measured, only {first} to {last}")
        if validity.task is not None and at.task is not None and at.task != validity.task:
            return _outside("the task is not the one that was measured")
        most = validity.most_characters
        if most is not None and at.characters is not None and at.characters > most:
            return _outside(f"{at.characters:,} characters are more than the {most:,} covered")
        for name, value in at.slices.items():
            known = validity.slices.get(name)
            if known is None or value not in known:
                return _outside(f"{name} {value!r} was not measured")
        return None

    def decide(
        self, score: float | Failure, at: Circumstances, cost: DecisionCost = _NOTHING
    ) -> Decision:
        """The decision.  A missing score is never answered, whatever the rule says.

        Parameters
        ----------
        score
            In [0, 1], or why there is none.
        at
            The circumstances.
        cost
            What was asked for the score.
        """
        found = self._probability(score, at)
        action: Action = "escalate"
        if isinstance(found, Failure):
            reasons: tuple[str, ...] = (f"no score counts here: {found.message}",)
        else:
            action, reasons = self._by_rule(found, at)
        approval = self._approval(at)
        if approval is not None:
            action, reasons = "escalate", (approval, *reasons)
        return Decision(
            action=action,
            probability=None if isinstance(found, Failure) else found,
            score=None if isinstance(score, Failure) else score,
            reasons=reasons,
            method=self.file.method,
            turn=at.turn,
            failure=found if isinstance(found, Failure) else None,
            cost=cost,
        )

    def _probability(self, score: float | Failure, at: Circumstances) -> float | Failure:
        if isinstance(score, Failure):
            return score
        blocked = self.blocked(at)
        if blocked is not None:
            return blocked
        feature, turn, n_turns = self.map.feature, at.turn, at.n_turns
        if feature != "none" and turn is None:
            return _failure("no_turn", "the map uses the turn, which is not known")
        if feature in ("level", "per_level") and (n_turns is None or n_turns < (turn or 1)):
            return _failure(
                "no_level",
                "the map uses the information level, and n_turns is not given or below the turn",
            )
        return float(self.map.apply(score, turn, n_turns)[0])

    def _by_rule(self, probability: float, at: Circumstances) -> tuple[Action, tuple[str, ...]]:
        rule, most = self.file.rule, self.file.limits.most_turns
        at_limit = most is not None and at.turn is not None and at.turn >= most
        may_ask = at.may_ask and not at_limit
        action = rule.action(probability, may_ask=may_ask)
        reasons = [_compared(probability, rule.answer_at, "answers")]
        if action != "answer" and rule.ask_at is not None:
            reasons.append(_compared(probability, rule.ask_at, "asks"))
            if at_limit:
                reasons.append(f"turn {at.turn} is the last one, of {most}")
            elif not at.may_ask:
                reasons.append("no question may be asked any more")
        return action, tuple(reasons)

    def _approval(self, at: Circumstances) -> str | None:
        if at.irreversible:
            return "the act cannot be undone, so a person has to approve it whatever the score"
        if at.act is not None and at.act in self.file.limits.irreversible:
            return (
                f"{at.act!r} is declared irreversible, so a person has to approve it whatever "
                "the score"
            )
        return None


def gate_map(file: GateFile) -> FittedMap:
    """The calibration map of a gate.

    Raises
    ------
    InputError
        It cannot be read; names the field.
    """
    try:
        return restore(dict(file.map))
    except InputError as error:
        where = "map" if error.field is None else f"map.{error.field}"
        raise InputError(error.problem, field=where, expected=error.expected) from None


def _compared(probability: float, bound: float | None, does: str) -> str:
    if bound is None:
        return f"this gate never {does}: no threshold met its target"
    side = "at least" if probability >= bound else "below"
    return f"the probability {probability:.4f} is {side} {bound:.4f}, from which on it {does}"


def _failure(kind: str, message: str) -> Failure:
    return Failure(stage="confidence", kind=kind, message=message)


def _outside(message: str) -> Failure:
    return _failure("outside_validity", message)
