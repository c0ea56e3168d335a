"""Gates built from runs that a script answered."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from turnsure.calibration.gate_file import GateFile
from turnsure.core.decision import DecisionRule
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.generation import GenerationRequest
from turnsure.core.spec import RunSpec
from turnsure.dialogues.jsonl import write_dialogues
from turnsure.experiment.gating.build import BuildSettings, build_gate
from turnsure.experiment.gating.files import read_gate, write_gate
from turnsure.experiment.gating.sources import read_source
from turnsure.experiment.setup import prepare
from turnsure.models.scripted import ScriptedBackend
from turnsure.pipeline import measure

TASK = "Name the country."
DATE = "2026-01-01T00:00:00+00:00"
BY_HAND = DecisionRule(answer_at=0.8, ask_at=0.3)


def dialogues(n: int = 24, *, n_turns: int = 3, prefix: str = "d") -> list[Dialogue]:
    return [
        Dialogue(
            id=f"{prefix}{place:02d}",
            task=TASK,
            hints=tuple(
                Hint(question="Another clue?", answer=f"Clue {turn} of {prefix}{place:02d}.")
                for turn in range(1, n_turns + 1)
            ),
            gold=("Peru",),
            meta={"language": "en" if place % 2 else "es"},
        )
        for place in range(n)
    ]


def share(text: str) -> float:
    """A number in (0, 1) that a text alone decides."""
    return (int(hashlib.sha256(text.encode()).hexdigest()[:6], 16) + 1) / (16**6 + 2)


def answers(request: GenerationRequest) -> str | dict[str, float]:
    """Right more often, and surer, the more clues there are; never the same for two dialogues."""
    text = request.messages[-1].content
    names = re.findall(r"of (\w+)\.", text)
    n_clues, name = text.count("\n- ") or text.count("Clue "), names[-1] if names else text[-40:]
    sure = min(0.98, max(0.02, 0.25 * n_clues + 0.3 * (share(name) - 0.5)))
    if request.labels is not None:
        return {"A": sure * 0.9, "B": (1 - sure) * 0.9}
    right = share(f"{name} {n_clues}") < sure
    return rf"\boxed{{{'Peru' if right else 'Chile'}}}"


def scripted() -> ScriptedBackend:
    return ScriptedBackend(reply=answers)


def run(
    folder: Path, *, given: list[Dialogue] | None = None, **settings: Any
) -> tuple[Path, ScriptedBackend]:
    """A finished run of p_true."""
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "data.jsonl"
    write_dialogues(data, given or dialogues())
    spec = replace(
        RunSpec(), **{"data": str(data), "methods": ("p_true",), "resamples": 20, **settings}
    )
    backend = scripted()
    measure(prepare(spec), backend, folder / "run")
    return folder / "run", backend


def built(source: Path, **settings: Any) -> GateFile:
    chosen = {"rule": BY_HAND, "resamples": 50, **settings}
    return build_gate(read_source(source), BuildSettings(**chosen), date=DATE)


def gate(folder: Path, **settings: Any) -> Path:
    """A gate with a rule set by hand, on a run of its own."""
    path = folder / "gate.json"
    write_gate(built(run(folder)[0], **settings), path)
    return path


SURE = [{"role": "system", "content": TASK}, {"role": "user", "content": "Clue 1 of a."}]
"""A conversation of one turn."""


def fixed(mass: float | Exception) -> ScriptedBackend:
    """A model whose P(True) is always the same, or that always fails."""
    return ScriptedBackend(
        reply=lambda _: mass if isinstance(mass, Exception) else {"A": mass, "B": 1 - mass}
    )


def changed(made: Path, folder: Path, **changes: Any) -> Path:
    """A gate with other parts, as if it had been built so."""
    path = folder / "changed.json"
    write_gate(replace(read_gate(made), **changes), path)
    return path
