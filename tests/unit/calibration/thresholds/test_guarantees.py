"""Promises hold over simulated labelled sets, and what promises nothing breaks them.

Scores are uniform on [0, 1] and a row of score s is wrong with probability 0.4 (1 − s), unless said
otherwise.  The error among rows at or above λ is then 0.2 (1 − λ), and the share of all rows that
are answered wrongly 0.2 (1 − λ)².  With 2,000 sets a share of 0.05 is known to 0.005; three of
those are allowed.
"""

from __future__ import annotations

import numpy as np
import pytest

from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.conformal import conformal
from turnsure.calibration.thresholds.risk import RiskTarget, candidates, last, naive
from turnsure.calibration.thresholds.steps import Counts, steps_of
from turnsure.calibration.thresholds.targets import judge_of

N_SETS = 2000
MARGIN = 3 * (0.05 * 0.95 / N_SETS) ** 0.5
TARGET = RiskTarget(error=0.1, confidence=0.95)


def error_of(scores):
    return 0.4 * (1 - scores)


def labelled_sets(n, seed, wrong_at=error_of):
    """Scores from the highest down and counts at each of them, a row a set."""
    random = np.random.default_rng(seed)
    scores = -np.sort(-random.random((N_SETS, n)), axis=1)
    wrong = np.cumsum(random.random((N_SETS, n)) < wrong_at(scores), axis=1)
    answered = np.broadcast_to(np.arange(1, n + 1), wrong.shape)
    counts = Counts(answered=answered, wrong=wrong, ever_wrong=wrong, n=np.full(N_SETS, n))
    return scores, counts


def thresholds_of(judge, scores, counts):
    """The chosen threshold of each set, NaN for none."""
    place = last(judge(counts))
    return np.where(place >= 0, scores[np.arange(len(place)), place], np.nan)


def walk(target, n):
    return judge_of(target, np.array([1.0]), n_units=n, n_most=n)


@pytest.mark.parametrize(("n", "found"), [(150, 0.15), (1000, 0.6)])
def test_the_walk_keeps_its_confidence_and_the_naive_threshold_does_not(n, found):
    scores, counts = labelled_sets(n, seed=n)
    safe = thresholds_of(walk(TARGET, n), scores, counts)
    plain = thresholds_of(naive(TARGET.error), scores, counts)
    violated = np.mean(0.2 * (1 - safe) > TARGET.error)
    assert violated <= 0.05 + MARGIN
    assert np.mean(np.isfinite(safe)) > found
    assert np.mean(0.2 * (1 - plain) > TARGET.error) > 0.4


@pytest.mark.parametrize("n", [60, 300])
def test_where_no_threshold_is_safe_hardly_any_is_found(n):
    scores, counts = labelled_sets(n, seed=1, wrong_at=lambda scores: np.full_like(scores, 0.1001))
    safe = thresholds_of(walk(TARGET, n), scores, counts)
    plain = thresholds_of(naive(TARGET.error), scores, counts)
    assert np.mean(np.isfinite(safe)) <= 0.05 + MARGIN
    assert np.mean(np.isfinite(plain)) > 0.5


def test_when_few_score_above_the_first_unsafe_threshold():
    """Safe from 0.95 on, where 15 of 300 rows are: fewer than a test needs."""
    n = 300
    scores, counts = labelled_sets(n, seed=2, wrong_at=lambda scores: 4 * (1 - scores))
    safe = thresholds_of(walk(TARGET, n), scores, counts)
    assert np.mean(2 * (1 - safe) > TARGET.error) <= 0.05 + MARGIN


