"""The thresholds that cost least on labelled rows."""

from __future__ import annotations

import numpy as np

from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.costs import ActionCost, Costs, Otherwise
from turnsure.calibration.thresholds.steps import Counts, Selector, steps_of
from turnsure.core.chosen import RuleCost
from turnsure.core.decision import Action, DecisionRule
from turnsure.numerics.arrays import BoolArray, FloatArray, Int64Array, IntArray

_ROUNDING = 1e-12
"""Mean costs that differ by less than this share of the largest cost are equal."""


def cheapest_rule(
    rows: LabelledScores, costs: Costs, otherwise: Otherwise = "escalate"
) -> RuleCost:
    """The rule of least total cost on labelled rows.

    Every distinct score may be a threshold, and so may none at all; rows of one score are never
    parted.  Of rules that cost the same, the one with the highest ``answer_at`` is taken (none
    being the highest), then the one with the highest ``ask_at``.

    The total is a sum of one term for each threshold, so that one walk along the scores, with the
    best second threshold so far in hand, finds the best pair.
    """
    steps = steps_of(rows, "row")
    thresholds = steps.thresholds()
    first, second = _cheapest(steps.counts(thresholds), costs, otherwise)
    answer_at, ask_at = int(first[0]), int(second[0])
    rule = DecisionRule(
        answer_at=None if answer_at < 0 else float(thresholds[answer_at]),
        ask_at=None if ask_at == answer_at else float(thresholds[ask_at]),
        otherwise=otherwise,
    )
    return cost_of(rows, rule, costs)


def cheapest(costs: Costs, otherwise: Otherwise) -> Selector:
    """The place of the ``answer_at`` of the rule of least total cost, for rows."""
    return lambda counts: _cheapest(counts, costs, otherwise)[0]


def _cheapest(counts: Counts, costs: Costs, otherwise: Otherwise) -> tuple[IntArray, IntArray]:
    """Places of both thresholds in every sample, −1 for none; equal when nothing is asked."""
    wrong = _from_none(counts.wrong)
    right = _from_none(counts.answered) - wrong
    answer, third = costs.of("answer"), costs.of(otherwise)
    if costs.question is None:
        first = _first_lowest(_total(right, wrong, answer, third), _slack(counts, answer, third))
        return first - 1, first - 1
    ask = costs.of("ask")
    slack = _slack(counts, answer, ask, third)
    upper, lower = _total(right, wrong, answer, ask), _total(right, wrong, ask, third)
    # The least that any second threshold at or below the first adds.
    least_below = np.minimum.accumulate(lower[:, ::-1], axis=1)[:, ::-1]
    first = _first_lowest(upper + least_below, slack)
    below = np.greater_equal(np.arange(lower.shape[1], dtype=np.intp), first[:, np.newaxis])
    second = _first_lowest(np.where(below, lower, np.inf), slack)
    return first - 1, second - 1


def cost_of(rows: LabelledScores, rule: DecisionRule, costs: Costs) -> RuleCost:
    """What a rule costs on labelled rows, each decided by itself with questions left.

    Raises
    ------
    InputError
        The rule asks and questions have no cost.
    """
    answers = _at_least(rows, rule.answer_at)
    asks = _at_least(rows, rule.ask_at) & ~answers
    parts: dict[Action, BoolArray] = {"answer": answers, rule.otherwise: ~(answers | asks)}
    if rule.ask_at is not None:
        parts["ask"] = asks
    total = 0.0
    for action, where in parts.items():
        cost = costs.of(action)
        n_right = int(np.count_nonzero(where & rows.correct))
        n_wrong = int(np.count_nonzero(where)) - n_right
        total += n_right * cost.if_right + n_wrong * cost.if_wrong
    return RuleCost(
        rule=rule,
        mean_cost=total / len(rows),
        n_answered=int(np.count_nonzero(answers)),
        n_asked=int(np.count_nonzero(asks)),
        n_otherwise=int(np.count_nonzero(parts[rule.otherwise])),
        n_rows=len(rows),
    )


def _at_least(rows: LabelledScores, threshold: float | None) -> BoolArray:
    return rows.score >= (np.inf if threshold is None else threshold)


def _from_none(counts: Int64Array) -> Int64Array:
    """Counts at every threshold, after those of "no threshold"."""
    return np.concatenate((np.zeros((len(counts), 1), dtype=np.int64), counts), axis=1)


def _total(
    n_right: Int64Array, n_wrong: Int64Array, above: ActionCost, below: ActionCost
) -> FloatArray:
    """How the total changes when one action takes the place of another above each threshold."""
    return n_right * (above.if_right - below.if_right) + n_wrong * (above.if_wrong - below.if_wrong)


def _slack(counts: Counts, *actions: ActionCost) -> FloatArray:
    """What rounding may add to the total of each sample."""
    return _ROUNDING * max(max(action) for action in actions) * counts.n.astype(np.float64)


def _first_lowest(totals: FloatArray, slack: FloatArray) -> IntArray:
    lowest = np.min(totals, axis=1) + slack
    return np.argmax(totals <= lowest[:, np.newaxis], axis=1).astype(np.intp)
