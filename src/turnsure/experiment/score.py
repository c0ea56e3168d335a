"""The whole evaluation of scores that were made elsewhere: no model, no dialogues, only rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, cast

from turnsure.core.errors import InputError, StoreError
from turnsure.core.grid import MethodScores, ScoredGroup, ScoreEvaluation
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnColumns
from turnsure.experiment.columns import rows_where
from turnsure.experiment.evaluate import Settings, accuracy, method_metrics, sensitivity
from turnsure.experiment.run_folder import RUN_FORMAT, RunFolder
from turnsure.experiment.score_groups import ScoreTable, write_scores
from turnsure.store.json_files import plain, write_json

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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
        taken=table.taken,
        bins=settings.bins,
        resamples=settings.resamples,
        seed=settings.seed,
        n_rows=table.n_rows,
        groups=tuple(group_scores(group, settings) for group in table.groups),
        common=tuple(group_scores(group, settings) for group in common),
        notes=(*_notes(table), *notes),
    )


def group_scores(group: ScoredGroup, settings: Settings) -> MethodScores:
    """The numbers of one group."""
    one_turn_each = bool((group.own.n_turns == 1).all())
    own, gold = _numbered(group.own), _numbered(group.gold)
    return MethodScores(
        model=group.model,
        data=group.data,
        condition=group.condition,
        method=group.method,
        n_rows=len(group.own.turn),
        n_scored=_n_scored(group.own),
        accuracy=accuracy(own, settings),
        metrics=method_metrics(own, gold, settings),
        sensitivity=() if one_turn_each else sensitivity(own, settings),
    )


def _numbered(columns: TurnColumns) -> TurnColumns:
    """The same rows with numbers for ids, in the order of the ids; every metric would count them.

    Draws of the bootstrap depend on that order alone, so no number changes.
    """
    from turnsure.numerics.inputs import dialogue_codes

    codes, _ = dialogue_codes(columns.dialogue, len(columns.turn), "turn")
    return replace(columns, dialogue=cast("npt.NDArray[np.str_]", codes))


def _scored(columns: TurnColumns) -> npt.NDArray[np.bool_]:
    """Which rows have both a confidence and a graded answer."""
    import numpy as np

    return ~(np.ma.getmaskarray(columns.confidence) | np.ma.getmaskarray(columns.correct))


def _n_scored(columns: TurnColumns) -> int:
    return int(_scored(columns).sum())


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


def _on_common_turns(parts: Sequence[TurnColumns]) -> list[TurnColumns]:
    """The rows of the turns, as (dialogue, turn), that all parts have scored."""
    import numpy as np

    from turnsure.numerics.inputs import dialogue_codes

    names = np.concatenate([part.dialogue for part in parts])
    turns = np.concatenate([part.turn for part in parts])
    keys = dialogue_codes(names, len(turns), "turn")[0] * (int(turns.max(initial=0)) + 1) + turns
    each = np.split(keys, np.cumsum([len(part.turn) for part in parts])[:-1])
    scored = [own[_scored(part)] for part, own in zip(parts, each, strict=True)]
    common = reduce(partial(np.intersect1d, assume_unique=True), scored)
    return [rows_where(part, np.isin(own, common)) for part, own in zip(parts, each, strict=True)]


def _common_rows(groups: Sequence[ScoredGroup]) -> tuple[list[ScoredGroup], list[str]]:
    """Each place's methods on the turns that all of them scored, where these are not all turns."""
    import numpy as np

    places: defaultdict[tuple[str | None, str | None, str], list[ScoredGroup]] = defaultdict(list)
    for group in groups:
        if _n_scored(group.own):
            places[group.place].append(group)
    found: list[ScoredGroup] = []
    n_apart = 0
    for methods in places.values():
        if len(methods) == 1:
            continue
        parts = _on_common_turns([group.own for group in methods])
        n_common = len(parts[0].turn)
        if all(_n_scored(group.own) == n_common for group in methods):
            continue
        n_apart += not n_common
        found += [
            replace(group, own=part, gold=rows_where(group.gold, np.zeros(0, dtype=np.intp)))
            for group, part in zip(methods, parts, strict=True)
            if n_common
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
    elif not table.has_lengths:
        notes.append("No column says n_turns: a dialogue is as long as its largest turn.")
    for target, n in table.n_left_out.items():
        notes.append(f"{n:,} rows with target {target!r} are left out.")
    by_method: defaultdict[str, list[int]] = defaultdict(list)
    for group in table.groups:
        by_method[group.method].append(_n_scored(group.own))
    for method, scored in by_method.items():
        n_empty = sum(not n for n in scored)
        if n_empty:
            notes.append(
                f"{method}: nothing scored in {n_empty} of {len(scored)} models and data sets; "
                "these lines are left out."
            )
    return notes
