"""turnsure tells how sure a language model is at every turn, and whether it is right to be.

Every public name is imported when it is first used, so ``import turnsure`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnsure import calibration, metrics
    from turnsure.core.confidence import Confidence
    from turnsure.core.decision import DecisionRule
    from turnsure.core.dialogue import Dialogue, Hint
    from turnsure.core.errors import TurnsureError
    from turnsure.core.outcome import Failure, Outcome
    from turnsure.core.spec import Protocol, RunSpec
    from turnsure.core.turns import TurnRow, TurnsTable
    from turnsure.dialogues.jsonl import read_dialogues, write_dialogues
    from turnsure.experiment.calibrating.calibrate import calibrate
    from turnsure.experiment.calibrating.choosing import choose
    from turnsure.experiment.calibrating.maps import compare_maps
    from turnsure.experiment.calibrating.policies import compare_policies
    from turnsure.experiment.calibrating.predictions import read_predictions
    from turnsure.experiment.gating.files import read_gate
    from turnsure.experiment.gating.gate import Gate
    from turnsure.experiment.watching.watch import watch
    from turnsure.models.opening import open_model
    from turnsure.pipeline import load_run, measure, prepare
    from turnsure.report.page import write_report
    from turnsure.store.turns_file import read_turns, write_turns

_HOMES = {
    "Confidence": "turnsure.core.confidence",
    "DecisionRule": "turnsure.core.decision",
    "Dialogue": "turnsure.core.dialogue",
    "Failure": "turnsure.core.outcome",
    "Gate": "turnsure.experiment.gating.gate",
    "Hint": "turnsure.core.dialogue",
    "Outcome": "turnsure.core.outcome",
    "Protocol": "turnsure.core.spec",
    "RunSpec": "turnsure.core.spec",
    "TurnRow": "turnsure.core.turns",
    "TurnsTable": "turnsure.core.turns",
    "TurnsureError": "turnsure.core.errors",
    "calibrate": "turnsure.experiment.calibrating.calibrate",
    "calibration": "turnsure",
    "choose": "turnsure.experiment.calibrating.choosing",
    "compare_maps": "turnsure.experiment.calibrating.maps",
    "compare_policies": "turnsure.experiment.calibrating.policies",
    "load_run": "turnsure.pipeline",
    "measure": "turnsure.pipeline",
    "metrics": "turnsure",
    "open_model": "turnsure.models.opening",
    "prepare": "turnsure.pipeline",
    "read_dialogues": "turnsure.dialogues.jsonl",
    "read_gate": "turnsure.experiment.gating.files",
    "read_predictions": "turnsure.experiment.calibrating.predictions",
    "read_turns": "turnsure.store.turns_file",
    "watch": "turnsure.experiment.watching.watch",
    "write_dialogues": "turnsure.dialogues.jsonl",
    "write_report": "turnsure.report.page",
    "write_turns": "turnsure.store.turns_file",
}

__all__ = [
    "Confidence",
    "DecisionRule",
    "Dialogue",
    "Failure",
    "Gate",
    "Hint",
    "Outcome",
    "Protocol",
    "RunSpec",
    "TurnRow",
    "TurnsTable",
    "TurnsureError",
    "calibrate",
    "calibration",
    "choose",
    "compare_maps",
    "compare_policies",
    "load_run",
    "measure",
    "metrics",
    "open_model",
    "prepare",
    "read_dialogues",
    "read_gate",
    "read_predictions",
    "read_turns",
    "watch",
    "write_dialogues",
    "write_report",
    "write_turns",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'turnsure' has no attribute {name!r}")
    if home == "turnsure":
        return importlib.import_module(f"turnsure.{name}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return __all__
