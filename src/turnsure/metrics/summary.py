"""The three numbers that every table of turns is asked for, from one walk through its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsure.core.results import MetricResult
from turnsure.metrics.calibration_error import ece_result
from turnsure.metrics.information_level import info_ece_result
from turnsure.metrics.proper_scores import brier_result
from turnsure.numerics.arrays import sum_of_squares
from turnsure.numerics.binning import MAX_BINS, open_width_bins
from turnsure.numerics.inputs import Numbers, whole_number
from turnsure.numerics.levels import Levels, LevelSums
from turnsure.numerics.pairs import Pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationSummary:
    """InfoECE, ECE and Brier score of the same turns."""

    info_ece: MetricResult
    ece: MetricResult
    brier: MetricResult


def calibration_summary(
    confidence: Numbers, correct: Numbers, turn: Numbers, n_turns: Numbers, bins: int = 10
) -> CalibrationSummary:
    """InfoECE, ECE and Brier score, without intervals, from one walk through the rows.

    Each is what its own function gives, to rounding; the rows are read and checked once instead of
    three times.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    correct
        0 or 1, shape (n,); missing where it is not graded.
    turn
        Counts from 1, shape (n,).
    n_turns
        Length L of the row's dialogue, shape (n,).
    bins
        B, at least 1: bins of equal width of the information level, and of confidence.

    Raises
    ------
    InputError
        For columns of different lengths and for values out of range.
    UndefinedMetricError
        When no row has both a confidence and an outcome.
    """
    n_bins = whole_number(bins, "bins", minimum=1, maximum=MAX_BINS)
    pairs = Pairs(confidence, correct)
    levels = Levels(turn, n_turns, pairs.n_given, "confidence")
    # A confidence of 1 has a place of its own here, which belongs to the last bin.
    gathered = LevelSums(levels, n_bins, n_bins + 1)
    squares = 0.0
    for block in pairs.blocks():
        gaps = block.gaps()
        squares += sum_of_squares(gaps)
        gathered.add_both(block, gaps, open_width_bins(block.confidence, n_bins))
    by_level, by_confidence = gathered.total(), gathered.total_by_place()
    by_confidence[:, -2] += by_confidence[:, -1]
    rows, summed_gaps = by_confidence[:, :-1]
    kept = pairs.tally(int(by_level[0].sum()))
    return CalibrationSummary(
        info_ece=info_ece_result(by_level, "width", kept=kept),
        ece=ece_result(float(np.abs(summed_gaps).sum() / kept.n), rows, kept=kept),
        brier=brier_result(squares / kept.n, kept=kept),
    )
