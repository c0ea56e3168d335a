"""turnsure tells how sure a language model is at every turn, and whether it is right to be.

Every public name is imported when it is first used, so ``import turnsure`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnsure import metrics
    from turnsure.core.confidence import Confidence
    from turnsure.core.dialogue import Dialogue, Hint
    from turnsure.core.errors import TurnsureError
    from turnsure.core.outcome import Failure, Outcome
    from turnsure.core.spec import Protocol, RunSpec
    from turnsure.core.turns import TurnRow, TurnsTable
    from turnsure.dialogues.jsonl import read_dialogues, write_dialogues
    from turnsure.models.opening import open_model
    from turnsure.pipeline import load_run, measure, prepare
    from turnsure.report.page import write_report
    from turnsure.store.turns_file import read_turns, write_turns

_HOMES = {
    "Confidence": "turnsure.core.confidence",
    "Dialogue": "turnsure.core.dialogue",
    "Failure": "turnsure.core.outcome",
    "Hint": "turnsure.core.dialogue",
    "Outcome": "turnsure.core.outcome",
    "Protocol": "turnsure.core.spec",
    "RunSpec": "turnsure.core.spec",
    "TurnRow": "turnsure.core.turns",
    "TurnsTable": "turnsure.core.turns",
    "TurnsureError": "turnsure.core.errors",
    "load_run": "turnsure.pipeline",
    "measure": "turnsure.pipeline",
    "metrics": "turnsure",
    "open_model": "turnsure.models.opening",
    "prepare": "turnsure.pipeline",
    "read_dialogues": "turnsure.dialogues.jsonl",
    "read_turns": "turnsure.store.turns_file",
    "write_dialogues": "turnsure.dialogues.jsonl",
    "write_report": "turnsure.report.page",
    "write_turns": "turnsure.store.turns_file",
}

__all__ = [
    "Confidence",
    "Dialogue",
    "Failure",
    "Hint",
    "Outcome",
    "Protocol",
    "RunSpec",
    "TurnRow",
    "TurnsTable",
    "TurnsureError",
    "load_run",
    "measure",
    "metrics",
    "open_model",
    "prepare",
    "read_dialogues",
    "read_turns",
    "write_dialogues",
    "write_report",
    "write_turns",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'turnsure' has no attribute {name!r}")
    if name == "metrics":
        return importlib.import_module("turnsure.metrics")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return __all__
