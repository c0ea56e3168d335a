"""Files of new rows, and gates on files of scores, for tests of drift."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from turnsure.calibration.gate_file import GateFile
from turnsure.core.decision import DecisionRule
from turnsure.experiment.gating.build import BuildSettings, build_gate
from turnsure.experiment.gating.files import write_gate
from turnsure.experiment.gating.sources import read_source

DATE = "2026-01-01T00:00:00+00:00"
RULE = DecisionRule(answer_at=0.8, ask_at=0.4)


def write_scores(
    path: Path,
    n: int = 400,
    *,
    drop: float = 0.0,
    moved: float = 0.0,
    labels: bool = True,
    turns: int = 1,
    drop_on: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Path:
    """Scores with logits around ``moved`` that are right with their probability − drop.

    ``drop_on`` adds a column of languages, with a further drop each.
    """
    random = np.random.default_rng(seed)
    languages = list(drop_on or {})
    heading = ["id", *(["turn"] if turns > 1 else []), "score", *(["correct"] if labels else []),
               *(["language"] if languages else [])]  # fmt: skip
    lines = [",".join(heading)]
    for row in range(n):
        name, shared = f"{path.stem}-{row}", random.normal(scale=0.5)
        language = languages[row % len(languages)] if languages else ""
        for turn in range(1, turns + 1):
            logit = random.normal(0.8 + moved + 0.3 * (turn - 1), 1.2) + shared
            score = 1.0 / (1.0 + np.exp(-logit))
            lower = drop + ((drop_on or {}).get(language, 0.0))
            right = int(random.random() < score - lower)
            cells = {"id": name, "turn": turn, "score": f"{score:.6f}", "correct": right,
                     "language": language}  # fmt: skip
            lines.append(",".join(str(cells[column]) for column in heading))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def built(source: Path, **settings: Any) -> GateFile:
    chosen = {"rule": RULE, "map": "identity", "resamples": 100, **settings}
    return build_gate(read_source(source), BuildSettings(**chosen), date=DATE)


def gate(folder: Path, *, turns: int = 1, **settings: Any) -> Path:
    """A gate in a file, built on scores of its own."""
    path = folder / "gate.json"
    source = write_scores(folder / "evidence.csv", turns=turns, seed=99)
    write_gate(built(source, **settings), path)
    return path
