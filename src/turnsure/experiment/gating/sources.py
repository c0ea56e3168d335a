"""What a gate is built from: the scores of one method, from a run or from a file of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from turnsure import registry
from turnsure.calibration.gate_file import protocol_of
from turnsure.calibration.gate_parts import GateValidity
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.dialogue import NOTE, Dialogue
from turnsure.core.digest import SHORT, digest
from turnsure.core.errors import InputError, StoreError
from turnsure.core.spec import Protocol
from turnsure.core.turns import PLAIN, TurnColumns, TurnRow
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.experiment.config import make_spec, read_config
from turnsure.experiment.gating.protocol import (
    differences,
    gate_instrument,
    gate_spec,
    kept_settings,
    of_method,
    refuse,
)
from turnsure.experiment.run_folder import RunFolder
from turnsure.experiment.score_columns import ScoreOptions
from turnsure.experiment.score_groups import read_scores
from turnsure.files.arrival import file_digest
from turnsure.store.turns_file import read_turns

_MOST_VALUES = 50
"""A note of dialogues with more values than this tells them apart and is no slice."""

_ROOM = 2
"""How much longer than the longest dialogue that was measured another one may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Scores of one method, and what is known of where they come from.

    Attributes
    ----------
    name
        Of the run's folder or the file.
    data_digest
        SHA-256 of the table.
    method
        Whose scores.
    rows
        With labels; dialogues by id.
    settings, protocol, run_digest
        How they were asked for; empty and None for scores that were made elsewhere.
    validity
        What they cover.
    keys
        A digest of each dialogue by id.
    keyed_by
        What the digests are of: ``"content"`` or ``"id"``.
    """

    name: str
    data_digest: str
    method: str
    rows: LabelledScores
    settings: Mapping[str, Any]
    protocol: Protocol | None
    run_digest: str | None
    validity: GateValidity
    keys: Mapping[str, str]
    keyed_by: str


def read_source(
    path: Path, *, method: str | None = None, options: ScoreOptions | None = None
) -> Source:
    """A run's folder, or a file of scores.

    Parameters
    ----------
    path
        Which.
    method
        Whose scores; None where there are only those of one.
    options
        Which column is what, for a file.

    Raises
    ------
    InputError
        There is no such method, several and none is named, or the file cannot be used.
    StoreError
        The run cannot be used.
    ProtocolMismatchError
        The run was measured by another package or with other words than there are now.
    """
    if path.is_dir():
        return _of_run(path, method)
    return read_scores_source(path, method, options)


def run_source(path: Path, method: str | None) -> Source:
    """The scores of a run, whatever package or wording it was measured with."""
    run = RunFolder(path)
    body = run.read_run()
    if body["finished"] is None or not run.turns.exists():
        raise StoreError(f"{path}: this run is not finished; run it again to go on")
    table, protocol_digest = read_turns(run.turns)
    if protocol_digest != body["digest"]:
        raise StoreError(f"{path}: the table here is of an earlier run; run the present one again")
    own = table.select(condition=PLAIN, target="answer")
    chosen = _one(method, own.methods, path)
    rows = own.select(method=chosen)
    dialogues = list(read_dialogues(run.dialogues))
    spec = make_spec(read_config(run.run_json), file=run.run_json)
    return Source(
        name=path.resolve().name,
        data_digest=file_digest(run.turns),
        method=chosen,
        rows=_labelled(rows.columns(), has_turns=True),
        settings=kept_settings(spec),
        protocol=of_method(protocol_of(body["protocol"]), chosen),
        run_digest=str(body["digest"]),
        validity=_validity(rows.rows, dialogues),
        keys={one.id: dialogue_key(one) for one in dialogues},
        keyed_by="content",
    )


def dialogue_key(dialogue: Dialogue) -> str:
    """A digest of what a dialogue says, 12 hexadecimal digits."""
    hints = [[hint.question, hint.answer] for hint in dialogue.hints]
    return digest([dialogue.id, dialogue.task, hints])[:SHORT]


def id_key(dialogue: object) -> str:
    """A digest of a dialogue's id, 12 hexadecimal digits."""
    return digest(str(dialogue))[:SHORT]


