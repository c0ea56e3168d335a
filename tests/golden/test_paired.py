"""Paired comparisons of small tables, worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from turnsure import metrics
from turnsure.core.turns import TurnColumns


def near(value):
    return pytest.approx(float(value), abs=1e-14)


class TestChange:
    # Dialogue a: −1/10, 3/10; b: 2/10; the last pair of c is not complete, its first is 0.
    before = (0.5, 0.2, 0.6, 0.4, 0.9)
    after = (0.4, 0.5, 0.8, 0.4, None)
    dialogue = ("a", "a", "b", "c", "c")

    def test_dialogues_weigh_the_same(self):
        # Means of the dialogues 1/10, 2/10, 0; of the pairs it would be 4/40.
        result = metrics.paired_change(self.before, self.after, self.dialogue)
        assert result.value == near(Fraction(1, 10))
        assert (result.n_turns, result.n_dialogues, result.n_failed) == (4, 3, 1)
        # (7/20 + 6/10 + 4/10) / 3 and (9/20 + 8/10 + 4/10) / 3.
        assert result.details["mean_before"] == near(Fraction(27, 60))
        assert result.details["mean_after"] == near(Fraction(33, 60))

    def test_its_sign_flips(self):
        # c cannot be flipped.  Of ±1 ±2 (tenths) two of four reach 3: p = 1/2.
        differences = [-0.1, 0.3, 0.2, 0.0, None]
        test = metrics.sign_flip_test(differences, self.dialogue)
        assert test.p_value == 0.5
        assert test.statistic == near(Fraction(1, 10))
        assert (test.n_dialogues, test.exact, test.n_draws, test.n_failed) == (3, True, 4, 1)

    def test_separation(self):
        # Only turns with all three: a1 and b.  On information 2/10 and 3/10, on the placebo
        # −1/10 and 0.
        result = metrics.paired_separation(
            (0.5, 0.2, 0.6, 0.4), (0.7, 0.9, 0.9, None), (0.4, None, 0.6, 0.1), ("a", "a", "b", "c")
        )
        assert result.details["change_on_information"] == near(Fraction(1, 4))
        assert result.details["change_on_placebo"] == near(Fraction(-1, 20))
        assert result.value == near(Fraction(3, 10))
        assert (result.n_turns, result.n_dialogues, result.n_failed) == (2, 2, 2)


class TestSignFlips:
    @pytest.mark.parametrize(
        ("means", "p"),
        [
            # Two patterns of 2^n are as far out as n changes of one sign.
            ((0.1, 0.2, 0.3, 0.4), Fraction(2, 16)),
            ((0.1,) * 8, Fraction(2, 256)),
            # ±1 ±2 ±3 reach 0 always and 6 twice; 4 = 3 + 2 − 1 is reached by ±4 and ±6.
            ((0.1, 0.2, -0.3), Fraction(1)),
            ((-0.1, 0.2, 0.3), Fraction(4, 8)),
            # One of five the other way: 1 + 5 patterns at either end.
            ((1, 1, 1, 1, -1), Fraction(12, 32)),
            ((0.0, 0.0), Fraction(1)),
        ],
    )
    def test_all_patterns(self, means, p):
        assert metrics.sign_flip_test(means, range(len(means))).p_value == p

    def test_random_patterns_count_the_one_found(self):
        # No random pattern of 40 equal changes reaches; the one found is added to both counts.
        test = metrics.sign_flip_test([0.25] * 40, range(40), draws=999)
        assert (test.p_value, test.exact, test.n_draws) == (1 / 1000, False, 999)


class TestHolm:
    def test_four_tests(self):
        # Sorted .01 .01 .03 .04 times 4 3 2 1: .04 .03 .06 .04, and each at least the one before.
        assert metrics.holm([0.04, 0.01, 0.03, 0.01]) == pytest.approx((0.06, 0.04, 0.06, 0.04))

    def test_tests_without_a_p_value_do_not_count(self):
        assert metrics.holm([0.02, None, 0.5]) == pytest.approx((0.04, None, 0.5))
        assert metrics.holm([None, float("nan")]) == (None, None)
        assert metrics.holm([]) == ()

    def test_at_most_one(self):
        assert metrics.holm([0.5, 0.9, 0.4]) == (1.0, 1.0, 1.0)


class TestDifferenceOfAMetric:
    # Left has a1 a2 a3 b1 b2 and right has a1 a2 b1 b2 c1, in another order; b2 is not graded on
    # the right.  Paired: a1 a2 b1 b2, with outcomes on both sides a1 a2 b1.
    left = TurnColumns(
        dialogue=["a", "a", "a", "b", "b"],
        turn=[1, 2, 3, 1, 2],
        n_turns=[3, 3, 3, 2, 2],
        confidence=[0.2, 0.6, 0.9, 0.5, 0.4],
        correct=[0, 1, 1, 1, 0],
    )
    right = TurnColumns(
        dialogue=["c", "b", "b", "a", "a"],
        turn=[1, 2, 1, 2, 1],
        n_turns=[1, 2, 2, 3, 3],
        confidence=[0.1, 0.8, 0.5, 0.9, 0.3],
        correct=[1, None, 0, 1, 0],
    )

    @pytest.mark.parametrize(
        ("metric", "left_value", "right_value"),
        [
            ("accuracy", Fraction(2, 3), Fraction(1, 3)),
            # Over a1 a2 b1 b2: 17/40 and 25/40.
            ("mean_confidence", Fraction(17, 40), Fraction(25, 40)),
            # (.04 + .16 + .25) / 3 and (.09 + .01 + .25) / 3.
            ("brier", Fraction(45, 300), Fraction(35, 300)),
            # Left: .6 and .5 above .2.  Right: .9 above .3 and .5.
            ("auroc", 1, 1),
            # a rises on both sides; b falls on the left and rises on the right.
            ("kendall_tau", 0, 1),
            # Levels 1/3, 2/3, 1/2 in bins (0, ½]: a1 b1, (½, 1]: a2.
            # Left |1/2 − .35| = .15 and .4; right |0 − .4| and .1.
            ("info_ece", Fraction(55, 200), Fraction(50, 200)),
            # Bins [0, ½): .2 wrong; [½, 1]: .6 .5, both right: (.2 + .9) / 3.
            # Right: .3 wrong; .9 right and .5 wrong: (.3 + .4) / 3.
            ("ece", Fraction(11, 30), Fraction(7, 30)),
        ],
    )
    def test_both_values(self, metric, left_value, right_value):
        result = metrics.paired_metric_difference(metric, self.left, self.right, bins=2)
        assert result.details["left"] == near(left_value)
        assert result.details["right"] == near(right_value)
        assert result.value == near(right_value - left_value)
        assert result.n_dialogues == 2
        assert result.details["n_one_side"] == 2
        all_scored = metric in {"mean_confidence", "kendall_tau"}
        assert (result.n_turns, result.n_failed) == ((4, 2) if all_scored else (3, 3))
        assert result.details["n_unscored"] == (0 if all_scored else 1)
