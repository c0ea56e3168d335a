"""Folders of finished runs, made without a model."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.support.flows import dialogue
from turnsure.core.confidence import Confidence
from turnsure.core.dialogue import Dialogue
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.spec import Protocol, RunSpec
from turnsure.core.turns import PLAIN, TurnRow, TurnsTable
from turnsure.dialogues.jsonl import write_dialogues
from turnsure.experiment.run_folder import RunFolder
from turnsure.store.json_files import plain
from turnsure.store.turns_file import write_turns


def dialogues(n: int, *, n_turns: int = 3) -> list[Dialogue]:
    return [dialogue(n_turns, name=f"d{place:02d}") for place in range(n)]


def row(
    where: Dialogue,
    turn: int,
    method: str,
    confidence: float | None,
    correct: bool | None,
    *,
    condition: str = PLAIN,
    target: str = "answer",
) -> TurnRow:
    found = (
        Failure(stage="confidence", kind="unparsable", message="?")
        if confidence is None
        else Confidence(value=confidence, method=method, scale="probability", path="logprobs")
    )
    outcome = (
        Outcome(correct=None, grader="match", reason="no_answer")
        if correct is None
        else Outcome(correct=correct, grader="match", rule="exact")
    )
    return TurnRow(
        dialogue=where.id, turn=turn, n_turns=where.n_turns, condition=condition,
        target=target, method=method, answer="x", confidence=found, outcome=outcome,
    )  # fmt: skip


def made_up_rows(
    given: Sequence[Dialogue], methods: dict[str, float], *, right: float, seed: int = 0
) -> list[TurnRow]:
    """Rows of methods that are too sure by so much; the model is right with ``right`` × level."""
    rng = random.Random(seed)
    rows: list[TurnRow] = []
    for one in given:
        for turn in range(1, one.n_turns + 1):
            chance = right * turn / one.n_turns
            correct = rng.random() < chance
            for method, bias in methods.items():
                value = min(1.0, max(0.0, chance + bias + rng.gauss(0, 0.05)))
                rows.append(row(one, turn, method, value, correct))
                rows.append(row(one, turn, method, value, True, target="gold"))
    return rows


def write_run(
    folder: Path,
    given: Sequence[Dialogue],
    rows: Sequence[TurnRow],
    *,
    model: str = "openai:Qwen2.5-0.5B",
    data: str = "countries",
    fingerprint: dict[str, str] | None = None,
    style: str = "transcript",
    finished: str | None = "2026-01-01T00:00:00+00:00",
) -> Path:
    folder.mkdir(parents=True)
    run = RunFolder(folder)
    protocol = Protocol(
        model=fingerprint or {"model": model},
        rendering={"style": style},
        answer={"template": "{question}", "seed": "0"},
        estimators={"p_true": {"template": "True?"}},
        package="0.1.0",
    )
    spec = replace(RunSpec(), model=model, data=data, resamples=50)
    run.write_run(
        {
            "spec": json.loads(json.dumps(plain(spec))), "protocol": protocol.body,
            "digest": protocol.digest, "versions": {}, "finished": finished,
        }
    )  # fmt: skip
    write_dialogues(run.dialogues, given)
    write_turns(TurnsTable.of(rows), run.turns, protocol=protocol.digest)
    return folder
