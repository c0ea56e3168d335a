"""Finished runs side by side: a grid of their numbers, and the paired differences between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from turnsure.core.digest import SHORT, digest
from turnsure.core.errors import InputError
from turnsure.core.grid import Grid, GridCell, GridColumn, GridRow, ScoredGroup, Tables
from turnsure.core.results import MetricResult
from turnsure.core.turns import TurnColumns
from turnsure.experiment.columns import optional, turn_columns, turn_ids
from turnsure.experiment.compare_differences import KINDS, Named, difference_grids
from turnsure.experiment.compare_notes import comparison_notes
from turnsure.experiment.compare_runs import (
    UNNAMED,
    ComparedRun,
    RunRows,
    read_folders,
    shared_dialogues,
)
from turnsure.experiment.evaluate import METHOD_METRICS, Settings, accuracy, method_metrics
from turnsure.experiment.paired_rows import ACCURACY, Entry, best_of, columns_for
from turnsure.experiment.score import EvaluationSettings

DEFAULT_METRICS = ("info_ece", "kendall_tau")

_DEFAULT_SETTINGS = EvaluationSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a comparison found.

    Attributes
    ----------
    runs
        What was compared.
    bins, resamples, seed
        One setting for all numbers.
    tables
        The grid, the runs, the differences, and what must be said beside them.
    """

    runs: tuple[ComparedRun, ...]
    bins: int
    resamples: int
    seed: int
    tables: Tables


def compare(
    folders: Sequence[str | Path],
    *,
    names: Sequence[str] = DEFAULT_METRICS,
    kinds: Sequence[str] = KINDS,
    settings: Settings = _DEFAULT_SETTINGS,
) -> Comparison:
    """Put runs side by side, models × methods × data sets.

    Every number is of one run; nothing is pooled.  Runs that differ in more than the model are in
    columns of their own.

    Parameters
    ----------
    folders
        Of finished runs, or of scores.
    names
        Metrics, of ``METHOD_METRICS``; a name given twice counts once.
    kinds
        Which differences are taken, of ``KINDS``.
    settings
        Bins, resamples and seed, the same for all runs.

    Raises
    ------
    InputError
        A metric or kind is unknown, or two runs of one data set share no dialogue.
    StoreError
        A folder holds no finished run, or is named twice.
    """
    names, kinds = tuple(dict.fromkeys(names)), tuple(dict.fromkeys(kinds))
    _refuse_unknown(names, METHOD_METRICS, "metrics")
    _refuse_unknown(kinds, KINDS, "differences")
    runs = read_folders(folders)
    _refuse_strangers(runs)
    named = _named(runs)
    grid = _grid(named, names, settings)
    return Comparison(
        runs=tuple(one.run for one in runs),
        bins=settings.bins,
        resamples=settings.resamples,
        seed=settings.seed,
        tables=Tables(
            grids=(grid, _runs_grid(named), *difference_grids(named, names, kinds, settings)),
            notes=comparison_notes(runs, grid),
        ),
    )


def _refuse_unknown(given: Sequence[str], known: Sequence[str], field: str) -> None:
    for name in given:
        if name not in known:
            raise InputError(f"{name!r} is unknown", field=field, expected=", ".join(known))
    if field == "metrics" and not given:
        raise InputError("no metric is named", field=field, expected=", ".join(known))


def _refuse_strangers(runs: Sequence[RunRows]) -> None:
    """Refuse two data sets under one name: they would stand in one column."""
    for place, one in enumerate(runs):
        for other in runs[:place]:
            if one.run.data == other.run.data and not shared_dialogues(one, other):
                raise InputError(
                    f"{other.run.folder} and {one.run.folder} are both on {one.run.data!r} but "
                    "have no dialogue in common",
                    expected="dialogues with equal ids, hints and gold answers",
                )


def _named(runs: Sequence[RunRows]) -> list[Named]:
    """Names of blocks and columns, each as short as tells it from the others."""
    prints: dict[str, set[str]] = {}
    for one in runs:
        prints.setdefault(one.run.model, set()).add(_print_of(one))
    blocks = [
        f"{one.run.model} ({_print_of(one)})" if len(prints[one.run.model]) > 1 else one.run.model
        for one in runs
    ]
    data = [
        one.run.data
        if one.run.settings_digest is None
        else f"{one.run.data} [{one.run.settings_digest}]"
        for one in runs
    ]
    places = Counter(zip(blocks, data, strict=True))
    return [
        Named(
            rows=one,
            block=f"{block} in {one.run.folder}" if places[block, column] > 1 else block,
            data=column,
            answers=_answers(one.groups),
        )
        for one, block, column in zip(runs, blocks, data, strict=True)
    ]


