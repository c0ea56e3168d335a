"""Counts of scores say the same as the rows, and so do their resamples."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure import metrics
from turnsure.calibration.labelled import LabelledScores
from turnsure.experiment.calibrating import cells as module
from turnsure.experiment.calibrating import statistics
from turnsure.experiment.calibrating.cells import (
    Bootstrap,
    Cells,
    Counts,
    cells_of,
    mass_bins_of_cells,
)
from turnsure.numerics.binning import equal_width_bins

EDGES = np.array([0.5, 0.9])


def made_up(n, *, distinct=None, seed=0):
    random = np.random.default_rng(seed)
    score = random.beta(3.0, 1.5, n)
    if distinct is not None:
        score = np.round(score * distinct) / distinct
    return score, random.random(n) < score**1.5


def weighted_rows(cells: Cells, counts: Counts, resample: int):
    """Rows of one resample, written out."""
    right, wrong = (one[resample].astype(int) for one in (counts.right, counts.wrong))
    score = np.concatenate((np.repeat(cells.score, right), np.repeat(cells.score, wrong)))
    return score, np.arange(len(score)) < right.sum()


def resample_of(cells, seed=3):
    random = np.random.default_rng(seed)
    shares = np.concatenate((cells.n_right, cells.n_wrong))
    drawn = random.multinomial(int(shares.sum()), shares / shares.sum(), size=2).astype(float)
    k = len(cells.score)
    return Counts(right=drawn[:, :k], wrong=drawn[:, k:])


def binned(norm, debias, mass):
    def of(cells, score):
        bins = mass_bins_of_cells(cells, score, 10) if mass else equal_width_bins(cells.score, 10)
        return statistics.binned_error(cells.score, bins, norm=norm, debias=debias)

    return of


def squares(cells, _):
    return statistics.mean_loss(np.square(1 - cells.score), np.square(cells.score))


@pytest.mark.parametrize(
    ("statistic", "metric"),
    [
        (lambda c, s: statistics.accuracy, lambda s, y: metrics.accuracy(y)),
        (lambda c, s: statistics.mean_score(c.score), lambda s, y: metrics.mean_confidence(s)),
        (squares, metrics.brier),
        (lambda c, s: statistics.smooth_error(c.score), metrics.smooth_ece),
        (lambda c, s: statistics.auroc, metrics.auroc),
        (lambda c, s: statistics.average_precision, metrics.average_precision),
        (lambda c, s: statistics.aurc, metrics.aurc),
        (binned("l1", False, False), metrics.ece),
        (binned("l2", True, False), lambda s, y: metrics.ece(s, y, norm="l2", debias=True)),
        (binned("max", False, False), lambda s, y: metrics.ece(s, y, norm="max")),
    ],
)
def test_a_statistic_of_counts_is_the_metric_of_the_rows(statistic, metric):
    score, correct = made_up(400, distinct=20)
    cells = cells_of(score, correct, 10, EDGES)
    counts = resample_of(cells)
    values = statistic(cells, score)(counts)
    for resample in range(2):
        expected = metric(*weighted_rows(cells, counts, resample)).value
        assert values[resample] == pytest.approx(expected, abs=2e-5)


def test_bins_of_equal_mass_are_those_of_the_whole_data():
    score, correct = made_up(400, distinct=20)
    cells = cells_of(score, correct, 10, EDGES)
    found = binned("l1", False, mass=True)(cells, score)(cells.counts)
    expected = metrics.ece(score, correct, binning="mass").value
    assert found.tolist() == [pytest.approx(expected, rel=1e-12)]


def test_one_class_has_no_auroc_and_no_right_answer_no_precision():
    counts = Counts(right=np.zeros((1, 3)), wrong=np.ones((1, 3)))
    assert np.isnan(statistics.auroc(counts)).all()
    assert np.isnan(statistics.average_precision(counts)).all()
    assert statistics.aurc(counts).tolist() == [pytest.approx(1.0)]


def test_risk_at_a_coverage_cuts_ties_by_their_share():
    # Scores .9 (2 right), .5 (1 right, 3 wrong): at 2/3 coverage 4 rows, 2 of the 4 tied ones.
    counts = Counts(right=np.array([[1.0, 2.0]]), wrong=np.array([[3.0, 0.0]]))
    found = statistics.risk_at([1 / 3, 2 / 3, 1.0])(counts)[0].tolist()
    assert found == [0.0, pytest.approx(1.5 / 4), pytest.approx(3 / 6)]


def test_many_scores_share_cells_that_cross_no_edge_and_no_tie():
    score, correct = made_up(20_000)
    score[:50], score[50:80] = 0.0, 1.0
    score[100:300] = 0.625
    cells = cells_of(score, correct, 10, EDGES)
    assert not cells.exact
    assert len(cells.score) < 1.1 * module.MOST_CELLS
    assert cells.n.sum() == len(score)
    assert cells.n_right.sum() == correct.sum()
    for edge in (*EDGES, *np.arange(1, 10) / 10):
        inside = np.bincount(cells.cell_of_row, score >= edge)
        assert set((inside / cells.n).tolist()) <= {0.0, 1.0}
    assert (cells.n[0], cells.score[0]) == (50, 0.0)
    assert (cells.n[-1], cells.score[-1]) == (30, 1.0)
    assert len(np.unique(cells.cell_of_row[score == 0.625])) == 1
    rising = np.sort(score)
    assert (np.diff(cells.cell_of_row[np.argsort(score, kind="stable")]) >= 0).all()
    assert cells.lowest[0] == rising[0]


def interval_of(bootstrap, statistic):
    return bootstrap.intervals({"it": statistic})["it"][0]


def test_intervals_of_few_rows_are_those_of_the_metric():
    score, correct = made_up(200, distinct=50)
    dialogue = np.arange(200) // 4
    rows = LabelledScores.of(score, correct, dialogue=dialogue)
    cells = cells_of(score, correct, 10, EDGES)
    found = interval_of(
        Bootstrap(cells=cells, rows=rows, resamples=300, seed=5), squares(cells, score)
    )
    expected = metrics.brier(score, correct, dialogue=dialogue, resamples=300, seed=5).interval
    assert found.low == pytest.approx(expected.low, rel=1e-12)
    assert found.high == pytest.approx(expected.high, rel=1e-12)


def test_drawing_counts_is_drawing_rows():
    score, correct = made_up(3_000, distinct=10)
    rows = LabelledScores.of(score, correct)
    cells = cells_of(score, correct, 10, EDGES)
    found = interval_of(
        Bootstrap(cells=cells, rows=rows, resamples=4_000, seed=1), squares(cells, score)
    )
    losses = np.square(score - correct)
    half = 1.96 * losses.std() / np.sqrt(3_000)
    assert found.high - found.low == pytest.approx(2 * half, rel=0.06)
    assert (found.high + found.low) / 2 == pytest.approx(losses.mean(), abs=0.1 * half)


def test_rows_of_a_dialogue_are_drawn_together():
    """Ten copies of every row tell no more than one."""
    score, correct = made_up(200, distinct=20)
    copies = LabelledScores.of(
        np.repeat(score, 10), np.repeat(correct, 10), dialogue=np.repeat(np.arange(200), 10)
    )
    widths = []
    for rows in (LabelledScores.of(score, correct, dialogue=np.arange(200)), copies):
        cells = cells_of(rows.score, rows.correct, 10, EDGES)
        found = interval_of(
            Bootstrap(cells=cells, rows=rows, resamples=500, seed=1), statistics.accuracy
        )
        widths.append((found.low, found.high))
    assert widths[0] == pytest.approx(widths[1])


def test_a_single_dialogue_has_no_interval():
    rows = LabelledScores.of([0.2, 0.8], [0, 1], dialogue=["a", "a"])
    cells = cells_of(rows.score, rows.correct, 10, EDGES)
    bootstrap = Bootstrap(cells=cells, rows=rows, resamples=10, seed=0)
    assert bootstrap.intervals({"two": statistics.bin_accuracies(np.array([0, 1]))}) == {
        "two": (None, None)
    }


def test_very_many_rows_have_fewer_resamples_and_say_so():
    n = module.MOST_DRAWS // 1_000
    rows = LabelledScores.of(np.full(n, 0.5), np.ones(n), dialogue=np.arange(n) // 2)
    cells = cells_of(rows.score, rows.correct, 10, EDGES)
    assert Bootstrap(cells=cells, rows=rows, resamples=2_000, seed=0).n_resamples == 1_000
    alone = LabelledScores.of(np.full(n, 0.5), np.ones(n))
    assert Bootstrap(cells=cells, rows=alone, resamples=2_000, seed=0).n_resamples == 2_000
