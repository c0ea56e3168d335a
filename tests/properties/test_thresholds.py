"""Thresholds do not depend on the order of rows, part no ties, and agree with plain searches."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.cheapest import cheapest_rule, cost_of
from turnsure.calibration.thresholds.conformal import conformal_evidence
from turnsure.calibration.thresholds.costs import Costs, optimal_rule
from turnsure.calibration.thresholds.needed import labels_needed
from turnsure.calibration.thresholds.risk import RiskTarget
from turnsure.calibration.thresholds.steps import one_row_a_dialogue, steps_of
from turnsure.core.decision import DecisionRule
from turnsure.core.errors import InputError
from turnsure.experiment.calibrating.choosing import choose
from turnsure.experiment.calibrating.policies import policy_curve, replay
from turnsure.numerics.binomial import least_trials

unhurried = settings(deadline=None, max_examples=50)

tenths = st.integers(0, 10).map(lambda k: k / 10)
amounts = st.integers(0, 8)


@st.composite
def dialogues(draw):
    """Columns of some dialogues, in order of dialogue and turn."""
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=8))
    n = sum(lengths)
    return {
        "score": draw(st.lists(tenths, min_size=n, max_size=n)),
        "correct": draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)),
        "dialogue": [d for d, length in enumerate(lengths) for _ in range(length)],
        "turn": [turn for length in lengths for turn in range(1, length + 1)],
        "n_turns": [length for length in lengths for _ in range(length)],
    }


def labelled(columns):
    return LabelledScores.of(**columns)


@st.composite
def costs(draw):
    names = ("answer", "question", "needless_question", "vain_question", "review")
    names = (*names, "needless_review", "abstention", "missed_answer")
    given_costs = {name: draw(amounts) for name in names}
    if draw(st.booleans()):
        del given_costs["question"]
    wrong = draw(st.integers(1, 20))
    assume(given_costs["vain_question"] < wrong + given_costs["needless_question"])
    return Costs(wrong_answer=wrong, **given_costs)


def first_answered(columns, threshold):
    """For each dialogue the turn answered at a threshold and whether rightly; None for none."""
    found = {}
    for d, turn, score, right in zip(
        columns["dialogue"], columns["turn"], columns["score"], columns["correct"], strict=True
    ):
        found.setdefault(d, None)
        if found[d] is None and score >= threshold:
            found[d] = (turn, right)
    return found


@unhurried
@given(dialogues())
def test_counts_of_dialogues_are_those_of_a_replay_at_every_threshold(columns):
    thresholds = np.arange(10, -1, -1) / 10
    counts = steps_of(labelled(columns), "dialogue").counts(thresholds)
    ever = set()
    for place, threshold in enumerate(thresholds.tolist()):
        given_answers = first_answered(columns, threshold)
        answers = {d: answer for d, answer in given_answers.items() if answer is not None}
        wrong = {d for d, (_, right) in answers.items() if not right}
        ever |= wrong
        assert counts.answered[0, place] == len(answers)
        assert counts.wrong[0, place] == len(wrong)
        assert counts.ever_wrong[0, place] == len(ever)


@unhurried
@given(dialogues())
def test_the_curve_is_a_replay_at_every_threshold(columns):
    rows = labelled(columns)
    for point in policy_curve(rows).points:
        played = replay(rows, DecisionRule(answer_at=point.threshold, ask_at=0.0), resamples=1)
        assert (point.n, point.y) == (played.n_answered, played.accuracy.value)
        assert point.x == pytest.approx(played.questions.value, abs=1e-12)


@unhurried
@given(dialogues(), st.randoms(use_true_random=False), st.sampled_from(["row", "dialogue"]))
def test_the_order_of_rows_decides_nothing(columns, random, unit):
    order = list(range(len(columns["score"])))
    random.shuffle(order)
    shuffled = {name: [column[k] for k in order] for name, column in columns.items()}
    target = RiskTarget(error=0.4, confidence=0.6, unit=unit)
    prices = Costs(wrong_answer=4, question=1, vain_question=2, review=2)
    first, second = (
        choose(labelled(some), target=target, costs=prices, resamples=5)
        for some in (columns, shuffled)
    )
    assert first == second
    drawn = [one_row_a_dialogue(labelled(some), seed=3) for some in (columns, shuffled)]
    assert drawn[0].score.tolist() == drawn[1].score.tolist()
    assert drawn[0].turn.tolist() == drawn[1].turn.tolist()


def plainly_cheapest(rows, prices):
    """The least mean cost of all rules, from fractions."""
    scores = sorted(set(rows.score.tolist()))
    places = [None, *scores]
    best = None
    for answer_at, ask_at in product(places, places if prices.question is not None else [None]):
        if answer_at is not None and ask_at is not None and ask_at > answer_at:
            continue
        total = Fraction(0)
        for score, right in zip(rows.score.tolist(), rows.correct.tolist(), strict=True):
            action = DecisionRule(answer_at=answer_at, ask_at=ask_at).action(score)
            total += Fraction(prices.of(action)[0 if right else 1])
        best = total if best is None else min(best, total)
    return best / len(rows)


@unhurried
@given(dialogues(), costs())
def test_no_rule_is_cheaper(columns, prices):
    rows = labelled(columns)
    found = cheapest_rule(rows, prices)
    assert Fraction(found.mean_cost).limit_denominator(1000) == plainly_cheapest(rows, prices)
    assert cost_of(rows, found.rule, prices) == found
    assert found.n_answered + found.n_asked + found.n_otherwise == len(rows)


@unhurried
@given(dialogues(), costs(), st.sampled_from([0.1, 1 / 3, 7.0, 1e6]))
def test_the_unit_of_costs_decides_nothing(columns, prices, scale):
    names = Costs.__dataclass_fields__
    scaled = Costs(
        **{
            name: None if getattr(prices, name) is None else getattr(prices, name) * scale
            for name in names
        }
    )
    rows = labelled(columns)
    assert cheapest_rule(rows, scaled).rule == cheapest_rule(rows, prices).rule
    try:
        rule = optimal_rule(prices)
    except InputError:
        return
    try:
        again = optimal_rule(scaled)
    except InputError:  # rounding has moved a crossing off an end of (0, 1)
        assume(False)
    assert (again.answer_at is None) == (rule.answer_at is None)
    if rule.answer_at is not None:
        assert again.answer_at == pytest.approx(rule.answer_at, rel=1e-12, abs=1e-12)


@unhurried
@given(costs(), st.sampled_from(["escalate", "abstain"]), st.integers(0, 60))
def test_the_optimal_rule_takes_the_action_of_least_expected_cost(prices, otherwise, sixtieths):
    try:
        rule = optimal_rule(prices, otherwise)
    except InputError:
        return
    p = Fraction(sixtieths, 60)
    actions = ["answer", otherwise, *(["ask"] if prices.question is not None else [])]
    expected = {
        action: p * Fraction(prices.of(action).if_right)
        + (1 - p) * Fraction(prices.of(action).if_wrong)
        for action in actions
    }
    taken = rule.action(float(p))
    assert float(expected[taken]) == pytest.approx(float(min(expected.values())), abs=1e-9)


@unhurried
@given(dialogues(), st.integers(1, 19))
def test_conformal_risk_control_agrees_with_its_definition(columns, twentieths):
    """λ̂ and its neighbours, in fractions, for the monotone loss of dialogues."""
    alpha = Fraction(twentieths, 20)
    steps = steps_of(labelled(columns), "dialogue")
    found = conformal_evidence(steps, steps.thresholds(), twentieths / 20)
    n = steps.n_units

    def holds(threshold):
        """Whether the bound holds at a threshold, by replays at it and above."""
        ever = set()
        for higher in [threshold, *(k / 20 for k in range(21) if k / 20 > threshold)]:
            given_answers = first_answered(columns, higher)
            ever |= {d for d, answer in given_answers.items() if answer and not answer[1]}
        return Fraction(len(ever) + 1, n + 1) <= alpha

    if found.infimum is None:
        assert not holds(1.05)
        return
    # Halfway to the next tenth stands for everything in between.
    assert holds(found.infimum + 0.05)
    if found.infimum > 0.0:
        assert not holds(found.infimum)
    if found.threshold is not None:
        assert holds(found.threshold)


@unhurried
@given(
    st.integers(1, 30),
    st.integers(0, 4),
    st.integers(0, 20),
    st.sampled_from([(0.2, 0.1), (0.5, 0.3), (0.35, 0.05)]),
)
def test_labels_needed_are_the_fewest(n_answered, n_wrong, n_below, levels):
    """By trying every number of answered rows."""
    assume(n_wrong <= n_answered)
    error, delta = levels
    n = n_answered + n_below
    scores = [0.9] * n_answered + [0.1] * n_below
    correct = [0] * n_wrong + [1] * (n_answered - n_wrong) + [0] * n_below
    steps = steps_of(LabelledScores.of(scores, correct), "row")
    least = least_trials(error, delta, 3000)
    searched = partial(least_trials, error, delta)
    found = labels_needed(steps, np.array([0.9]), searched, error=error)
    enough = (
        trials
        for trials in range(1, 3001)
        for wrong in [-(-n_wrong * trials // n_answered)]
        if wrong < len(least) and least[wrong] <= trials
    )
    trials = next(enough, None)
    if trials is None:
        assert found.n_more is None or found.n_more > 3000 - n
    elif -(-trials * n // n_answered) <= n:
        assert found.n_more is None
    else:
        assert found.n_more == -(-trials * n // n_answered) - n