def _print_of(rows: RunRows) -> str:
    return digest(dict(rows.run.fingerprint))[:SHORT] if rows.run.fingerprint else "scores"


def _answers(groups: Sequence[ScoredGroup]) -> TurnColumns | None:
    """Every turn once, for accuracy; None where methods differ in what is right at a turn."""
    outcomes: dict[tuple[str, int], float | None] = {}
    lengths: dict[tuple[str, int], int] = {}
    for group in groups:
        own = group.own
        places = turn_ids(own)
        lengths |= dict(zip(places, own.n_turns.tolist(), strict=True))
        for place, correct in zip(places, optional(own.correct), strict=True):
            known = outcomes.setdefault(place, correct)
            if known is None:
                outcomes[place] = correct
            elif correct is not None and correct != known:
                return None
    return turn_columns(
        dialogue=[dialogue for dialogue, _ in outcomes],
        turn=[turn for _, turn in outcomes],
        n_turns=[lengths[place] for place in outcomes],
        confidence=[None] * len(outcomes),
        correct=[*outcomes.values()],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A number with its place: block of rows, line in it, and column."""

    block: str
    line: str
    column: GridColumn
    cell: GridCell
    run: RunRows
    columns: TurnColumns


def _grid(runs: Sequence[Named], names: Sequence[str], settings: Settings) -> Grid:
    placed = [one for run in runs for one in _numbers(run, names, settings)]
    marked = _marked(placed, settings)
    groups = dict.fromkeys(run.data for run in runs)
    columns = tuple(GridColumn(group=group, metric=name) for group in groups for name in names)
    cells = {
        (one.block, one.line, one.column): replace(one.cell, marked=place in marked)
        for place, one in enumerate(placed)
    }
    blocks = dict.fromkeys(run.block for run in runs)
    lines = [
        (block, line)
        for block in blocks
        for line in dict.fromkeys(one.line for one in placed if one.block == block)
    ]
    return Grid(
        key="grid",
        title="Runs side by side",
        headings=("Model", "Method"),
        columns=columns,
        rows=tuple(
            GridRow(labels=line, cells=tuple(cells.get((*line, column)) for column in columns))
            for line in lines
        ),
    )


def _numbers(run: Named, names: Sequence[str], settings: Settings) -> list[_Placed]:
    """Accuracy, which stands in the first column of its data, and every metric of every method."""
    found: list[_Placed] = []

    def place(line: str, column: str, cell: GridCell, columns: TurnColumns) -> None:
        found.append(
            _Placed(
                block=run.block,
                line=line,
                column=GridColumn(group=run.data, metric=column),
                cell=cell,
                run=run.rows,
                columns=columns,
            )
        )

    if run.answers is not None:
        result = accuracy(run.answers, settings)
        place("Accuracy", names[0], GridCell(metric=ACCURACY, result=result), run.answers)
    for group in run.rows.groups:
        results = method_metrics(group.own, group.gold, settings, only=names)
        for name in names:
            cell = GridCell(metric=name, result=results[name])
            place(group.method, name, cell, columns_for(group, name))
    return found


def _marked(placed: Sequence[_Placed], settings: Settings) -> set[int]:
    """Places of the numbers that are better than all others of their data and metric."""
    rivals: dict[tuple[str, str], list[tuple[int, Entry]]] = {}
    for place, one in enumerate(placed):
        if isinstance(one.cell.result, MetricResult):
            entry = Entry(rows=one.run, columns=one.columns, result=one.cell.result)
            rivals.setdefault((one.column.group, one.cell.metric), []).append((place, entry))
    found: set[int] = set()
    for (_, metric), entries in rivals.items():
        best = best_of(metric, [entry for _, entry in entries], settings)
        if best is not None:
            found.add(entries[best][0])
    return found


def _runs_grid(runs: Sequence[Named]) -> Grid:
    return Grid(
        key="runs",
        title="What was compared",
        headings=("Run", "Model", "Data", "Protocol", "Dialogues"),
        columns=(),
        rows=tuple(
            GridRow(
                labels=(
                    one.rows.run.folder,
                    one.block,
                    one.data,
                    UNNAMED if one.rows.run.protocol is None else one.rows.run.protocol[:SHORT],
                    f"{len(one.rows.lengths):,}",
                ),
                cells=(),
            )
            for one in runs
        ),
    )
