"""What is done with a confidence: answer, ask, escalate or abstain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from turnsure.core.errors import InputError

Action = Literal["answer", "ask", "escalate", "abstain"]
"""Give the answer; ask the user one more question; hand over to a person; say that one does not
know."""

ACTIONS: tuple[Action, ...] = get_args(Action)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRule:
    """Which action a calibrated probability leads to.

    ``probability ≥ answer_at`` answers; else ``probability ≥ ask_at`` asks, while there are
    questions left; else ``otherwise``.

    Attributes
    ----------
    answer_at
        In [0, 1]; None when no threshold meets the target, so that nothing is answered.
    ask_at
        In [0, 1], at most ``answer_at``; None when this rule never asks.
    otherwise
        ``"escalate"`` or ``"abstain"``.

    Raises
    ------
    InputError
        A threshold is outside [0, 1], or asking would begin above answering.
    """

    answer_at: float | None
    ask_at: float | None = None
    otherwise: Literal["escalate", "abstain"] = "escalate"

    def __post_init__(self) -> None:
        for name in ("answer_at", "ask_at"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and 0.0 <= value <= 1.0):
                raise InputError(f"it is {value!r}", field=name, expected="a number in [0, 1]")
        if self.answer_at is not None and self.ask_at is not None and self.ask_at > self.answer_at:
            raise InputError(
                f"it is {self.ask_at}, above answer_at, {self.answer_at}",
                field="ask_at",
                expected="at most answer_at",
            )
        if self.otherwise not in ("escalate", "abstain"):
            raise InputError(
                f"it is {self.otherwise!r}", field="otherwise", expected="'escalate' or 'abstain'"
            )

    def action(self, probability: float, *, may_ask: bool = True) -> Action:
        """The action for a calibrated probability in [0, 1]."""
        if self.answer_at is not None and probability >= self.answer_at:
            return "answer"
        if may_ask and self.ask_at is not None and probability >= self.ask_at:
            return "ask"
        return self.otherwise