def _of_run(path: Path, method: str | None) -> Source:
    source = run_source(path, method)
    if source.method in registry.names("combiners"):
        raise InputError(
            f"{source.method!r} combines other methods after a run and cannot be asked alone",
            field="method",
            expected="a method that asks the model",
        )
    spec = gate_spec(source.method, source.settings)
    instrument = gate_instrument(spec)
    [estimator] = instrument.measurement.estimators
    if "other" not in estimator.targets:
        raise InputError(
            f"{source.method!r} judges only replies of its own, and a gate is given the answer",
            field="method",
            expected="a method that judges a given answer, such as p_true or self_consistency",
        )
    if source.protocol is not None:
        present = of_method(instrument.protocol(source.protocol.model), source.method)
        found = differences(source.protocol, present)
        if found:
            raise refuse(found)
    longest = max(
        sum(len(one.content) for one in instrument.measurement.context(prefix).history)
        for dialogue in read_dialogues(RunFolder(path).dialogues)
        for prefix in (dialogue.prefix(dialogue.n_turns),)
    )
    return replace(source, validity=replace(source.validity, most_characters=_ROOM * longest))


def read_scores_source(
    path: Path, method: str | None, options: ScoreOptions | None = None
) -> Source:
    """The scores of one method in a file."""
    table = read_scores(path, options or ScoreOptions())
    chosen = _one(method, tuple(dict.fromkeys(one.method for one in table.groups)), path)
    groups = [one for one in table.groups if one.method == chosen and one.condition == PLAIN]
    if len(groups) != 1:
        raise InputError(
            f"it holds {chosen!r} of {len(groups)} models or data sets",
            file=path,
            expected="the rows of one model on one data set",
        )
    columns = groups[0].own
    rows = _labelled(columns, has_turns=table.has_turns)
    turns = columns.turn
    return Source(
        name=path.name,
        data_digest=file_digest(path),
        method=chosen,
        rows=rows,
        settings={},
        protocol=None,
        run_digest=None,
        validity=GateValidity(
            turns=(int(turns.min()), int(turns.max())) if table.has_turns else None
        ),
        keys={str(one): id_key(one) for one in rows.groups},
        keyed_by="id",
    )


def _one(method: str | None, known: Sequence[str], path: Path) -> str:
    if method is None and len(known) == 1:
        return known[0]
    if method is None or method not in known:
        problem = "several methods are here" if method is None else f"there is no {method!r} here"
        raise InputError(problem, file=path, field="method", expected=", ".join(known))
    return method


def _labelled(columns: TurnColumns, *, has_turns: bool) -> LabelledScores:
    return LabelledScores.of(
        columns.confidence,
        columns.correct,
        dialogue=columns.dialogue,
        turn=columns.turn if has_turns else None,
        n_turns=columns.n_turns if has_turns else None,
    )


def _validity(rows: Sequence[TurnRow], dialogues: Sequence[Dialogue]) -> GateValidity:
    turns = np.array([row.turn for row in rows])
    tasks = {one.task for one in dialogues}
    closings = {one.closing for one in dialogues}
    if len(closings) > 1:
        raise InputError(
            "its dialogues end in different words, which a conversation does not tell",
            field="closing",
            expected="dialogues with one closing, or none",
        )
    values: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row.meta.items():
            if not name.startswith(NOTE):
                values.setdefault(name, set()).add(value)
    return GateValidity(
        turns=(int(turns.min()), int(turns.max())),
        task=tasks.pop() if len(tasks) == 1 else None,
        closing=closings.pop(),
        slices={
            name: tuple(sorted(some)) for name, some in values.items() if len(some) <= _MOST_VALUES
        },
    )
