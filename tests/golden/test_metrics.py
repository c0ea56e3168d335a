"""Metrics of small tables computed by hand, and values from publications.

Where nothing else is said the expected fraction follows from the definition with pencil and paper;
the steps stand beside it.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from turnsure import metrics
from turnsure.core.errors import InputError, UndefinedMetricError

NEAR = 1e-14


def near(value):
    return pytest.approx(float(value), abs=NEAR)


class TestInformationLevel:
    # Two dialogues, of two and of four turns.
    confidence = (0.2, 0.8, 0.4, 0.6, 0.5, 0.9)
    correct = (0, 1, 0, 1, 1, 1)
    turn = (1, 2, 1, 2, 3, 4)
    n_turns = (2, 2, 4, 4, 4, 4)

    def info_ece(self, *settings):
        return metrics.info_ece(self.confidence, self.correct, self.turn, self.n_turns, *settings)

    def test_two_bins(self):
        # (0, ½]: confidences .2 .4 .6, right 0 0 1: |1/3 − 2/5| = 1/15.
        # (½, 1]: confidences .8 .5 .9, all right: 1 − 22/30 = 4/15.
        result = self.info_ece(2)
        assert result.value == near(Fraction(1, 6))
        assert result.details["n_empty_bins"] == 0

    def test_ten_bins_of_which_six_are_empty(self):
        # Levels ¼, ½, ¾, 1 fall into bins 2, 4, 7, 9, with gaps .4, .1, .5, .15.
        result = self.info_ece()
        assert result.value == near(Fraction(115, 400))
        assert result.details["n_empty_bins"] == 6

    def test_equal_mass_keeps_equal_levels_together(self):
        # Levels ¼ ½ ½ ¾ 1 1 have #{<=} = 1 3 3 4 6 6, so with B = 3 bins 0 1 1 1 2 2.
        # Gaps: .4; confidences .2 .6 .5, right 0 1 1: 2/3 − 13/30 = 7/30; 1 − .85 = .15.
        assert self.info_ece(3, "mass").value == near(
            (Fraction(2, 5) + Fraction(7, 30) + Fraction(3, 20)) / 3
        )

    def test_a_level_on_an_edge_belongs_to_the_lower_bin(self):
        # 3/10 as a double times 10 is 3.0000000000000004 in some orders of evaluation.
        for length in (10, 20, 30, 70):
            turns = [3 * length // 10, 3 * length // 10 + 1]
            points = metrics.by_level([0.1, 0.9], turns, [length, length]).points
            assert [(point.x, point.n) for point in points] == [(0.3, 1), (0.4, 1)]


class TestCalibrationError:
    def test_norms_by_hand(self):
        # Bin [.2, .3): .2 .25, right 0 1: |.5 − .225| = .275.  Bin [.8, .9): .8, wrong: .8.
        # Bin [.9, 1]: .9 1.0 1.0, right 1 1 0: |2/3 − 29/30| = .3.
        table = ([0.2, 0.25, 0.8, 0.9, 1.0, 1.0], [0, 1, 0, 1, 1, 0])
        assert metrics.ece(*table).value == near((2 * 0.275 + 0.8 + 3 * 0.3) / 6)
        assert metrics.ece(*table, norm="max").value == near(0.8)
        square = (2 * 0.275**2 + 0.8**2 + 3 * 0.3**2) / 6
        assert metrics.ece(*table, norm="l2").value == near(math.sqrt(square))
        # Less ½·½/1 and ⅔·⅓/2; the single row keeps its plain square.
        debiased = square - (2 * 0.25 + 3 * (2 / 9) / 2) / 6
        result = metrics.ece(*table, norm="l2", debias=True)
        assert result.value**2 == near(max(debiased, 0.0))
        assert result.details["n_bins_of_one"] == 1

    def test_a_debiased_sum_below_zero_is_floored(self):
        assert metrics.ece([0.5, 0.5], [0, 1], norm="l2", debias=True).value == 0.0

    def test_a_confidence_of_one_has_no_bin_of_its_own(self):
        last = metrics.reliability_table([1.0, 0.95], [1, 1]).bins[-1]
        assert (last.lower, last.upper, last.n) == (0.9, 1.0, 2)

    def test_a_confidence_of_zero_counts(self):
        # All in one bin: |1/2 − 0|.
        assert metrics.ece([0.0, 0.0], [0, 1]).value == 0.5
        assert metrics.reliability_table([0.0, 0.0], [0, 1]).bins[0].n == 2

    @pytest.mark.parametrize(
        ("bins", "place"), [(10, 3), (10, 6), (10, 7), (20, 3), (5, 3), (100, 57)]
    )
    def test_an_edge_is_the_double_nearest_to_it(self, bins, place):
        """Here steps of 1/B, as ``linspace`` takes them, lead to another double than k/B."""
        assert place * (1 / bins) != place / bins
        row = metrics.reliability_table([place / bins], [1], bins).bins[place]
        assert row.n == 1
        below = metrics.reliability_table([math.nextafter(place / bins, 0)], [1], bins)
        assert below.bins[place - 1].n == 1

    @pytest.mark.parametrize("percent", [7, 14, 28, 29, 55, 56, 57, 58])
    def test_percentages_are_not_cut_off(self, percent):
        assert int(0.29 * 100) == 28  # what the test is about
        assert metrics.reliability_table([percent / 100], [1], 100).bins[percent].n == 1

    def test_equal_masses_do_not_split_ties_whatever_the_order(self):
        # #{<= .7} = 3 of 4 and #{<= .9} = 4, so B = 2 puts all of .7 into bin 1 with .9:
        # |2/4 − (.7·3 + .9)/4| = .25.
        rows = [(0.7, 1), (0.7, 0), (0.9, 1), (0.7, 0)]
        for shift in range(4):
            confidence, correct = zip(*(rows[shift:] + rows[:shift]), strict=True)
            assert metrics.ece(confidence, correct, 2, "mass").value == near(0.25)

    def test_smooth_ece_of_one_confidence_is_its_gap(self):
        # Nothing cancels, so every width gives |3/4 − 3/5|.
        result = metrics.smooth_ece([0.6] * 4, [1, 1, 1, 0])
        assert result.value == near(0.15)
        assert result.details["sigma"] == result.value

    def test_smooth_ece_of_two_opposite_errors(self):
        """Residual +½ at 0 and −½ at 1.

        In cosines the smoothed residual is 2 Σ exp(−(πkσ)²/2) cos πkt over odd k; its absolute
        value integrates to (4/π) Σ (−1)^j exp(−(π(2j+1)σ)²/2) / (2j+1).
        """

        def total(sigma):
            terms = (
                (-1) ** j * math.exp(-((math.pi * (2 * j + 1) * sigma) ** 2) / 2) / (2 * j + 1)
                for j in range(200)
            )
            return 4 / math.pi * math.fsum(terms)

        low, high = 0.1, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if total(middle) > middle else (low, middle)
        value = metrics.smooth_ece([0.0, 1.0], [1, 0]).value
        assert value == pytest.approx(low, abs=1e-7)
        assert value == pytest.approx(0.456092, abs=5e-6)


class TestProperScores:
    def test_brier(self):
        assert metrics.brier([0.9, 0.4], [1, 1]).value == near(Fraction(37, 200))

    def test_parts_by_value(self):
        # Groups .2 (right 0 1) and .8 (right 1 1), base rate ¾.
        parts = metrics.brier_decomposition([0.2, 0.2, 0.8, 0.8], [0, 1, 1, 1])
        assert parts.brier == near(0.19)
        assert parts.reliability == near((0.09 + 0.04) / 2)
        assert parts.resolution == near(Fraction(1, 16))
        assert parts.uncertainty == near(Fraction(3, 16))
        assert parts.within_group == 0.0

    def test_parts_by_bins(self):
        # One bin: mean confidence and accuracy are ½; (.3)² − 2·.3·.5 is left within it.
        parts = metrics.brier_decomposition([0.2, 0.8], [0, 1], "bins", 1)
        assert (parts.reliability, parts.resolution) == (near(0), near(0))
        assert parts.within_group == near(-0.21)
        assert parts.brier == near(0.04)

    def test_isotonic_parts(self):
        # The rising fit to 0 1 0 1 is 0 ½ ½ 1, with a Brier score of ⅛.
        parts = metrics.brier_decomposition([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1], "isotonic")
        assert parts.reliability == near(0.185 - 0.125)
        assert parts.resolution == near(0.25 - 0.125)
        assert parts.within_group == 0.0

    def test_log_loss(self):
        assert metrics.log_loss([0.8, 0.4], [1, 0]).value == near(-math.log(0.8 * 0.6) / 2)

    def test_a_certain_error_costs_the_clip(self):
        assert metrics.log_loss([1.0], [0]).value == near(-math.log(1e-15))
        assert metrics.log_loss([0.0], [1], clip=0.01).value == near(-math.log(0.01))
        assert metrics.log_loss([1.0], [1], clip=0.01).value == near(-math.log(0.99))
        with pytest.raises(UndefinedMetricError, match="infinite"):
            metrics.log_loss([1.0], [0], clip=None)
        assert metrics.log_loss([1.0], [1], clip=0).value == 0.0


class TestRanking:
    def test_hanley_and_mcneil(self):
        """Hanley and McNeil, Radiology 143 (1982), table I: ratings of 109 CT images.

        They give W = 0.893 for the area by the trapezoid rule.
        """
        normal, abnormal = (33, 6, 6, 11, 2), (3, 2, 2, 11, 33)
        confidence = np.repeat([0.2, 0.4, 0.6, 0.8, 1.0] * 2, normal + abnormal)
        correct = np.repeat([0, 1], [sum(normal), sum(abnormal)])
        pairs = sum(
            Fraction(n * a) * (1 if rating < other else Fraction(1, 2))
            for rating, n in enumerate(normal)
            for other, a in enumerate(abnormal)
            if rating <= other
        )
        value = metrics.auroc(confidence, correct).value
        assert value == float(pairs / (58 * 51))
        assert round(value, 3) == 0.893

    def test_the_example_of_scikit_learn(self):
        """The documentation of roc_auc_score and average_precision_score: 0.75 and 0.83."""
        table = ([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
        assert metrics.auroc(*table).value == 0.75
        # Precisions 1 and 2/3 at the two right answers.
        assert metrics.average_precision(*table).value == near(Fraction(5, 6))

    def test_ties(self):
        # Of the four pairs one is right, one wrong, two are tied.
        assert metrics.auroc([0.5, 0.5, 0.9, 0.2], [1, 0, 0, 1]).value == near(Fraction(1, 8))
        assert metrics.auroc([0.5, 0.5, 0.5], [1, 0, 1]).value == 0.5
        # One threshold for all of them: precision ⅔ at recall 1.
        assert metrics.average_precision([0.5, 0.5, 0.5], [1, 0, 1]).value == near(Fraction(2, 3))

    @pytest.mark.parametrize("outcome", [0, 1])
    def test_one_class_is_undefined(self, outcome):
        with pytest.raises(UndefinedMetricError, match="all 2 answers are"):
            metrics.auroc([0.1, 0.9], [outcome, outcome])

    def test_without_a_right_answer_there_is_no_average_precision(self):
        with pytest.raises(UndefinedMetricError, match="none of the 2 answers is right"):
            metrics.average_precision([0.1, 0.9], [0, 0])
        assert metrics.average_precision([0.1, 0.9], [1, 1]).value == 1.0

    def test_a_missing_confidence_is_not_the_surest(self):
        rows = [(0.9, 0), (math.nan, 1), (0.1, 1), (None, 0)]
        result = metrics.auroc(*zip(*rows, strict=True))
        assert (result.value, result.n_turns, result.n_failed) == (0.0, 2, 2)


class TestSelective:
    def test_aurc(self):
        # Errors among the k surest: 0, 1/2, 1/3.
        assert metrics.aurc([0.9, 0.8, 0.7], [1, 0, 1]).value == near(Fraction(5, 18))

    def test_ties_count_with_their_expected_error(self):
        # The surest is right; then three tied of which one is wrong: 0, 1/6, 2/9, 1/4.
        expected = near((Fraction(1, 6) + Fraction(2, 9) + Fraction(1, 4)) / 4)
        for correct in ([1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]):
            assert metrics.aurc([0.9, 0.5, 0.5, 0.5], correct).value == expected

    def test_one_point_a_distinct_threshold(self):
        curve = metrics.risk_coverage([0.9, 0.5, 0.5, 0.2], [1, 0, 1, 0])
        assert [(p.threshold, p.x, p.y, p.n) for p in curve.points] == [
            (0.9, 0.25, 0.0, 1),
            (0.5, 0.75, 1 / 3, 3),
            (0.2, 1.0, 0.5, 4),
        ]


class TestMonotonicity:
    def test_by_hand(self):
        runs = {
            "rising": ([0.1, 0.3, 0.2, 0.4], Fraction(2, 3)),  # one of six pairs falls
            "tied": ([0.5, 0.5, 0.7], Fraction(2, 3)),  # a tie counts 0 but stays in C(3, 2)
            "constant": ([0.8, 0.8, 0.8], 0),  # 0, not undefined
            "falling": ([0.9, 0.1], -1),
            "short": ([0.4], None),
        }
        rows = [(c, name, i) for name, (run, _) in runs.items() for i, c in enumerate(run, 1)]
        columns = list(zip(*rows, strict=True))
        assert metrics.kendall_tau_by_dialogue(*columns) == {
            name: None if tau is None else near(tau) for name, (_, tau) in runs.items()
        }
        result = metrics.kendall_tau(*columns)
        assert result.value == near(Fraction(1, 12))
        assert (result.n_dialogues, result.n_turns) == (4, 12)
        assert result.details["n_left_out"] == 1

    def test_only_scored_turns_are_compared(self):
        # Turns 1, 3, 4 have confidences .2, .1, .9: two of three pairs rise.
        result = metrics.kendall_tau([0.2, None, 0.1, 0.9], ["a"] * 4, [1, 2, 3, 4])
        assert result.value == near(Fraction(1, 3))
        assert (result.n_turns, result.n_failed) == (3, 1)


class TestRepeats:
    def test_by_hand(self):
        assert metrics.pass_at_k(3, 10, 2).value == near(Fraction(8, 15))  # 1 − 21/45
        assert metrics.pass_hat_k(3, 10, 2).value == near(Fraction(1, 15))  # 3/45

    def test_scenarios_are_averaged_after_and_not_before_the_power(self):
        # One always passes and one never: ½, and not (½)².
        assert metrics.pass_hat_k([4, 0], [4, 4], 2).value == 0.5
        # And runs are drawn without replacement: C(2, 2)/C(4, 2), not (2/4)².
        assert metrics.pass_hat_k([2], [4], 2).value == near(Fraction(1, 6))

    def test_more_than_there_are_runs_is_an_error(self):
        with pytest.raises(InputError, match="row 1 is 2"):
            metrics.pass_hat_k([1, 1], [3, 2], 3)

    def test_dead_runs_do_not_vanish(self):
        # As failures C(3, 2)/C(5, 2); without the dead run C(3, 2)/C(4, 2).
        result = metrics.pass_hat_k(3, 5, 2, errors=1)
        assert result.value == near(Fraction(3, 10))
        assert result.details["errors_as_failures"] == result.value
        assert result.details["errors_excluded"] == near(Fraction(1, 2))
        assert result.details["n_errors"] == 1
        assert metrics.pass_at_k(1, 3, 2, errors=2).details["errors_excluded"] is None


class TestInvalidValues:
    @pytest.mark.parametrize("value", [-0.01, 1.01, 95, math.inf, -math.inf])
    def test_a_confidence_out_of_range_is_an_error(self, value):
        with pytest.raises(InputError, match=re.escape("field 'confidence': row 1 is ")):
            metrics.brier([0.5, value], [1, 1])


class TestDialoguesAreTheSample:
    def test_repeating_a_turn_within_its_dialogue_adds_no_certainty(self):
        """A bootstrap over turns would shrink the interval by the root of ten."""
        confidence, correct = np.tile([0.1, 0.5, 0.9, 0.7], 10), np.tile([0, 1, 1, 0], 10)
        dialogue = np.arange(40)
        once = metrics.brier(confidence, correct, dialogue=dialogue)
        often = metrics.brier(
            *(np.repeat(c, 10) for c in (confidence, correct)), dialogue=np.repeat(dialogue, 10)
        )
        assert once.n_dialogues == often.n_dialogues == 40
        assert often.n_turns == 400
        assert (often.interval.low, often.interval.high) == pytest.approx(
            (once.interval.low, once.interval.high), abs=1e-12
        )
