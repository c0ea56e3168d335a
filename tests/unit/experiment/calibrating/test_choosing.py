"""From costs or a target to a rule, with its promise."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure.calibration.fitting import fit
from turnsure.calibration.folds import out_of_fold
from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.costs import Costs, optimal_rule
from turnsure.calibration.thresholds.risk import RiskTarget
from turnsure.core.decision import DecisionRule
from turnsure.core.errors import InputError, LeakageError
from turnsure.experiment.calibrating.choosing import choose
from turnsure.experiment.calibrating.policies import replay

PRICES = Costs(wrong_answer=10, question=0.5, review=4, vain_question=4)


def dialogues(n, *, seed=0, first=0, n_turns=4):
    """Calibrated scores that rise with the turn; ids from ``first`` on."""
    random = np.random.default_rng(seed)
    ids = np.repeat(np.arange(first, first + n), n_turns)
    turn = np.tile(np.arange(1, n_turns + 1), n)
    logit = -2 + turn + random.normal(0, 1.5, n).repeat(n_turns)
    score = 1 / (1 + np.exp(-logit))
    return LabelledScores.of(
        score,
        random.random(len(ids)) < score,
        dialogue=ids,
        turn=turn,
        n_turns=np.full(len(ids), n_turns),
    )


def rows(n, seed=0):
    random = np.random.default_rng(seed)
    score = random.random(n)
    return LabelledScores.of(score, random.random(n) < score)


def test_a_target_for_dialogues():
    labelled = dialogues(400)
    found = choose(labelled, target=RiskTarget(error=0.1))
    assert (found.method, found.unit) == ("fixed_sequence", "dialogue")
    assert (found.n_units, found.n_dialogues, found.n_rows) == (400, 400, 1600)
    assert found.rule.ask_at == 0.0
    assert found.evidence.threshold == found.rule.answer_at
    assert found.evidence.upper_bound <= 0.1
    assert found.evidence.p_value <= 0.05
    assert found.naive.threshold < found.rule.answer_at
    assert found.reason is None
    assert found.needed is None
    assert found.guarantee.startswith(
        "With 95 % confidence at most 10 % of the dialogues that get an answer get a wrong one"
    )
    assert "The dialogues are exchangeable with those to come." in found.assumptions
    assert found.stability.n_resamples == 1000
    # The replay of the rule comes to what the evidence says.
    played = replay(labelled, found.rule)
    assert played.n_answered == found.evidence.n_answered
    assert played.n_answered - played.n_right == found.evidence.n_wrong


def test_what_is_counted_where_nothing_is_said():
    single = choose(rows(300), target=RiskTarget(error=0.3), resamples=0)
    assert (single.unit, single.rule.ask_at) == ("row", None)
    assert "The rows are exchangeable with those to come." in single.assumptions
    assert single.stability is None
    repeated = LabelledScores.of([0.9, 0.8, 0.7], [1, 1, 0], dialogue=["a", "a", "b"])
    drawn = choose(repeated, target=RiskTarget(error=0.3), resamples=0)
    assert (drawn.unit, drawn.n_units) == ("one_row", 2)


def test_rows_declared_independent_are_warned_about():
    found = choose(dialogues(50), target=RiskTarget(error=0.2, unit="row"), resamples=0)
    assert any("200 rows are declared independent" in text for text in found.assumptions)


def test_no_threshold_is_an_answer():
    few = LabelledScores.of([0.9] * 20 + [0.1] * 20, [1] * 20 + [0] * 20)
    found = choose(few, target=RiskTarget(error=0.05), resamples=20)
    assert found.rule == DecisionRule(answer_at=None)
    assert found.guarantee is None
    assert found.reason == "No threshold meets this target with these data."
    assert found.needed.n_more == 78
    assert found.needed.reason == (
        "About 78 more labelled rows would be needed, if error and coverage stay what they are "
        "where that is fewest (0 of 20 answered rows wrong at 0.9)."
    )
    assert found.stability.share_none == 1.0
    assert found.evidence is None
    assert found.naive.threshold == 0.9


def test_conformal_risk_control():
    found = choose(dialogues(200), target=RiskTarget(error=0.1, method="conformal"), resamples=0)
    assert found.conformal.corrected_risk <= 0.1
    assert found.conformal.threshold == found.rule.answer_at
    assert found.guarantee.startswith("On average over labelled sets of 200")
    too_few = choose(rows(8), target=RiskTarget(error=0.1, method="conformal"), resamples=0)
    assert too_few.conformal.infimum is None
    assert too_few.rule.answer_at is None


def test_a_map_that_saw_other_dialogues():
    fitted = fit("platt", dialogues(100))
    others = dialogues(300, seed=1, first=100)
    found = choose(others, probability=fitted, target=RiskTarget(error=0.2), resamples=0)
    assert "The map was fitted on other dialogues and is used as it is." in found.assumptions
    same = choose(
        others,
        probability=fitted.on(others),
        how="split",
        target=RiskTarget(error=0.2),
        resamples=0,
    )
    assert same == found


def test_a_map_that_saw_a_dialogue_is_refused():
    fitted = fit("platt", dialogues(100))
    with pytest.raises(LeakageError, match="platt was fitted on 50 of the 300 dialogues"):
        choose(dialogues(300, first=50), probability=fitted, target=RiskTarget(error=0.2))


def test_cross_fitted_probabilities_say_so():
    labelled = dialogues(200)
    crossed = out_of_fold("platt", labelled)
    found = choose(labelled, probability=crossed, target=RiskTarget(error=0.2), resamples=0)
    assert any(text.startswith("Probabilities are cross-fitted") for text in found.assumptions)


def test_the_score_itself_as_probability_is_raw():
    labelled = dialogues(100)
    target = RiskTarget(error=0.2)
    plain = choose(labelled, target=target, resamples=0)
    assert choose(labelled, probability=labelled.score, target=target, resamples=0) == plain


def test_costs_take_the_optimal_rule_for_probabilities_and_the_cheapest_for_scores():
    labelled = rows(500)
    raw = choose(labelled, costs=PRICES, resamples=50)
    assert raw.rule == raw.cheapest.rule
    assert raw.guarantee is None
    assert raw.cheapest.mean_cost <= raw.by_costs.mean_cost
    crossed = out_of_fold("platt", labelled)
    calibrated = choose(labelled, probability=crossed, costs=PRICES, resamples=50)
    assert calibrated.rule == optimal_rule(PRICES)
    assert calibrated.stability.n_resamples == 50
    assert calibrated.evidence.threshold == calibrated.rule.answer_at


def test_costs_under_which_nothing_is_answered():
    found = choose(rows(50), costs=Costs(wrong_answer=5, answer=3, review=1), resamples=0)
    assert found.rule.answer_at is None
    assert found.reason == "With these costs no probability is high enough to answer."


def test_costs_raise_the_threshold_of_a_target():
    labelled = dialogues(400)
    target = RiskTarget(error=0.2)
    alone = choose(labelled, target=target, resamples=0)
    dear = Costs(wrong_answer=12, question=1, review=8)
    both = choose(labelled, target=target, costs=dear, resamples=0)
    assert alone.rule.answer_at < 11 / 12 <= both.rule.answer_at
    assert both.evidence.p_value <= 0.05
    assert both.guarantee is not None


def test_costs_do_not_raise_the_threshold_to_where_nothing_was_tested():
    labelled = dialogues(400)
    dear = Costs(wrong_answer=1e6, question=1, review=8)
    target = RiskTarget(error=0.2)
    both = choose(labelled, target=target, costs=dear, resamples=0)
    assert both.evidence.p_value <= 0.05
    assert both.rule.answer_at > choose(labelled, target=target, resamples=0).rule.answer_at
    assert any(text.startswith("Costs alone would answer only") for text in both.assumptions)


def test_dialogues_that_are_handed_over_early_are_not_counted_as_answered_later():
    """With costs a gate escalates at the first turn that is too unsure to ask: as replayed."""
    labelled = dialogues(400, n_turns=7)
    both = choose(labelled, target=RiskTarget(error=0.2), costs=PRICES, resamples=0)
    assert both.rule.ask_at == pytest.approx(0.125)
    played = replay(labelled, both.rule)
    assert played.n_answered == both.evidence.n_answered
    assert played.n_answered - played.n_right == both.evidence.n_wrong
    assert both.n_units == 400
    always = replay(labelled, DecisionRule(answer_at=both.rule.answer_at, ask_at=0.0))
    assert always.n_answered > played.n_answered


def test_asking_may_be_set_by_hand_and_is_counted_so():
    labelled = dialogues(400, n_turns=7)
    found = choose(labelled, target=RiskTarget(error=0.2), ask_at=0.3, resamples=0)
    assert found.rule.ask_at == 0.3
    played = replay(labelled, found.rule)
    assert played.n_answered == found.evidence.n_answered
    free = choose(labelled, target=RiskTarget(error=0.2), resamples=0)
    assert free.evidence.n_answered > found.evidence.n_answered


def test_questions_that_never_pay_leave_the_first_turn():
    labelled = dialogues(400)
    dear = Costs(wrong_answer=10, question=9, review=2)
    both = choose(labelled, target=RiskTarget(error=0.3), costs=dear, resamples=0)
    assert both.rule.ask_at is None
    played = replay(labelled, both.rule)
    assert played.questions.value == 0.0
    assert (both.evidence is None) == (both.rule.answer_at is None)
    if both.evidence is not None:
        assert played.n_answered == both.evidence.n_answered


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "'target': there is nothing to choose by"),
        ({"probability": np.array([0.5]), "costs": PRICES}, "'probability': it has 1 rows"),
        ({"probability": np.full(10, 1.5), "costs": PRICES}, "'probability': row 0 is 1.5"),
        ({"target": RiskTarget(error=0.1, unit="dialogue")}, "'turn': the rows have no turns"),
        ({"costs": PRICES, "resamples": -1}, "'resamples': it is -1"),
        ({"costs": PRICES, "ask_at": 0.5}, "'ask_at': it stands without a target"),
        ({"target": RiskTarget(error=0.1), "ask_at": 1.5}, "'ask_at': it is 1.5"),
    ],
)
def test_mistakes(settings, message):
    with pytest.raises(InputError, match=message):
        choose(rows(10), **settings)
