"""What a gate does with a whole column of probabilities."""

from __future__ import annotations

import numpy as np

from turnsure.calibration.gate_parts import GateLimits, GateValidity
from turnsure.core.decision import ACTIONS, DecisionRule
from turnsure.numerics.arrays import BoolArray, FloatArray, Int64Array, IntArray

ANSWER, ASK, ESCALATE, ABSTAIN = range(len(ACTIONS))
"""Places in :data:`turnsure.core.decision.ACTIONS`."""


def actions_of(
    rule: DecisionRule,
    limits: GateLimits,
    validity: GateValidity,
    probability: FloatArray,
    turn: Int64Array | None,
) -> IntArray:
    """The action of each row, a place in ``ACTIONS``, shape (n,).

    The rule, the limit of turns and the turns that were measured decide.  Nothing is known here of
    acts that cannot be undone, or of questions that may not be asked for other reasons.
    """
    n = len(probability)
    may_ask = np.ones(n, dtype=np.bool_)
    if limits.most_turns is not None and turn is not None:
        may_ask = turn < limits.most_turns
    found = np.full(n, ACTIONS.index(rule.otherwise), dtype=np.intp)
    if rule.ask_at is not None:
        found[may_ask & (probability >= rule.ask_at)] = ASK
    if rule.answer_at is not None:
        found[probability >= rule.answer_at] = ANSWER
    if validity.turns is not None and turn is not None:
        first, last = validity.turns
        found[(turn < first) | (turn > last)] = ESCALATE
    return found


def ending_answers(action: IntArray, group: IntArray, turn: Int64Array) -> BoolArray:
    """Which rows are the answer that their dialogue gets, shape (n,).

    A dialogue ends at its first turn at which nothing is asked.  Where that hands over, no answer
    is given, whatever later turns would say.
    """
    ends = np.flatnonzero(action != ASK)
    order = ends[np.lexsort((turn[ends], group[ends]))]
    first = order[np.diff(group[order], prepend=-1) != 0]
    answers = np.zeros(len(action), dtype=np.bool_)
    answers[first] = action[first] == ANSWER
    return answers
