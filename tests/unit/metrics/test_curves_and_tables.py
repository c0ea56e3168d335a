"""What the report draws: curves by level and by coverage, tables of bins."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure import metrics


class TestByLevel:
    turn, n_turns = (1, 2, 3, 1, 2), (3, 3, 3, 2, 2)
    dialogue = ("a", "a", "a", "b", "b")

    def test_points(self):
        curve = metrics.by_level([0.1, 0.4, 0.9, 0.3, 0.5], self.turn, self.n_turns, 3)
        # Levels ⅓ ⅔ 1 ½ 1.
        assert [(p.x, p.n) for p in curve.points] == [(1 / 3, 1), (2 / 3, 2), (1.0, 2)]
        assert [p.y for p in curve.points] == pytest.approx([0.1, 0.35, 0.7])
        assert all(p.low is p.high is p.threshold is None for p in curve.points)

    def test_empty_bins_are_left_out(self):
        points = metrics.by_level([0.1, 0.9], [1, 4], [4, 4], 4).points
        assert [p.x for p in points] == [0.25, 1.0]

    def test_mass_bins_end_at_their_highest_level(self):
        values = [0.1, 0.4, 0.9, 0.3, 0.5]
        points = metrics.by_level(values, self.turn, self.n_turns, 2, "mass").points
        # #{<=} of ⅓ ½ ⅔ 1 is 1 2 3 5 of 5.
        assert [(p.x, p.n) for p in points] == [(0.5, 2), (1.0, 3)]

    def test_names_and_missing_values(self):
        correct = [True, None, False, True, True]
        curve = metrics.by_level(correct, self.turn, self.n_turns, name="accuracy")
        assert (curve.name, curve.y_label) == ("accuracy", "mean accuracy")
        assert (curve.x_label, curve.n_turns, curve.n_failed) == ("information level", 4, 1)

    def test_a_band_needs_dialogues(self):
        values = [0.1, 0.4, 0.9, 0.3, 0.5]
        points = metrics.by_level(values, self.turn, self.n_turns, 3, dialogue=self.dialogue).points
        # Only dialogue a is in the first bin, so all resamples with a row agree.
        assert (points[0].low, points[0].high) == pytest.approx((0.1, 0.1))
        assert points[2].low == pytest.approx(0.5)
        assert points[2].high == pytest.approx(0.9)


class TestRiskCoverage:
    def test_facts(self):
        curve = metrics.risk_coverage([0.9, None, 0.4], [1, 1, 0])
        assert (curve.name, curve.x_label, curve.y_label) == (
            "risk_coverage",
            "coverage",
            "error rate",
        )
        assert (curve.n_turns, curve.n_failed) == (2, 1)
        assert all(p.low is p.high is None for p in curve.points)

    def test_all_tied_is_one_point(self):
        [point] = metrics.risk_coverage([0.5] * 4, [1, 0, 0, 0]).points
        assert (point.x, point.y, point.n, point.threshold) == (1.0, 0.75, 4, 0.5)

    def test_a_band_over_more_rows_than_are_held_at_once(self):
        random = np.random.default_rng(0)
        confidence = random.random(3000)
        correct = random.random(3000) < confidence
        points = metrics.risk_coverage(
            confidence, correct, dialogue=np.arange(3000) // 10, resamples=2000
        ).points
        assert len(points) == 3000
        assert all(p.low <= p.y <= p.high for p in points[50:])
        last = metrics.accuracy(correct, dialogue=np.arange(3000) // 10).interval
        assert (points[-1].low, points[-1].high) == pytest.approx((1 - last.high, 1 - last.low))


class TestReliability:
    def test_width_bins(self):
        table = metrics.reliability_table([0.1, 0.15, 0.9, None], [0, 1, 1, 1])
        assert [row.n for row in table.bins] == [0, 2, 0, 0, 0, 0, 0, 0, 0, 1]
        row = table.bins[1]
        assert (row.lower, row.upper, row.accuracy) == (0.1, 0.2, 0.5)
        assert row.mean_confidence == pytest.approx(0.125)
        assert row.gap == pytest.approx(0.375)
        assert (table.n_turns, table.n_failed) == (3, 1)

    def test_without_dialogues_the_intervals_are_wilsons(self):
        row = metrics.reliability_table([0.1, 0.15, 0.12], [0, 1, 0], level=0.9).bins[1]
        assert row.accuracy_interval == metrics.wilson(1, 3, 0.9)

    def test_with_dialogues_they_are_bootstrapped(self):
        row = metrics.reliability_table(
            [0.1, 0.15, 0.12], [0, 1, 0], dialogue=["a", "b", "c"]
        ).bins[1]
        assert row.accuracy_interval.method == "cluster_bootstrap"
        assert row.accuracy_interval.n_resamples == 2000
        alone = metrics.reliability_table([0.1, 0.15], [0, 1], dialogue=["a", "a"]).bins[1]
        assert alone.accuracy_interval is None

    def test_mass_bins_reach_from_the_smallest_to_the_largest(self):
        table = metrics.reliability_table([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1], 2, "mass")
        assert [(row.lower, row.upper, row.n) for row in table.bins] == [
            (0.1, 0.2, 2),
            (0.3, 0.4, 2),
        ]

    def test_an_empty_mass_bin_lies_where_its_ties_went(self):
        # #{<= .1} = 1 and #{<= .7} = 4 of 4: bins 0 and 3.
        table = metrics.reliability_table([0.1, 0.7, 0.7, 0.7], [0, 0, 1, 1], 4, "mass")
        assert [(row.lower, row.upper, row.n) for row in table.bins] == [
            (0.1, 0.1, 1),
            (0.7, 0.7, 0),
            (0.7, 0.7, 0),
            (0.7, 0.7, 3),
        ]


class TestScoreDistribution:
    def test_bars(self):
        spread = metrics.score_distribution([0.0, 0.019, 0.02, 1.0, 1.0, None], [1, 0, 1, 1, 0, 1])
        assert len(spread.bars) == 50
        counts = {bar.lower: (bar.upper, bar.n, bar.n_correct) for bar in spread.bars if bar.n}
        assert counts == {0.0: (0.02, 2, 1), 0.02: (0.04, 1, 1), 0.98: (1.0, 2, 1)}
        assert (spread.n_turns, spread.n_distinct) == (5, 4)

    def test_the_most_common_come_first_and_the_lower_of_equals(self):
        confidence = [0.9] * 3 + [0.5] * 2 + [0.8] * 2 + [0.1, 0.2, 0.3]
        spread = metrics.score_distribution(confidence, [1] * 10)
        assert spread.most_common == ((0.9, 3), (0.5, 2), (0.8, 2), (0.1, 1), (0.2, 1))

    def test_another_number_of_bars(self):
        spread = metrics.score_distribution([0.29, 1.0], [1, 1], bars=100)
        assert [place for place, bar in enumerate(spread.bars) if bar.n] == [29, 99]
