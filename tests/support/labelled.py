"""Made-up scores with outcomes, for calibration."""

from __future__ import annotations

import numpy as np

from turnsure.calibration.labelled import LabelledScores


def overconfident(n=400, *, seed=0, turns=4, slope=0.5, shift=0.0, digits=None):
    """Scores whose true log-odds of being right are ``slope`` times their own, plus ``shift``."""
    rng = np.random.default_rng(seed)
    score = rng.beta(3.0, 1.5, n)
    if digits is not None:
        score = np.round(score, digits)
    odds = np.clip(score, 0.01, 0.99)
    chance = 1 / (1 + np.exp(-(slope * np.log(odds / (1 - odds)) + shift)))
    place = np.arange(n)
    return LabelledScores.of(
        score,
        rng.random(n) < chance,
        dialogue=[f"d{one}" for one in (place // turns).tolist()],
        turn=place % turns + 1,
        n_turns=np.full(n, turns),
    )


def counted(*groups):
    """Scores and outcomes from (score, rows, right rows)."""
    score, correct = [], []
    for value, rows, right in groups:
        score += [value] * rows
        correct += [True] * right + [False] * (rows - right)
    return np.array(score), np.array(correct)
