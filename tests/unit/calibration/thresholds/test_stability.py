"""The bootstrap of a threshold."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.risk import last, naive
from turnsure.calibration.thresholds.stability import thinned, threshold_stability
from turnsure.calibration.thresholds.steps import Counts, steps_of
from turnsure.core.errors import InputError


def columns(n_dialogues, n_turns, seed=0):
    random = np.random.default_rng(seed)
    n = n_dialogues * n_turns
    score = np.round(random.random(n), 1)
    return {
        "score": score,
        "correct": random.random(n) < score,
        "dialogue": np.repeat(np.arange(n_dialogues), n_turns),
        "turn": np.tile(np.arange(1, n_turns + 1), n_dialogues),
        "n_turns": np.full(n, n_turns),
    }


@pytest.mark.parametrize(("unit", "n_turns"), [("row", 3), ("row", 1), ("dialogue", 3)])
def test_resamples_are_counts_of_drawn_dialogues(unit, n_turns):
    """Means over many resamples are the counts of the data, and whole dialogues come together."""
    rows = LabelledScores.of(**columns(30, n_turns))
    steps = steps_of(rows, unit)
    thresholds = steps.thresholds()
    seen: list[Counts] = []

    def select(counts):
        seen.append(counts)
        return last(naive(0.3)(counts))

    threshold_stability(steps, thresholds, select, resamples=3000, seed=1)
    full = steps.counts(thresholds)
    for name in ("answered", "wrong", "ever_wrong"):
        mean = np.concatenate([getattr(counts, name) for counts in seen]).mean(axis=0)
        assert mean == pytest.approx(getattr(full, name)[0], abs=0.5)
    n = np.concatenate([counts.n for counts in seen])
    assert (n == steps.n_units).all()


def test_the_distribution_holds_every_resample_and_brackets_the_choice():
    rows = LabelledScores.of(**columns(200, 1))
    steps = steps_of(rows, "row")
    thresholds = steps.thresholds()
    found = threshold_stability(steps, thresholds, lambda c: last(naive(0.2)(c)), resamples=400)
    assert sum(n for _, n in found.distribution) + found.n_none == 400
    chosen = thresholds[last(naive(0.2)(steps.counts(thresholds)))[0]]
    assert found.interval.low <= chosen <= found.interval.high
    assert found.interval.n_resamples == 400 - found.n_none


def test_resamples_without_a_threshold_are_counted():
    """One right row of ten at the top: a resample without it has no threshold."""
    rows = LabelledScores.of([0.9] + [0.1] * 9, [1] + [0] * 9)
    steps = steps_of(rows, "row")
    found = threshold_stability(
        steps, steps.thresholds(), lambda c: last(naive(0.01)(c)), resamples=4000
    )
    assert found.share_none == pytest.approx(0.9**10, abs=0.03)
    assert found.distribution == ((0.9, 4000 - found.n_none),)


def test_without_any_threshold_there_is_no_interval():
    steps = steps_of(LabelledScores.of([0.9, 0.1], [0, 0]), "row")
    found = threshold_stability(
        steps, steps.thresholds(), lambda c: last(naive(0.01)(c)), resamples=10
    )
    assert (found.n_none, found.interval, found.median) == (10, None, None)


def test_many_thresholds_are_thinned_and_some_kept():
    thresholds = np.arange(5000, 0, -1) / 5000
    some = thinned(thresholds, [0.1234, 0.5])
    assert len(some) <= 256
    assert {0.1234, 0.5, 1.0, 1 / 5000} <= set(some.tolist())
    assert (np.diff(some) < 0).all()
    assert len(thinned(thresholds[:256], [0.99])) == 256


def test_too_many_thresholds_are_refused():
    steps = steps_of(LabelledScores.of(np.arange(300) / 300, [1] * 300), "row")
    with pytest.raises(InputError, match="at most 256"):
        threshold_stability(steps, steps.thresholds(), lambda c: last(naive(0.1)(c)))
