"""No number travels without its n, its direction and its definition."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure import metrics

RANDOM = np.random.default_rng(12)
N_DIALOGUES, N_TURNS = 30, 4
DIALOGUE = np.repeat([f"d{k}" for k in range(N_DIALOGUES)], N_TURNS)
TURN = np.tile(np.arange(1, N_TURNS + 1), N_DIALOGUES)
LENGTH = np.full(len(TURN), N_TURNS)
CONFIDENCE = np.round(RANDOM.random(len(TURN)), 2)
CORRECT = (RANDOM.random(len(TURN)) < CONFIDENCE).astype(int)
BOTH = (CONFIDENCE, CORRECT)

CALLS = {
    "info_ece": (metrics.info_ece, (*BOTH, TURN, LENGTH), "lower"),
    "ece": (metrics.ece, BOTH, "lower"),
    "smooth_ece": (metrics.smooth_ece, BOTH, "lower"),
    "brier": (metrics.brier, BOTH, "lower"),
    "log_loss": (metrics.log_loss, BOTH, "lower"),
    "auroc": (metrics.auroc, BOTH, "higher"),
    "average_precision": (metrics.average_precision, BOTH, "higher"),
    "aurc": (metrics.aurc, BOTH, "lower"),
    "mean_confidence": (metrics.mean_confidence, (CONFIDENCE,), "none"),
    "accuracy": (metrics.accuracy, (CORRECT,), "higher"),
}


@pytest.mark.parametrize("name", CALLS)
def test_with_dialogues_there_is_an_interval(name):
    compute, columns, direction = CALLS[name]
    result = compute(*columns, dialogue=DIALOGUE, resamples=300, level=0.9)
    assert result.name == name
    assert result.direction == direction
    assert (result.n_turns, result.n_dialogues, result.n_failed) == (120, N_DIALOGUES, 0)
    interval = result.interval
    assert interval.low < interval.high
    assert (interval.level, interval.n_resamples) == (0.9, 300)
    assert float(result) == result.value == compute(*columns).value
    wider = compute(*columns, dialogue=DIALOGUE, resamples=300, level=0.99).interval
    assert wider.low <= interval.low
    assert wider.high >= interval.high


@pytest.mark.parametrize("name", CALLS)
def test_without_dialogues_there_is_none(name):
    compute, columns, _ = CALLS[name]
    result = compute(*columns)
    assert (result.interval, result.n_dialogues) == (None, None)


@pytest.mark.parametrize("name", CALLS)
def test_a_single_dialogue_has_no_interval(name):
    compute, columns, _ = CALLS[name]
    result = compute(*columns, dialogue=["only"] * 120)
    assert (result.interval, result.n_dialogues) == (None, 1)


@pytest.mark.parametrize("name", CALLS)
def test_the_seed_decides(name):
    compute, columns, _ = CALLS[name]

    def interval(seed):
        return compute(*columns, dialogue=DIALOGUE, resamples=100, seed=seed).interval

    assert interval(3) == interval(3)
    assert interval(3) != interval(4)


def test_a_dialogue_without_a_scored_turn_is_not_resampled():
    confidence = np.where(DIALOGUE == "d7", np.nan, CONFIDENCE)
    result = metrics.brier(confidence, CORRECT, dialogue=DIALOGUE)
    assert (result.n_dialogues, result.n_failed) == (N_DIALOGUES - 1, N_TURNS)


def test_resamples_without_both_classes_are_not_counted():
    result = metrics.auroc([0.2, 0.4, 0.9], [0, 1, 1], dialogue=["a", "b", "c"])
    # Three draws miss the only wrong answer with probability (2/3)³, and draw nothing else with
    # (1/3)³: about two thirds of the resamples are left.
    assert 0.6 < result.interval.n_resamples / 2000 < 0.73


def test_kendall_tau_always_has_an_interval():
    result = metrics.kendall_tau(CONFIDENCE, DIALOGUE, TURN)
    assert (result.name, result.direction) == ("kendall_tau", "higher")
    assert result.interval.low < result.value < result.interval.high
    assert result.interval.n_resamples == 2000
    assert metrics.kendall_tau([0.1, 0.2], ["a", "a"], [1, 2]).interval is None


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (
            lambda: metrics.info_ece(*BOTH, TURN, LENGTH, 5),
            {"bins": 5, "binning": "width", "closure": "right"},
        ),
        (
            lambda: metrics.ece(*BOTH, 7, "mass", "l2", True),
            {"bins": 7, "binning": "mass", "closure": None, "norm": "l2", "debias": True},
        ),
        (lambda: metrics.log_loss(*BOTH, clip=None), {"clip": 0.0}),
        (lambda: metrics.log_loss(*BOTH), {"clip": 1e-15}),
        (lambda: metrics.kendall_tau(CONFIDENCE, DIALOGUE, TURN), {"variant": "tau-a"}),
        (lambda: metrics.pass_hat_k(2, 4, 3), {"k": 3}),
        (lambda: metrics.brier_decomposition(*BOTH, "bins", 4), {"by": "bins", "bins": 4}),
        (lambda: metrics.by_level(CONFIDENCE, TURN, LENGTH, 4), {"bins": 4, "binning": "width"}),
        (lambda: metrics.reliability_table(*BOTH, 4), {"bins": 4, "closure": "left"}),
    ],
)
def test_a_definition_says_what_decides_equality(result, expected):
    assert expected.items() <= dict(result().definition).items()
