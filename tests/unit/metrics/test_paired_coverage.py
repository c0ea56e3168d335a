"""Made-up conditions with an effect that is known: intervals cover it, tests keep their level.

Turns of a dialogue share random effects, dialogues have from 3 to 7 turns, some confidences are
missing and some turns exist on one side only.  The truth is the value of a table so large that its
error is a twentieth of the spread of the tables tested.

With n tables a share of 0.95 is known to sqrt(0.95 × 0.05 / n): 0.010 for 500, 0.007 for 1,000.
The bounds are 2.5 such errors away.  An interval that is a fifth too narrow covers 0.86 to 0.91,
and every test with 500 tables finds it.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from turnsure import metrics
from turnsure.core.turns import TurnColumns

MANY = 40_000


def rising(logit):
    return 1 / (1 + np.exp(-logit))


def conditions(random, n, *, discrete, bias=(1.3, 0.8), slope=(1.0, 1.4)):
    """Two conditions over the same dialogues.

    ``bias`` is how overconfident a side is and ``slope`` how strongly its confidence follows the
    truth, both on the logit scale.
    """
    lengths = random.integers(3, 8, n)
    dialogue = np.repeat(np.arange(n), lengths)
    n_turns = lengths[dialogue]
    turn = np.arange(len(dialogue)) - (np.cumsum(lengths) - lengths)[dialogue] + 1
    hard, keen = random.normal(0, 0.7, n), random.normal(0, 0.5, n)
    shared = random.normal(0, 0.5, len(dialogue))
    sides = []
    for lifted, steep in zip(bias, slope, strict=True):
        own = random.normal(0, 0.4, n)
        logit = -1.5 + 2.5 * turn / n_turns + (hard + own)[dialogue] + 0.5 * shared
        correct = random.random(len(dialogue)) < rising(logit)
        noise = 0.5 * shared + random.normal(0, 0.5, len(dialogue))
        confidence = rising(steep * logit + lifted + keen[dialogue] + noise)
        if discrete:
            confidence = np.round(confidence * 10) / 10
        confidence[random.random(len(dialogue)) < 0.03] = np.nan
        here = random.random(len(dialogue)) < 0.97
        sides.append(
            TurnColumns(
                dialogue=dialogue[here],
                turn=turn[here],
                n_turns=n_turns[here],
                confidence=confidence[here],
                correct=correct[here],
            )
        )
    return sides


def column(side, name, n):
    """A column with one place for every dialogue and turn, NaN where there is none."""
    full = np.full((n, 7), np.nan)
    full[side.dialogue, side.turn - 1] = getattr(side, name)
    return full.ravel()


def change(name):
    def measure(left, right, n, **boot):
        columns = (column(side, name, n) for side in (left, right))
        return metrics.paired_change(*columns, np.repeat(np.arange(n), 7), **boot)

    return measure


def separation(left, right, n, **boot):
    before = column(left, "correct", n)
    columns = (column(side, "confidence", n) for side in (right, left))
    return metrics.paired_separation(before, *columns, np.repeat(np.arange(n), 7), **boot)


def difference(metric):
    def measure(left, right, n, **boot):
        return metrics.paired_metric_difference(metric, left, right, bins=5, **boot)

    return measure


MEASURES = {
    "change of confidence": change("confidence"),
    "change of outcome": change("correct"),
    "separation": separation,
    "info_ece": difference("info_ece"),
    "kendall_tau": difference("kendall_tau"),
    "auroc": difference("auroc"),
}


@cache
def many(discrete):
    return conditions(np.random.default_rng(1), MANY, discrete=discrete)


def covered(name, discrete, sizes, *, n_tables, resamples):
    """Share of tables whose interval has the truth inside.

    The bounds are the (R + 1)q-th of R values, so that few resamples do not bias: 100 q is above 2
    for 60 dialogues, and 200 q above 1.7 for 10, where the expansion makes q small.  Ten tables
    share their resamples, which are drawn once: what chance does to a tail with 99 of them, 0.015,
    adds 0.003 to the error over 50 drawings.
    """
    truth = MEASURES[name](*many(discrete), MANY, resamples=1).value
    hits = 0
    for drawing in range(n_tables // 10):
        n = int(np.random.default_rng([5, drawing]).integers(*sizes, endpoint=True))
        for place in range(10):
            sides = conditions(np.random.default_rng([2, drawing, place]), n, discrete=discrete)
            result = MEASURES[name](*sides, n, seed=drawing, resamples=resamples)
            hits += result.interval.low <= truth <= result.interval.high
    return hits / n_tables


CASES = [
    *((name, True) for name in MEASURES),
    *((name, False) for name in MEASURES if name not in {"change of outcome", "separation"}),
]


@pytest.mark.parametrize(("name", "discrete"), CASES)
def test_intervals_cover_the_truth(name, discrete):
    assert 0.925 <= covered(name, discrete, (60, 100), n_tables=500, resamples=99) <= 0.975


@pytest.mark.parametrize("n", [10, 20])
def test_with_few_dialogues_intervals_of_means_still_cover(n):
    """Without the expansion it is about 0.90 for 10 dialogues and 0.92 for 20."""
    share = covered("change of confidence", True, (n, n), n_tables=1000, resamples=199)
    assert 0.93 <= share <= 0.97


def calibrated_and_not(random, n, lifts):
    """Confidences that are the chance to be right, lifted on either side by so much."""
    dialogue, turn = np.repeat(np.arange(n), 4), np.tile(np.arange(1, 5), n)
    sides = []
    for lift in lifts:
        chance = 0.2 + 0.1 * turn + random.uniform(-0.1, 0.1, n)[dialogue]
        sides.append(
            TurnColumns(
                dialogue=dialogue,
                turn=turn,
                n_turns=np.full(4 * n, 4),
                confidence=chance + lift,
                correct=random.random(4 * n) < chance,
            )
        )
    return sides


def info_ece_differences(n, lifts, n_tables=500, resamples=1):
    return [
        metrics.paired_metric_difference(
            "info_ece",
            *calibrated_and_not(np.random.default_rng([3, seed]), n, lifts),
            seed=seed,
            resamples=resamples,
        )
        for seed in range(n_tables)
    ]


def test_info_ece_of_a_calibrated_side_is_too_large_and_less_so_with_more_dialogues():
    """The truth is −0.3.  The error is that of a mean of |noise|, which falls as 1/√n."""
    excess = [
        np.mean([result.value for result in info_ece_differences(n, (0.3, 0.0))]) + 0.3
        for n in (20, 80)
    ]
    assert excess[1] > 0.02
    assert 1.6 < excess[0] / excess[1] < 2.5


def test_info_ece_of_equally_calibrated_sides_does_not_differ_on_average():
    results = info_ece_differences(60, (0.0, 0.0), resamples=99)
    values = np.array([result.value for result in results])
    assert abs(values.mean()) < 4 * values.std() / len(values) ** 0.5
    assert np.mean([r.interval.low <= 0 <= r.interval.high for r in results]) >= 0.93


def families(n_families, effect):
    """Adjusted p-values of ten comparisons each, some of few and some of many dialogues."""
    for seed in range(n_families):
        random = np.random.default_rng([4, seed])
        p_values = []
        for n in (6, 8, 12, 15, 20, 30, 40, 60, 80, 100):
            dialogue = np.repeat(np.arange(n), 3)
            of_dialogue = np.round(random.normal(0, 0.1, n), 1)[dialogue]
            differences = of_dialogue + random.choice([-0.1, 0.0, 0.1], 3 * n) + effect
            test = metrics.sign_flip_test(differences, dialogue, draws=999, seed=seed)
            p_values.append(test.p_value)
        yield metrics.holm(p_values)


def test_under_no_effect_families_of_ten_raise_a_false_alarm_at_the_nominal_rate():
    """Of 600 families at most 5 % may have one, plus 2.6 standard errors of that share."""
    alarms = np.mean([min(adjusted) <= 0.05 for adjusted in families(600, 0.0)])
    assert 0.02 < alarms <= 0.05 + 2.6 * (0.05 * 0.95 / 600) ** 0.5


def test_an_effect_is_found():
    found = np.array([*families(100, 0.1)]) <= 0.05
    assert found[:, -1].mean() > 0.99  # of 100 dialogues
    assert found[:, 0].mean() < 0.5  # of 6: all the same way is p = 1/32
