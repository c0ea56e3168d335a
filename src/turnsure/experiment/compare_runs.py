"""Runs and folders of scores, read for a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from turnsure.core.dialogue import Dialogue
from turnsure.core.digest import SHORT, digest
from turnsure.core.errors import StoreError
from turnsure.core.grid import ScoredGroup
from turnsure.core.turns import PLAIN, TurnsTable
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.experiment.columns import scored_rows
from turnsure.experiment.model_names import data_label, model_label
from turnsure.experiment.run_folder import RunFolder
from turnsure.experiment.score import scores_file
from turnsure.experiment.score_groups import read_scores
from turnsure.store.turns_file import read_turns

UNNAMED = "—"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun:
    """One model on one data set.

    Attributes
    ----------
    folder
        As the user named it.
    model, data
        As tables call them.
    fingerprint
        The model's, empty for scores made elsewhere.
    protocol
        Digest of the run's protocol; None for scores made elsewhere.
    settings
        The protocol apart from the model, flat; None likewise.
    """

    folder: str
    model: str
    data: str
    fingerprint: Mapping[str, str]
    protocol: str | None
    settings: Mapping[str, str] | None

    @property
    def settings_digest(self) -> str | None:
        """Digest of :attr:`settings`: runs of different models share it, protocols do not."""
        return None if self.settings is None else digest(dict(self.settings))[:SHORT]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRows:
    """A run with its rows.

    Attributes
    ----------
    run
        Which.
    groups
        One a method, ordinary turns only.
    lengths
        Dialogue id to the dialogue's number of turns.
    contents
        Dialogue id to a digest of its hints and gold answers; None where only ids are known.
    n_controlled
        Rows of controls, which a comparison leaves out.
    """

    run: ComparedRun
    groups: tuple[ScoredGroup, ...]
    lengths: Mapping[str, int]
    contents: Mapping[str, str] | None
    n_controlled: int = 0


def read_folders(folders: Sequence[str | Path]) -> tuple[RunRows, ...]:
    """Read runs and folders of scores.

    Raises
    ------
    StoreError
        A folder is neither, is not finished, or was named twice.
    """
    seen: set[Path] = set()
    found: list[RunRows] = []
    for folder in map(Path, folders):
        if folder.resolve() in seen:
            raise StoreError(f"{folder} is named twice")
        seen.add(folder.resolve())
        if RunFolder(folder).run_json.exists() or not scores_file(folder).exists():
            found.append(_run(folder))
        else:
            found += _scores(folder)
    return tuple(found)


def shared_dialogues(one: RunRows, other: RunRows) -> frozenset[str]:
    """Ids of the dialogues that both have, equally long and with equal hints and gold answers.

    Hints and gold answers are taken to be equal where one side does not know them.
    """
    return frozenset(
        name
        for name in one.lengths.keys() & other.lengths.keys()
        if one.lengths[name] == other.lengths[name]
        and (
            one.contents is None
            or other.contents is None
            or one.contents[name] == other.contents[name]
        )
    )


def flat(body: Mapping[str, Any], above: str = "") -> dict[str, str]:
    """Nested mappings as one, with dotted names."""
    found: dict[str, str] = {}
    for name, value in body.items():
        path = f"{above}{name}"
        if isinstance(value, Mapping):
            found |= flat(cast("Mapping[str, Any]", value), f"{path}.")
        else:
            found[path] = str(value)
    return found


def _run(folder: Path) -> RunRows:
    run = RunFolder(folder)
    if not folder.is_dir():
        reason = "this is a file" if folder.exists() else "there is no such folder"
        raise StoreError(f"{folder}: no run is here ({reason})")
    body = run.read_run()
    if body["finished"] is None or not run.turns.exists():
        raise StoreError(f"{folder}: this run is not finished; run it again to go on")
    table, protocol = read_turns(run.turns)
    if protocol != body["digest"]:
        raise StoreError(
            f"{folder}: the tables here are of an earlier run; run the present one to its end"
        )
    parts = cast("Mapping[str, Any]", body["protocol"])
    spec = cast("Mapping[str, Any]", body["spec"])
    if not (isinstance(spec.get("model"), str) and isinstance(spec.get("data"), str)):
        raise StoreError(f"{run.run_json}: the spec lacks model or data")
    model, data = model_label(spec["model"]), data_label(spec["data"])
    plain = table.select(condition=PLAIN)
    dialogues = read_dialogues(run.dialogues)
    return RunRows(
        run=ComparedRun(
            folder=str(folder),
            model=model,
            data=data,
            fingerprint=flat(parts.get("model") or {}),
            protocol=protocol,
            settings=flat({name: part for name, part in parts.items() if name != "model"}),
        ),
        groups=tuple(_group(plain, method, model, data) for method in plain.methods),
        lengths={one.id: one.n_turns for one in dialogues},
        contents={one.id: _content(one) for one in dialogues},
        n_controlled=len(table) - len(plain),
    )


def _group(table: TurnsTable, method: str, model: str, data: str) -> ScoredGroup:
    rows = table.select(method=method)
    return ScoredGroup(
        model=model,
        data=data,
        condition=PLAIN,
        method=method,
        own=rows.select(target="answer").columns(),
        gold=rows.select(target="gold").columns(),
    )


def _content(dialogue: Dialogue) -> str:
    hints = [[hint.question, hint.answer] for hint in dialogue.hints]
    return digest([hints, list(dialogue.gold)])


def _scores(folder: Path) -> list[RunRows]:
    table = read_scores(scores_file(folder))
    places: dict[tuple[str | None, str | None], list[ScoredGroup]] = {}
    n_controlled: Counter[tuple[str | None, str | None]] = Counter()
    for group in table.groups:
        place = (group.model, group.data)
        if group.condition != PLAIN:
            n_controlled[place] += len(group.own.turn) + len(group.gold.turn)
        elif len(scored_rows(group.own).turn):
            # Otherwise it is a column that a model has no values in, not a method that failed.
            places.setdefault(place, []).append(group)
    return [
        RunRows(
            run=ComparedRun(
                folder=str(folder),
                model=model or UNNAMED,
                data=data or UNNAMED,
                fingerprint={},
                protocol=None,
                settings=None,
            ),
            groups=tuple(groups),
            lengths={
                name: n_turns
                for group in groups
                for name, n_turns in zip(
                    group.own.dialogue.tolist(), group.own.n_turns.tolist(), strict=True
                )
            },
            contents=None,
            n_controlled=n_controlled[model, data],
        )
        for (model, data), groups in places.items()
    ]
