"""The whole evaluation of scores that were made elsewhere: no model, no dialogues, only rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from turnsure.core.errors import InputError, StoreError
from turnsure.core.grid import MethodScores, ScoredGroup, ScoreEvaluation
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnColumns
from turnsure.experiment.columns import rows_where, scored_rows, turn_ids
from turnsure.experiment.evaluate import Settings, accuracy, method_metrics, sensitivity
from turnsure.experiment.run_folder import RUN_FORMAT, RunFolder
from turnsure.experiment.score_groups import ScoreTable, write_scores
from turnsure.store.json_files import plain, write_json

SCORES_KIND = "scores"
"""What ``metrics.json`` of a folder of scores says it is."""

_DEFAULTS = RunSpec()


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSettings:
    """Bins of InfoECE and ECE, and resamples and seed of the bootstrap, as in a run's spec."""

    bins: int = _DEFAULTS.bins
    resamples: int = _DEFAULTS.resamples
    seed: int = _DEFAULTS.seed

    def __post_init__(self) -> None:
        RunSpec(bins=self.bins, resamples=self.resamples, seed=self.seed)


_DEFAULT_SETTINGS = EvaluationSettings()


def score(table: ScoreTable, settings: Settings = _DEFAULT_SETTINGS) -> ScoreEvaluation:
    """Every metric of every group, and again on common rows where coverage differs.

    Parameters
    ----------
    table
        From :func:`turnsure.experiment.score_groups.read_scores`.
    settings
        Bins, resamples and seed.
    """
    common, notes = _common_rows(table.groups)
    return ScoreEvaluation(
        source=table.source,
        taken=table.rows.taken,
        bins=settings.bins,
        resamples=settings.resamples,
        seed=settings.seed,
        n_rows=len(table.rows.dialogue),
        groups=tuple(group_scores(group, settings) for group in table.groups),
        common=tuple(group_scores(group, settings) for group in common),
        notes=(*_notes(table), *notes),
    )


def group_scores(group: ScoredGroup, settings: Settings) -> MethodScores:
    """The numbers of one group."""
    one_turn_each = bool((group.own.n_turns == 1).all())
    return MethodScores(
        model=group.model,
        data=group.data,
        condition=group.condition,
        method=group.method,
        n_rows=len(group.own.turn),
        n_scored=len(scored_rows(group.own).turn),
        accuracy=accuracy(group.own, settings),
        metrics=method_metrics(group.own, group.gold, settings),
        sensitivity=() if one_turn_each else sensitivity(group.own, settings),
    )


def write_score_folder(folder: Path, table: ScoreTable, evaluation: ScoreEvaluation) -> None:
    """Write ``scores.parquet`` and ``metrics.json``; the folder is made when missing.

    Raises
    ------
    InputError
        The path is a file.
    StoreError
        The folder is that of a run, whose numbers would be overwritten.
    """
    if RunFolder(folder).run_json.exists():
        raise StoreError(f"{folder} is the folder of a run; choose another one with -o")
    if folder.exists() and not folder.is_dir():
        raise InputError("this is no folder", file=folder, expected="a folder, or a new name")
    folder.mkdir(parents=True, exist_ok=True)
    write_scores(table, scores_file(folder))
    body = {"format": RUN_FORMAT, "kind": SCORES_KIND, **plain(evaluation)}
    write_json(RunFolder(folder).metrics, body)


def scores_file(folder: Path) -> Path:
    """Where the rows of a folder of scores are."""
    return folder / "scores.parquet"


def common_turns(parts: Sequence[TurnColumns]) -> set[tuple[str, int]]:
    """The turns, as (dialogue, turn), that all parts have scored."""
    scored = [set(turn_ids(scored_rows(part))) for part in parts]
    return set[tuple[str, int]].intersection(*scored)


def rows_of_turns(part: TurnColumns, turns: set[tuple[str, int]]) -> TurnColumns:
    """The rows of these turns."""
    import numpy as np

    return rows_where(part, np.array([turn in turns for turn in turn_ids(part)], dtype=np.bool_))


def _common_rows(groups: Sequence[ScoredGroup]) -> tuple[list[ScoredGroup], list[str]]:
    """Each place's methods on the turns that all of them scored, where these are not all turns."""
    places: defaultdict[tuple[str | None, str | None, str], list[ScoredGroup]] = defaultdict(list)
    for group in groups:
        if len(scored_rows(group.own).turn):
            places[group.place].append(group)
    found: list[ScoredGroup] = []
    n_apart = 0
    for methods in places.values():
        common = common_turns([group.own for group in methods])
        if all(len(scored_rows(group.own).turn) == len(common) for group in methods):
            continue
        n_apart += not common
        found += [
            ScoredGroup(
                model=group.model,
                data=group.data,
                condition=group.condition,
                method=group.method,
                own=rows_of_turns(group.own, common),
                gold=rows_of_turns(group.gold, set()),
            )
            for group in methods
            if common
        ]
    notes: list[str] = []
    if found:
        notes.append(
            "Methods of one model and data set do not cover the same turns. The table on common "
            "turns compares them fairly; the table on all turns does not."
        )
    if n_apart:
        notes.append(f"In {n_apart} of the models and data sets, methods have no turn in common.")
    return found, notes


def _notes(table: ScoreTable) -> list[str]:
    notes: list[str] = []
    if not table.has_turns:
        notes.append(
            "No column says the turn: every row is turn 1 of 1, so Kendall's τ is not defined and "
            "InfoECE is the distance of mean confidence from accuracy, whatever the bins."
        )
    elif table.rows.n_turns is None:
        notes.append("No column says n_turns: a dialogue is as long as its largest turn.")
    for target, n in table.n_left_out.items():
        notes.append(f"{n:,} rows with target {target!r} are left out.")
    by_method: defaultdict[str, list[int]] = defaultdict(list)
    for group in table.groups:
        by_method[group.method].append(len(scored_rows(group.own).turn))
    for method, scored in by_method.items():
        n_empty = sum(not n for n in scored)
        if n_empty:
            notes.append(
                f"{method}: nothing scored in {n_empty} of {len(scored)} models and data sets; "
                "these lines are left out."
            )
    return notes
