"""One row of the turns table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from turnsure.core.confidence import Confidence, Target
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRow:
    """One row: dialogue × turn × condition × target × method.

    Attributes
    ----------
    dialogue, turn, n_turns
        Where; turn counts from 1.
    condition
        ``"plain"`` for an ordinary turn; controls name theirs.
    target
        Whether the confidence is in the model's own answer, in the gold answer, or in another one
        that was supplied.
    method
        Name of the estimator.
    answer
        The answer that the confidence is about; None when there is none.
    confidence
        The confidence, or the failure that took its place.
    outcome
        Whether ``answer`` is right; for the gold target it is, by definition.
    reply
        The text from which the model's answer was read, None where there was none.
    meta
        The dialogue's strings for slicing, and under a control what it notes of the row, under
        names that begin with ``control.``.
    """

    dialogue: str
    turn: int
    n_turns: int
    condition: str
    target: Target
    method: str
    answer: str | None
    confidence: Confidence | Failure
    outcome: Outcome
    reply: str | None = None
    meta: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        if not 1 <= self.turn <= self.n_turns:
            raise InputError(
                f"turn {self.turn} of {self.dialogue!r} is out of range",
                field="turn",
                expected=f"1 to {self.n_turns}",
            )

    @property
    def key(self) -> tuple[str, int, str, str, str]:
        """What makes the row unique in its table."""
        return (self.dialogue, self.turn, self.condition, self.target, self.method)
