"""Thresholds from costs, in closed form for calibrated probabilities.

Let p be the probability that the answer is right.  An action that costs r when it is right and w
when it is wrong has the expected cost p r + (1 − p) w, a straight line in p, which falls by
d = w − r from p = 0 to p = 1.  The best action is the lowest line.  Of two lines a and b with
d_a > d_b, a is lower from p = (w_a − w_b) / (d_a − d_b) on.  Answering has the steepest line, since
that is what a wrong answer costs; so it is best from some p on, and of the others the steeper one
is best next to it.  With two actions, a right answer for nothing, a wrong one for C and a review
for R this is Chow's rule: answer when p ≥ 1 − R/C.

References
----------
Chow: On optimum recognition error and reject tradeoff. IEEE Transactions on Information Theory 16
(1970).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal, NamedTuple

from turnsure.core.decision import Action, DecisionRule
from turnsure.core.errors import InputError

Otherwise = Literal["escalate", "abstain"]


class ActionCost(NamedTuple):
    """What an action costs when the answer is right, and when it is wrong."""

    if_right: float
    if_wrong: float

    @property
    def fall(self) -> float:
        """By how much the expected cost falls from p = 0 to p = 1."""
        return self.if_wrong - self.if_right


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What actions and mistakes cost, in one unit of the user's; none below 0.

    Attributes
    ----------
    wrong_answer
        A wrong answer that is given.
    answer, question, review, abstention
        Price or latency of an action, whatever comes of it; None for ``question`` means that no
        question can be asked.
    needless_question, needless_review
        Added when the answer was right already.
    vain_question
        Added when the answer is wrong: what a question costs that does not lead on.
    missed_answer
        Added to an abstention when the answer was right.

    Raises
    ------
    InputError
        A cost is below 0 or not finite, a wrong answer costs nothing, or a question in vain costs
        so much more than a wrong answer that a sure answer would be no reason to answer.
    """

    wrong_answer: float
    answer: float = 0.0
    question: float | None = None
    needless_question: float = 0.0
    vain_question: float = 0.0
    review: float = 0.0
    needless_review: float = 0.0
    abstention: float = 0.0
    missed_answer: float = 0.0

    def __post_init__(self) -> None:
        for place in fields(self):
            value = getattr(self, place.name)
            if value is not None and not (math.isfinite(value) and value >= 0.0):
                raise InputError(
                    f"it is {value!r}", field=place.name, expected="a finite number, 0 or more"
                )
        if self.wrong_answer == 0.0:
            raise InputError(
                "a wrong answer costs nothing, so that answering is always best",
                field="wrong_answer",
                expected="a number above 0",
            )
        if self.vain_question >= self.wrong_answer + self.needless_question:
            raise InputError(
                f"it is {self.vain_question:g}, so that surer answers would be questioned more",
                field="vain_question",
                expected="less than wrong_answer + needless_question",
            )

    def of(self, action: Action) -> ActionCost:
        """The cost of an action when the answer is right, and when it is wrong.

        Raises
        ------
        InputError
            No question can be asked.
        """
        match action:
            case "answer":
                return ActionCost(self.answer, self.answer + self.wrong_answer)
            case "ask":
                if self.question is None:
                    raise InputError(
                        "questions have no cost", field="question", expected="a number"
                    )
                return ActionCost(
                    self.question + self.needless_question, self.question + self.vain_question
                )
            case "escalate":
                return ActionCost(self.review + self.needless_review, self.review)
            case "abstain":
                return ActionCost(self.abstention + self.missed_answer, self.abstention)


def optimal_rule(costs: Costs, otherwise: Otherwise = "escalate") -> DecisionRule:
    """The rule of least expected cost, if probabilities are calibrated.

    Where two actions cost the same, answering comes before asking, and asking before the third.

    Parameters
    ----------
    costs
        Of every action.
    otherwise
        The third action.

    Raises
    ------
    InputError
        Asking is best at the lowest probabilities and the third action above them, which is the
        reverse of what a rule can say.
    """
    answer, third = costs.of("answer"), costs.of(otherwise)
    if costs.question is None:
        return _rule(_crossing(answer, third), None, otherwise)
    ask = costs.of("ask")
    answer_at = max(_crossing(answer, third), _crossing(answer, ask))
    if ask.fall > third.fall:
        ask_at = _crossing(ask, third)
    elif ask.fall == third.fall:
        ask_at = 0.0 if ask.if_wrong <= third.if_wrong else math.inf
    else:
        # Here asking is best below the crossing, and the third action between it and answering.
        below = _crossing(third, ask)
        if 0.0 < below < min(answer_at, 1.0):
            raise InputError(
                f"asking would pay below a probability of {below:.4g} and '{otherwise}' from there "
                "to the answers, which no rule can say",
                field="vain_question",
                expected="a cost of questions that do not lead on, or a smaller needless_question",
            )
        ask_at = math.inf if below <= 0.0 else 0.0
    return _rule(answer_at, ask_at, otherwise)


def _crossing(steeper: ActionCost, other: ActionCost) -> float:
    """The probability from which the steeper line is not above the other."""
    return (steeper.if_wrong - other.if_wrong) / (steeper.fall - other.fall)


def _rule(answer_at: float, ask_at: float | None, otherwise: Otherwise) -> DecisionRule:
    """A rule from crossings, which may lie outside [0, 1]."""
    answer = None if answer_at > 1.0 else max(answer_at, 0.0)
    ask = None if ask_at is None or ask_at > 1.0 else max(ask_at, 0.0)
    if answer is not None and ask is not None and ask >= answer:
        ask = None
    return DecisionRule(answer_at=answer, ask_at=ask, otherwise=otherwise)
