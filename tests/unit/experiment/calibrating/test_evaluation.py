"""The numbers about one score: by hand, and against the metrics."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure import metrics
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.results import MetricResult, Undefined
from turnsure.experiment.calibrating.evaluation import evaluate_scores
from turnsure.experiment.calibrating.predictions import PredictionGroup
from turnsure.experiment.calibrating.settings import CalibrationSettings

SETTINGS = CalibrationSettings(resamples=100, options=4)


def judged(score, correct, settings=SETTINGS, **places):
    rows = LabelledScores.of(score, correct, **places)
    return evaluate_scores(
        PredictionGroup(
            model=None, method="score", n_rows=len(rows), n_no_score=0, n_no_label=0, rows=rows,
            slices={},
        ),
        settings,
    )  # fmt: skip


@pytest.fixture(scope="module")
def made_up():
    random = np.random.default_rng(0)
    score = random.choice([0.5, 0.7, 0.8, 0.9, 1.0], 400)
    correct = random.random(400) < 0.85 * score
    return score, correct, judged(score, correct)


def test_every_value_is_that_of_the_metric(made_up):
    score, correct, found = made_up
    for name in ("brier", "log_loss", "smooth_ece", "auroc", "average_precision", "aurc"):
        result = getattr(found, name)
        assert result.value == getattr(metrics, name)(score, correct).value
        assert result.interval.low < result.value < result.interval.high
        assert result.n_dialogues == 400
    for result in found.errors:
        wanted = {key: result.definition[key] for key in ("bins", "binning", "norm", "debias")}
        assert result.value == metrics.ece(score, correct, **wanted).value
    assert len({str(result.definition) for result in found.errors}) == 8
    assert found.reliability == metrics.reliability_table(score, correct)
    assert found.gap.value == pytest.approx(correct.mean() - score.mean())


def test_the_curve_is_that_of_the_metric(made_up):
    score, correct, found = made_up
    expected = metrics.risk_coverage(score, correct).points
    assert [(one.x, one.y, one.n, one.threshold) for one in found.risk_coverage.points] == [
        (one.x, one.y, one.n, one.threshold) for one in expected
    ]
    assert all(one.low <= one.y <= one.high for one in found.risk_coverage.points)


def test_baselines_by_hand():
    # Right 3 of 4; Brier (.04 + .04 + .04 + .64)/4 = .19.
    found = judged([0.8, 0.8, 0.8, 0.8], [1, 1, 1, 0])
    assert found.brier.value == pytest.approx(0.19)
    by_name = {one.name: one for one in found.baselines}
    assert by_name["base_rate"].brier == pytest.approx(0.1875)
    assert by_name["base_rate"].difference.value == pytest.approx(0.0025)
    assert by_name["half"].difference.value == pytest.approx(-0.06)
    assert by_name["uniform_guess"].brier == 0.1875
    without = judged([0.8, 0.2], [1, 0], CalibrationSettings(resamples=10))
    assert [one.name for one in without.baselines] == ["base_rate", "half"]


def test_the_difference_to_the_base_rate_is_paired():
    """Scores that are the base rate differ from it by the square of what the sample is off."""
    random = np.random.default_rng(1)
    found = judged(np.full(500, 0.6), random.random(500) < 0.6)
    paired = found.baselines[0].difference.interval
    alone = found.brier.interval
    assert paired.low >= 0.0
    assert paired.high - paired.low < 0.5 * (alone.high - alone.low)


@pytest.mark.parametrize(
    ("right", "verdict"), [(lambda s: s, "passed"), (lambda s: 1.0 - s, "failed")]
)
def test_a_baseline_is_beaten_or_not(right, verdict):
    random = np.random.default_rng(2)
    score = random.choice([0.1, 0.9], 400)
    found = judged(score, random.random(400) < right(score))
    assert {one.verdict for one in found.baselines} == {verdict}


def test_thresholds_by_hand_with_exact_intervals():
    found = judged([0.4, 0.5, 0.8, 0.9, 0.9], [0, 1, 0, 1, 1])
    at = {one.threshold: one for one in found.thresholds}
    assert sorted(at) == [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
    assert (at[0.5].n_accepted, at[0.5].n_right) == (4, 3)
    assert (at[0.6].n_accepted, at[0.6].coverage) == (3, 0.6)
    assert at[0.9].accuracy == 1.0
    exact = metrics.clopper_pearson(3, 4)
    assert at[0.5].accuracy_interval == exact
    assert at[0.95].accuracy is at[0.95].accuracy_interval is None
    assert at[0.95].coverage_interval == metrics.clopper_pearson(0, 5)


def test_repeated_dialogues_have_bootstrap_intervals_everywhere():
    random = np.random.default_rng(3)
    score = np.repeat(random.choice([0.5, 0.9], 50), 4)
    correct = np.repeat(random.random(50) < 0.6, 4)
    found = judged(score, correct, dialogue=np.repeat(np.arange(50), 4))
    intervals = [
        found.accuracy.interval,
        found.gap.interval,
        *(one.accuracy_interval for one in found.thresholds if one.accuracy is not None),
        *(one.accuracy_interval for one in found.reliability.bins if one.n),
        *(one.accuracy_interval for one in found.granularity.buckets),
    ]
    assert {one.method for one in intervals} == {"cluster_bootstrap"}
    plain = judged(score, correct).accuracy.interval
    assert found.accuracy.interval.high - found.accuracy.interval.low > 1.5 * (
        plain.high - plain.low
    )
    assert found.n_dialogues == 50


def test_few_distinct_scores_are_buckets(made_up):
    score, correct, found = made_up
    fine = found.granularity
    assert (fine.n_distinct, fine.is_coarse, fine.n_in_buckets) == (5, True, 400)
    one = fine.buckets[1]
    inside = score == 0.7
    assert (one.score, one.n, one.n_right) == (0.7, inside.sum(), correct[inside].sum())
    assert one.gap == pytest.approx(correct[inside].mean() - 0.7)
    assert one.accuracy_interval == metrics.wilson(one.n_right, one.n)


def test_few_values_that_hold_most_rows_are_buckets_and_ten_rows_are_not():
    random = np.random.default_rng(4)
    score = np.where(random.random(1_000) < 0.95, random.choice([0.8, 0.9], 1_000),
                     random.random(1_000))  # fmt: skip
    fine = judged(score, random.random(1_000) < 0.8).granularity
    assert fine.n_distinct > 20
    assert fine.is_coarse
    assert not judged(np.arange(10) / 10, [0, 1] * 5).granularity.is_coarse
    assert not judged(random.random(500), random.random(500) < 0.5).granularity.is_coarse


def test_one_class_leaves_only_what_needs_two_undefined():
    found = judged([0.9, 0.8, 0.7, 0.6], [1, 1, 1, 1])
    assert isinstance(found.auroc, Undefined)
    assert "all 4 answers are right" in found.auroc.reason
    assert isinstance(found.average_precision, MetricResult)
    assert found.brier.value == pytest.approx((0.01 + 0.04 + 0.09 + 0.16) / 4)
    wrong = judged([0.9, 0.8, 0.7], [0, 0, 0])
    assert isinstance(wrong.average_precision, Undefined)
    assert wrong.aurc.value == 1.0


def test_a_single_row_has_values_and_no_bootstrap():
    found = judged([0.9], [1])
    assert found.brier.value == pytest.approx(0.01)
    assert found.brier.interval is None
    assert {one.verdict for one in found.baselines} == {"open"}


def test_equal_input_gives_equal_output(made_up):
    score, correct, found = made_up
    assert judged(score, correct) == found


def test_rows_that_are_alike_are_no_certainty_where_dialogues_have_several():
    """30 right turns of 10 dialogues: Wilson's bound for 10 of 10, 10/(10 + z²)."""
    dialogue = np.repeat(np.arange(20), 3)
    score = np.where(dialogue < 10, 0.95, 0.25)
    correct = (dialogue < 10) | (np.arange(60) % 2 == 0)
    found = judged(score, correct, dialogue=dialogue)
    low = pytest.approx(10 / (10 + 1.959964**2), abs=1e-6)
    high_bin = found.reliability.bins[-1].accuracy_interval
    point = next(one for one in found.thresholds if one.threshold == 0.9).accuracy_interval
    bucket = found.granularity.buckets[-1].accuracy_interval
    for bounds in (high_bin, point, bucket):
        assert (bounds.low, bounds.high, bounds.method) == (low, 1.0, "wilson")
    assert found.granularity.buckets[0].accuracy_interval.method != "wilson"
    all_wrong = judged(score, np.zeros(60), dialogue=dialogue).accuracy.interval
    assert (all_wrong.low, all_wrong.high) == (0.0, pytest.approx(1 - 20 / (20 + 1.959964**2)))


def test_nothing_is_claimed_of_fewer_than_six_dialogues():
    """Scores of 0 for right answers are worse than any baseline, and that takes six of them."""
    for n, verdict in ((5, "open"), (6, "failed")):
        found = judged([0.0] * n, [1] * n)
        assert {one.verdict for one in found.baselines} == {verdict}