@pytest.mark.parametrize(
    ("method", "settings"), [("bonferroni", {}), ("fixed_sequence", {"starts": (0.8, 0.6)})]
)
def test_other_corrections_keep_their_confidence(method, settings):
    """On the twentieths: rows of a cell between two of them are wrong as often as its middle."""
    n = 1000
    grid = tuple(k / 20 for k in range(21))
    target = RiskTarget(error=0.1, confidence=0.95, method=method, grid=grid, **settings)
    thresholds = np.array(grid)[::-1]
    random = np.random.default_rng(3)
    inside = random.multinomial(n, [1 / 20] * 20, size=N_SETS)
    wrong = random.binomial(inside, error_of(thresholds[1:] + 1 / 40))
    none = np.zeros((N_SETS, 1), dtype=np.int64)
    answered, wrong = (
        np.concatenate((none, np.cumsum(cells, axis=1)), axis=1) for cells in (inside, wrong)
    )
    counts = Counts(answered=answered, wrong=wrong, ever_wrong=wrong, n=np.full(N_SETS, n))
    place = last(judge_of(target, thresholds, n_units=n, n_most=n)(counts))
    found = place >= 0
    assert np.mean(found) > 0.5
    assert np.mean(found & (0.2 * (1 - thresholds[place]) > 0.1 + 1e-9)) <= 0.05 + MARGIN


def test_the_mean_risk_of_conformal_risk_control_is_below_its_target_and_not_far():
    n, alpha = 100, 0.05
    scores, counts = labelled_sets(n, seed=4)
    # Answers are given strictly above λ̂, the first score that breaks the bound.
    place = last(conformal(alpha)(counts))
    next_place = np.minimum(place + 1, n - 1)
    infimum = np.where(place == n - 1, 0.0, scores[np.arange(N_SETS), next_place])
    risk = 0.2 * (1 - infimum) ** 2
    error = risk.std() / N_SETS**0.5
    assert alpha - 2 / (n + 1) - 3 * error <= risk.mean() <= alpha + 3 * error


# Dialogues of ten turns, of which a random share is nearly all wrong: the turns are alike.
N_DIALOGUES, N_TURNS, N_CLUSTERED = 80, 10, 300
CLUSTERED_MARGIN = 3 * (0.05 * 0.95 / N_CLUSTERED) ** 0.5
LEVELS = tuple(k / 10 for k in range(11))


def clustered(random, n):
    """Dialogues that are right or wrong as a whole, the error falling with the score."""
    base = random.random(n)
    right = random.random(n) >= error_of(base)
    score = np.round(np.clip(base[:, np.newaxis] + random.normal(0, 0.05, (n, N_TURNS)), 0, 1), 1)
    flipped = random.random((n, N_TURNS)) < 0.02
    correct = right[:, np.newaxis] ^ flipped
    return LabelledScores.of(
        score.ravel(),
        correct.ravel(),
        dialogue=np.repeat(np.arange(n), N_TURNS),
        turn=np.tile(np.arange(1, N_TURNS + 1), n),
        n_turns=np.full(n * N_TURNS, N_TURNS),
    )


def risks(unit):
    """The true error at each level, from so many dialogues that it is known to 0.003."""
    steps = steps_of(clustered(np.random.default_rng(5), 20_000), unit)
    counts = steps.counts(np.array(LEVELS)[::-1])
    return counts.wrong[0] / np.maximum(counts.answered[0], 1)


def share_violated(unit, error):
    target = RiskTarget(error=error, confidence=0.95, unit=unit, grid=LEVELS)
    truth = risks(unit)
    violated = 0
    for seed in range(N_CLUSTERED):
        steps = steps_of(clustered(np.random.default_rng([6, seed]), N_DIALOGUES), unit, seed=seed)
        thresholds = candidates(steps, target)
        judge = judge_of(target, thresholds, n_units=steps.n_units, n_most=steps.n_units)
        place = last(judge(steps.counts(thresholds)))[0]
        violated += place >= 0 and truth[place] > error
    return violated / N_CLUSTERED


def test_dialogues_as_units_keep_the_confidence_that_dependent_rows_break():
    assert share_violated("dialogue", 0.15) <= 0.05 + CLUSTERED_MARGIN
    assert share_violated("one_row", 0.15) <= 0.05 + CLUSTERED_MARGIN
    assert share_violated("row", 0.15) > 0.1
