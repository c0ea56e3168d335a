"""What became of an item: right, wrong, not gradable, or not there at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from turnsure.core.errors import InputError

Stage = Literal["answer", "confidence", "control", "grading", "generation", "report"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The typed absence of a result.  Counted everywhere, imputed nowhere.

    Attributes
    ----------
    stage
        Where on the way it happened.
    kind
        Short machine-readable name, for example ``"unparsable"`` or ``"context_overflow"``.
    message
        One sentence for a person.
    dialogue, turn, method
        Which item; turn counts from 1.
    raw
        The model's text as it came, where there was one.
    """

    stage: Stage
    kind: str
    message: str
    dialogue: str | None = None
    turn: int | None = None
    method: str | None = None
    raw: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Whether an answer is right.

    Attributes
    ----------
    correct
        True, False, or None when it could not be graded (then ``reason`` says why).
    grader
        Which grader decided.
    rule
        The rule that decided, for example ``"exact"``, ``"article"``, ``"place"``, ``"number"``.
    matched
        The accepted answer that matched, when one did.
    reason
        Why it is ungraded.
    """

    correct: bool | None
    grader: str
    rule: str | None = None
    matched: str | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        if self.correct is None and not self.reason:
            raise InputError("an ungraded outcome needs a reason", field="reason")
