"""What a gate decided about one answer, why, and what it cost to find out."""

from __future__ import annotations

from dataclasses import dataclass

from turnsure.core.decision import Action
from turnsure.core.outcome import Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionCost:
    """What was asked for one decision.

    Attributes
    ----------
    calls
        Requests sent to the model, those that failed included.
    prompt_tokens, completion_tokens
        As the back-end counts them; None where it did not tell for one of the calls.
    seconds
        From the first request to the last reply; 0.0 where nothing was asked.
    """

    calls: int = 0
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision.

    Attributes
    ----------
    action
        What to do.
    probability
        Calibrated, in [0, 1]; None where there is no score.
    score
        As the method gave it, in [0, 1]; None where there is none.
    reasons
        Sentences, the deciding one first.
    method
        Whose score it is.
    turn
        The turn that was judged, 1-based; None where it is not known.
    failure
        Why there is no score; None where there is one.
    cost
        What was asked.
    """

    action: Action
    probability: float | None
    score: float | None
    reasons: tuple[str, ...]
    method: str
    turn: int | None = None
    failure: Failure | None = None
    cost: DecisionCost = DecisionCost()
