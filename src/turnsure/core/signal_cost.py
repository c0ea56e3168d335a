"""What signals cost, and what they buy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from turnsure.core.tested import Found


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """What one method asks for, a turn, and what that buys.

    Attributes
    ----------
    method
        Its name.
    n_turns
        Turns that were asked.
    n_calls
        Requests, all turns together; those that several methods share count for each.
    n_unknown
        Of these, requests whose reply is not in the store.
    prompt_tokens, cached_tokens, completion_tokens
        All turns together, as the back-end reported them.
    n_uncounted
        Requests whose tokens it did not report.
    seconds
        Time of the requests, all turns together.
    risk
        Error among the surest share of the turns that all methods scored, by that share.
    aurc
        On the same turns.
    """

    method: str
    n_turns: int
    n_calls: int
    n_unknown: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    n_uncounted: int
    seconds: float
    risk: Mapping[float, Found]
    aurc: Found


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalCost:
    """The cost of every signal of a run.

    Attributes
    ----------
    rows
        A method each.
    answer
        What the answers themselves cost, without any confidence; its ``risk`` is empty.
    n_common
        Turns that all methods scored.
    """

    rows: tuple[CostRow, ...]
    answer: CostRow
    n_common: int
