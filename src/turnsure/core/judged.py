"""What a judge said about a transcript, or about two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from turnsure.core.errors import InputError
from turnsure.core.scenario import Finding

JudgeAnswer = Literal["yes", "no", "cannot_tell"]
JUDGE_ANSWERS: tuple[JudgeAnswer, ...] = get_args(JudgeAnswer)

JudgeVerdict = Literal["pass", "fail", "inconclusive"]

Preference = Literal["left", "right", "tie", "inconclusive"]
"""``tie``: the judge says so, or says different things once the sides are swapped;
``inconclusive``: it gave no readable reply, or there is nothing to compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedItem:
    """One item of a rubric.

    Attributes
    ----------
    name, ask
        The item's, as in the card.
    answer
        ``yes`` where all is well.  What the judge said without evidence in the transcript is
        ``cannot_tell``.
    quote
        The evidence as the judge wrote it; empty without any.
    turn
        Where the evidence stands, from 1; None without any.
    problem
        Why a yes or a no was not taken; None for most.
    """

    name: str
    ask: str
    answer: JudgeAnswer
    quote: str = ""
    turn: int | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricJudgement:
    """A transcript scored against a rubric.

    Attributes
    ----------
    items
        In the order of the card; empty where the judge was not asked or gave no readable reply.
    problem
        Why there are none; None where there are.
    template
        Digest of the judge's wording, so that no two wordings are pooled unseen.
    n_tries
        How often the judge was asked; 0 where there was nothing to judge.
    """

    items: tuple[JudgedItem, ...] = ()
    problem: str | None = None
    template: str
    n_tries: int

    def __post_init__(self) -> None:
        if bool(self.items) is (self.problem is not None):
            raise InputError(
                "a judgement has items or a problem", field="items", expected="one of the two"
            )

    @property
    def verdict(self) -> JudgeVerdict:
        """``fail`` with one no, ``pass`` with yes throughout, else ``inconclusive``."""
        answers = [one.answer for one in self.items]
        if "no" in answers:
            return "fail"
        return "inconclusive" if not answers or "cannot_tell" in answers else "pass"

    @property
    def findings(self) -> Sequence[Finding]:
        """One for each no, at the turn of its evidence."""
        return tuple(
            Finding(
                check=one.name,
                failure="rubric",
                turn=one.turn,
                evidence=one.quote,
                message=f"the judge answers no: {one.ask}",
            )
            for one in self.items
            if one.answer == "no"
        )

    @property
    def reason(self) -> str:
        """One sentence; empty for a pass."""
        if self.verdict == "pass":
            return ""
        if self.problem is not None:
            return self.problem
        wanted: JudgeAnswer = "no" if self.verdict == "fail" else "cannot_tell"
        first = next(one for one in self.items if one.answer == wanted)
        if wanted == "no":
            return f"the judge answers no to {first.name!r}: {first.ask}"
        return f"the judge cannot tell {first.name!r}: {first.problem or first.ask}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairJudgement:
    """Two transcripts compared, once in either order.

    Attributes
    ----------
    preference
        Which is better.
    shown_first, shown_second
        What the judge preferred where the left one was shown first, and where it was shown second,
        as ``left``, ``right`` or ``tie``; None without a readable reply.
    problem
        Why it is inconclusive; None otherwise.
    template
        Digest of the judge's wording.
    n_tries
        Requests in all.
    """

    preference: Preference
    shown_first: Preference | None = None
    shown_second: Preference | None = None
    problem: str | None = None
    template: str
    n_tries: int

    @property
    def swayed_by_order(self) -> bool:
        """Whether the judge preferred different sides in the two orders."""
        return {self.shown_first, self.shown_second} == {"left", "right"}
