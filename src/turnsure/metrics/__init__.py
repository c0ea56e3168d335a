"""Calibration, monotonicity and ranking of confidences: one file a family.

Every public function takes plain columns and is reached as ``turnsure.metrics.<name>``; its module,
and with it numpy, is imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turnsure.metrics.averages import accuracy, mean_confidence
    from turnsure.metrics.calibration_error import ece, smooth_ece
    from turnsure.metrics.identification import (
        ideal_bias,
        ideal_distance,
        ideal_distance_by_level,
        share_falling,
    )
    from turnsure.metrics.information_level import by_level, info_ece
    from turnsure.metrics.monotonicity import kendall_tau, kendall_tau_by_dialogue
    from turnsure.metrics.paired import paired_change, paired_separation
    from turnsure.metrics.paired_difference import paired_metric_difference
    from turnsure.metrics.proper_scores import brier, brier_decomposition, log_loss
    from turnsure.metrics.ranking import auroc, average_precision
    from turnsure.metrics.rates import clopper_pearson, wilson
    from turnsure.metrics.reliability import reliability_table, score_distribution
    from turnsure.metrics.repeats import pass_at_k, pass_hat_k
    from turnsure.metrics.selective import aurc, risk_coverage
    from turnsure.metrics.significance import SignFlipTest, holm, sign_flip_test
    from turnsure.metrics.summary import CalibrationSummary, calibration_summary

__all__ = [
    "CalibrationSummary",
    "SignFlipTest",
    "accuracy",
    "aurc",
    "auroc",
    "average_precision",
    "brier",
    "brier_decomposition",
    "by_level",
    "calibration_summary",
    "clopper_pearson",
    "ece",
    "holm",
    "ideal_bias",
    "ideal_distance",
    "ideal_distance_by_level",
    "info_ece",
    "kendall_tau",
    "kendall_tau_by_dialogue",
    "log_loss",
    "mean_confidence",
    "paired_change",
    "paired_metric_difference",
    "paired_separation",
    "pass_at_k",
    "pass_hat_k",
    "reliability_table",
    "risk_coverage",
    "score_distribution",
    "share_falling",
    "sign_flip_test",
    "smooth_ece",
    "wilson",
]

_MODULE_OF = {
    "CalibrationSummary": "summary",
    "SignFlipTest": "significance",
    "accuracy": "averages",
    "aurc": "selective",
    "auroc": "ranking",
    "average_precision": "ranking",
    "brier": "proper_scores",
    "brier_decomposition": "proper_scores",
    "by_level": "information_level",
    "calibration_summary": "summary",
    "clopper_pearson": "rates",
    "ece": "calibration_error",
    "holm": "significance",
    "ideal_bias": "identification",
    "ideal_distance": "identification",
    "ideal_distance_by_level": "identification",
    "info_ece": "information_level",
    "kendall_tau": "monotonicity",
    "kendall_tau_by_dialogue": "monotonicity",
    "log_loss": "proper_scores",
    "mean_confidence": "averages",
    "paired_change": "paired",
    "paired_metric_difference": "paired_difference",
    "paired_separation": "paired",
    "pass_at_k": "repeats",
    "pass_hat_k": "repeats",
    "reliability_table": "reliability",
    "risk_coverage": "selective",
    "score_distribution": "reliability",
    "share_falling": "identification",
    "sign_flip_test": "significance",
    "smooth_ece": "calibration_error",
    "wilson": "rates",
}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__]
