"""Metrics hold a column or two beside the ones they are given, however long these are."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from turnsure import metrics

N = 1_000_000
RANDOM = np.random.default_rng(3)
N_TURNS = RANDOM.integers(1, 21, N)
TURN = RANDOM.integers(1, N_TURNS + 1)
CONFIDENCE = RANDOM.random(N)
BOTH = (CONFIDENCE, RANDOM.random(N) < CONFIDENCE)
SAME = np.full(N, 0.5)
DIALOGUE, PLACE = np.arange(N) // 10, np.arange(N) % 10 + 1

COLUMNS_HELD = {
    "summary": (0, lambda: metrics.calibration_summary(*BOTH, TURN, N_TURNS)),
    "info_ece": (0, lambda: metrics.info_ece(*BOTH, TURN, N_TURNS)),
    "info_ece of masses": (2, lambda: metrics.info_ece(*BOTH, TURN, N_TURNS, binning="mass")),
    "ece": (0, lambda: metrics.ece(*BOTH)),
    "ece of masses": (1, lambda: metrics.ece(*BOTH, binning="mass")),
    "smooth_ece": (2, lambda: metrics.smooth_ece(*BOTH)),
    "brier": (0, lambda: metrics.brier(*BOTH)),
    "brier by value": (1, lambda: metrics.brier_decomposition(*BOTH)),
    "brier by bins": (0, lambda: metrics.brier_decomposition(*BOTH, "bins")),
    "brier isotonic": (1, lambda: metrics.brier_decomposition(*BOTH, "isotonic")),
    "log_loss": (1, lambda: metrics.log_loss(*BOTH)),
    "auroc": (1, lambda: metrics.auroc(*BOTH)),
    "average_precision": (1, lambda: metrics.average_precision(*BOTH)),
    "aurc": (1, lambda: metrics.aurc(*BOTH)),
    "aurc of one value": (1, lambda: metrics.aurc(SAME, BOTH[1])),
    "reliability_table": (1.5, lambda: metrics.reliability_table(*BOTH)),
    "score_distribution": (1, lambda: metrics.score_distribution(*BOTH)),
    "by_level": (1, lambda: metrics.by_level(CONFIDENCE, TURN, N_TURNS)),
    "kendall_tau": (2, lambda: metrics.kendall_tau(CONFIDENCE, DIALOGUE, PLACE, resamples=1)),
    "accuracy": (0, lambda: metrics.accuracy(BOTH[1])),
    "mean_confidence": (0, lambda: metrics.mean_confidence(CONFIDENCE)),
}
_BLOCKS = 15 << 19
"""Bytes for intermediate results of a few blocks, less than a column; they do not grow with it."""


@pytest.mark.parametrize("name", COLUMNS_HELD)
def test_a_metric_holds_few_columns(name):
    columns, compute = COLUMNS_HELD[name]
    compute()  # imports its module
    tracemalloc.start()
    try:
        compute()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= columns * 8 * N + _BLOCKS
