"""From a raw score to a probability and a threshold, and whether both still hold.

Every public name is reached as ``turnsure.calibration.<name>``; its module, and with it numpy, is
imported on first use.  What needs more than columns of numbers, such as reading files, stands in
``turnsure`` itself: ``choose``, ``calibrate``, ``compare_maps``, ``compare_policies``, ``watch``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turnsure.calibration.drift.checks import (
        answers_needed_for_error,
        check_gap,
        check_line,
        check_stream,
        labels_needed_for_gap,
    )
    from turnsure.calibration.fitted import FittedMap
    from turnsure.calibration.fitting import fit, restore
    from turnsure.calibration.folds import out_of_fold
    from turnsure.calibration.labelled import LabelledScores
    from turnsure.calibration.thresholds.cheapest import cheapest_rule, cost_of
    from turnsure.calibration.thresholds.costs import Costs, optimal_rule
    from turnsure.calibration.thresholds.risk import RiskTarget

__all__ = [
    "Costs",
    "FittedMap",
    "LabelledScores",
    "RiskTarget",
    "answers_needed_for_error",
    "cheapest_rule",
    "check_gap",
    "check_line",
    "check_stream",
    "cost_of",
    "fit",
    "labels_needed_for_gap",
    "optimal_rule",
    "out_of_fold",
    "restore",
]

_MODULE_OF = {
    "Costs": "thresholds.costs",
    "FittedMap": "fitted",
    "LabelledScores": "labelled",
    "RiskTarget": "thresholds.risk",
    "answers_needed_for_error": "drift.checks",
    "cheapest_rule": "thresholds.cheapest",
    "check_gap": "drift.checks",
    "check_line": "drift.checks",
    "check_stream": "drift.checks",
    "cost_of": "thresholds.cheapest",
    "fit": "fitting",
    "labels_needed_for_gap": "drift.checks",
    "optimal_rule": "thresholds.costs",
    "out_of_fold": "folds",
    "restore": "fitting",
}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__]
