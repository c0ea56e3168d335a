"""Paired comparisons: what they count, refuse, and leave undefined."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import get_args

import numpy as np
import pytest

from turnsure import metrics
from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.core.turns import TurnColumns
from turnsure.metrics.paired_metrics import COMPARISONS, PairedMetric

RANDOM = np.random.default_rng(8)
N_DIALOGUES, N_TURNS = 25, 3
DIALOGUE = np.repeat([f"d{k}" for k in range(N_DIALOGUES)], N_TURNS)
TURN = np.tile(np.arange(1, N_TURNS + 1), N_DIALOGUES)
BEFORE, AFTER, OTHER = (np.round(RANDOM.random(len(TURN)), 1) for _ in range(3))


def columns(**changed):
    given = {
        "dialogue": DIALOGUE,
        "turn": TURN,
        "n_turns": np.full(len(TURN), N_TURNS),
        "confidence": BEFORE,
        "correct": (BEFORE + OTHER > 1).astype(int),
    }
    return TurnColumns(**{**given, **changed})


LEFT = columns()
RIGHT = columns(confidence=AFTER, correct=(AFTER + OTHER > 1.1).astype(int))


def compare(metric="brier", left=LEFT, right=RIGHT, **settings):
    return metrics.paired_metric_difference(metric, left, right, **settings)


CALLS = {
    "paired_change": lambda **s: metrics.paired_change(BEFORE, AFTER, DIALOGUE, **s),
    "paired_separation": lambda **s: metrics.paired_separation(BEFORE, AFTER, OTHER, DIALOGUE, **s),
    **{
        f"{metric}_difference": lambda metric=metric, **s: compare(metric, **s)
        for metric in get_args(PairedMetric)
    },
}


@pytest.mark.parametrize("name", CALLS)
def test_a_result_says_what_it_is(name):
    result = CALLS[name](resamples=100, level=0.9)
    assert result.name == name
    assert (result.n_turns, result.n_dialogues, result.n_failed) == (75, 25, 0)
    interval = result.interval
    assert (interval.level, interval.n_resamples) == (0.9, 100)
    assert interval.method == "cluster_bootstrap"
    assert "expanded" in result.definition["interval"]
    wider = CALLS[name](resamples=100, level=0.99).interval
    assert wider.low < interval.low <= interval.high < wider.high


@pytest.mark.parametrize("name", CALLS)
def test_the_seed_decides(name):
    def interval(seed):
        return CALLS[name](resamples=50, seed=seed).interval

    assert interval(1) == interval(1)
    assert interval(1) != interval(2)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("settings", "field"),
    [({"resamples": 0}, "resamples"), ({"seed": -1}, "seed"), ({"level": 1.0}, "level")],
)
def test_settings_of_the_bootstrap(name, settings, field):
    with pytest.raises(InputError, match=f"field '{field}'"):
        CALLS[name](**settings)


def test_directions():
    assert CALLS["paired_change"]().direction == "none"
    assert CALLS["paired_separation"]().direction == "higher"
    assert compare("info_ece").direction == "lower"
    assert compare("auroc").direction == "higher"


def test_every_metric_that_is_named_can_be_compared():
    assert list(COMPARISONS) == list(get_args(PairedMetric))


@pytest.mark.parametrize("missing", [None, math.nan])
def test_an_incomplete_pair_is_left_out_once(missing):
    result = metrics.paired_change(
        [0.5, missing, 0.25, missing], [1.0, 0.5, missing, missing], ["a", "a", "b", "c"]
    )
    assert (result.value, result.n_turns, result.n_dialogues, result.n_failed) == (0.5, 1, 1, 3)
    assert result.interval is None


def test_masked_pairs():
    before = np.ma.MaskedArray([0.5, 7.0], mask=[False, True])
    assert metrics.paired_change(before, [1.0, 1.0], [1, 2]).n_failed == 1
    test = metrics.sign_flip_test(np.ma.MaskedArray([0.5, 7.0], mask=[False, True]), [1, 2])
    assert (test.statistic, test.n_failed) == (0.5, 1)


def test_outcomes_change_too():
    result = metrics.paired_change([True, False], [True, True], ["a", "b"])
    assert result.value == 0.5


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: metrics.paired_change([0.5, 1.5], [1, 1], [1, 2]), r"'before': row 1 is 1\.5"),
        (lambda: metrics.paired_change([0.5], [-1], [1]), "'after': row 0 is -1"),
        (lambda: metrics.paired_change([0.5], [1, 1], [1]), "'after': it has 2 rows and 'before'"),
        (lambda: metrics.paired_change([0.5], [1], [1, 2]), "'dialogue': it has 2 rows"),
        (lambda: metrics.paired_separation([1], [1], [2], [1]), "'after_placebo': row 0 is 2"),
        (lambda: metrics.sign_flip_test([0.1], [1, 2]), "'dialogue': it has 2 rows"),
        (lambda: metrics.sign_flip_test([0.1], [1], draws=0), "'draws'"),
        (lambda: metrics.sign_flip_test([0.1], [1], draws=10**9), "'draws'"),
        (lambda: metrics.sign_flip_test([0.1], [1], seed=-1), "'seed'"),
        (lambda: metrics.sign_flip_test([1, "2"], [1, 2]), "'differences': row 1 is '2'"),
        (lambda: metrics.sign_flip_test([1, math.inf], [1, 2]), "'differences': row 1 is inf"),
        (lambda: metrics.sign_flip_test([1, [2]], [1, 2]), r"'differences': row 1 is \[2\]"),
        (lambda: metrics.sign_flip_test([[1], [2]], [1, 2]), "'differences': it has 2 dimensions"),
        (lambda: metrics.sign_flip_test("0", [1]), "'differences': it has 0 dimensions"),
        (lambda: metrics.holm([0.5, 1.1]), r"'p_values': row 1 is 1\.1"),
        (lambda: metrics.holm([0.5, "x"]), "'p_values': row 1 is 'x'"),
    ],
)
def test_what_is_refused(call, problem):
    with pytest.raises(InputError, match=problem):
        call()


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: metrics.paired_change([None], [1], [1]), "'before'"),
        (lambda: metrics.paired_change([0.5, None], [None, 1], [1, 1]), "none of the 2 rows"),
        (lambda: metrics.sign_flip_test([None, math.nan], [1, 2]), "none of the 2 rows"),
        (lambda: metrics.sign_flip_test([], []), "none of the 0 rows"),
    ],
)
def test_what_is_undefined(call, problem):
    with pytest.raises(UndefinedMetricError, match=problem):
        call()


@pytest.mark.parametrize(
    "differences",
    [(0.5, -0.25), np.array([0.5, -0.25], dtype=np.float32), [np.float64(0.5), -0.25]],
)
def test_differences_come_in_many_forms(differences):
    test = metrics.sign_flip_test(differences, ["a", "b"])
    assert (test.statistic, test.p_value, test.n_draws) == (0.125, 1.0, 4)
    assert metrics.sign_flip_test([True, 1], [1, 2]).statistic == 1.0
    with pytest.raises(InputError, match="'differences': row 0 is Decimal"):
        metrics.sign_flip_test([Decimal(1)], [1])


def test_rounding_does_not_split_ties():
    """0.1 + 0.2 − 0.3 is not 0 in doubles; whole numbers decide."""
    assert sum([0.1, 0.2, -0.3]) != 0.0
    assert metrics.sign_flip_test([0.1, 0.2, -0.3], [1, 2, 3]).p_value == 1.0
    many = metrics.sign_flip_test([0.1, 0.2, -0.3] * 10, range(30), draws=500)
    assert many.p_value == 1.0


class TestPairing:
    def test_turns_of_one_side_are_left_out_and_counted(self):
        here, there = TURN != 2, np.char.equal(DIALOGUE, "d3")
        left = TurnColumns(**{name: getattr(LEFT, name)[here] for name in TurnColumns.__slots__})
        right = replace(RIGHT, confidence=np.where(there, np.nan, AFTER))
        result = compare(left=left, right=right)
        assert (result.n_turns, result.n_dialogues, result.n_failed) == (48, 24, 27)
        assert (result.details["n_one_side"], result.details["n_unscored"]) == (25, 2)
        kept = here & ~there
        both = (
            metrics.brier(side.confidence[kept], side.correct[kept]).value for side in (LEFT, RIGHT)
        )
        assert (result.details["left"], result.details["right"]) == pytest.approx(tuple(both))

    def test_a_dialogue_of_one_paired_turn_has_no_tau(self):
        left = replace(LEFT, confidence=[0.5, None, None, *BEFORE[3:]])
        result = compare("kendall_tau", left=left)
        assert (result.n_turns, result.n_dialogues, result.details["n_left_out"]) == (72, 24, 1)

    def test_numbers_and_text_are_different_dialogues(self):
        left = columns(dialogue=np.arange(75) // 3)
        with pytest.raises(UndefinedMetricError, match="none of the 0 turns that both"):
            compare(left=left, right=columns(dialogue=[str(k // 3) for k in range(75)]))

    def test_a_metric_that_needs_no_outcome_reads_none(self):
        ungraded = columns(correct=[None] * 75)
        assert compare("mean_confidence", left=ungraded).n_turns == 75
        with pytest.raises(UndefinedMetricError, match="left: none of the 75 rows"):
            compare("brier", left=ungraded)

    @pytest.mark.parametrize(
        ("changed", "problem"),
        [
            ({"confidence": BEFORE + 1}, r"'right\.confidence': row"),
            ({"correct": [2] * 75}, r"'right\.correct': row 0 is 2"),
            ({"dialogue": DIALOGUE[:9]}, r"'right\.dialogue': it has 9 rows"),
            ({"turn": TURN[:9]}, r"'right\.turn': it has 9 rows"),
            ({"turn": TURN - 1}, r"'right\.turn': row 0 is 0"),
            ({"turn": [1] * 75}, r"'right\.turn': rows 0 and 1 are the same turn"),
            ({"n_turns": [3] * 9}, r"'right\.n_turns': it has 9 rows"),
            (
                {"n_turns": [3, 3, 3, 4, 4, 4, *[3] * 69]},
                "'n_turns': dialogue 'd1' has 3 turns on the left and 4 on the right",
            ),
        ],
    )
    def test_what_is_refused(self, changed, problem):
        with pytest.raises(InputError, match=problem):
            compare(right=columns(**changed))

    def test_one_class_on_one_side(self):
        with pytest.raises(UndefinedMetricError, match="right: all 75 answers are right"):
            compare("auroc", right=columns(correct=[1] * 75))

    @pytest.mark.parametrize(
        ("settings", "problem"),
        [
            ({"metric": "log_loss"}, "'metric'.*one of 'accuracy'"),
            ({"bins": 0}, "'bins'"),
            ({"binning": "equal"}, "'binning'"),
        ],
    )
    def test_settings(self, settings, problem):
        with pytest.raises(InputError, match=problem):
            compare(**settings)

    @pytest.mark.parametrize("metric", ["ece", "info_ece"])
    def test_bins_are_those_asked_for(self, metric):
        result = compare(metric, bins=4, binning="mass")
        assert (result.definition["bins"], result.definition["binning"]) == (4, "mass")
        extra = (TURN, LEFT.n_turns) if metric == "info_ece" else ()
        alone = getattr(metrics, metric)(AFTER, RIGHT.correct, *extra, 4, "mass")
        assert result.details["right"] == pytest.approx(alone.value, abs=1e-12)

    def test_resamples_without_a_value_on_either_side_are_not_counted(self):
        one_wrong = columns(correct=[0, *[1] * 74])
        n = compare("auroc", left=one_wrong).interval.n_resamples
        # 25 draws miss the dialogue with the only wrong answer with probability (24/25)²⁵ = 0.36.
        assert 0.60 < n / 2000 < 0.68
