"""Predictions to be judged, from a file or a run's folder: a group a method of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from turnsure.calibration.labelled import LabelledScores
from turnsure.core.errors import InputError, StoreError
from turnsure.core.results import Undefined
from turnsure.experiment.calibrating.columns import (
    MISSING,
    CodedColumn,
    Collector,
    PredictionColumns,
)
from turnsure.experiment.calibrating.layout import MOST_VALUES, Layout, layout_of
from turnsure.experiment.calibrating.places import (
    apart,
    dialogue_numbers,
    joint_codes,
    lengths,
    refuse_doubled,
)
from turnsure.experiment.run_folder import RunFolder
from turnsure.experiment.score_columns import ScoreOptions
from turnsure.numerics.arrays import IntArray
from turnsure.store.scores_file import read_blocks


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PredictionGroup:
    """The scores of one method of one model.

    Attributes
    ----------
    model, method
        Names; the model is None where no column names one.
    n_rows, n_no_score, n_no_label
        Rows given, and those without a score or without a label.
    rows
        The complete ones.
    slices
        Columns of the complete rows, by name.
    costs
        Mean cost of the complete rows that say one, by column.
    """

    model: str | None
    method: str
    n_rows: int
    n_no_score: int
    n_no_label: int
    rows: LabelledScores
    slices: Mapping[str, CodedColumn]
    costs: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predictions:
    """A file or a run, read and checked.

    Attributes
    ----------
    source
        As the user named it.
    taken
        Role to the columns taken for it; ``slice`` and ``item`` among the roles.
    n_rows
        Rows of the file.
    groups
        In order of first appearance.
    empty
        Groups without a complete row.
    run
        The folder, where it is one of a run.
    notes
        What a reader must know, a sentence an item.
    """

    source: str
    taken: Mapping[str, tuple[str, ...]]
    n_rows: int
    groups: tuple[PredictionGroup, ...]
    empty: tuple[Undefined, ...]
    run: RunFolder | None
    notes: tuple[str, ...]


_DEFAULT_OPTIONS = ScoreOptions()


def read_predictions(
    path: str | Path, options: ScoreOptions = _DEFAULT_OPTIONS, slices: Sequence[str] | None = None
) -> Predictions:
    """Read a table of predictions, or the turns of a finished run.

    Parameters
    ----------
    path
        CSV, JSON Lines or Parquet, or the folder of a run.
    options
        Which column is what, where the names do not say it.
    slices
        Columns by which the rows are sliced; None for every further column of text that is no
        number and has 2 to :data:`MOST_VALUES` values, and for the data set.

    Raises
    ------
    InputError
        The file, a column or a value cannot be used; names file, line and column.
    StoreError
        The folder is not that of a finished run.
    """
    given = Path(path)
    run = RunFolder(given) if given.is_dir() else None
    if run is not None and run.read_run()["finished"] is None:
        raise StoreError(f"{given}: this run is not finished; run it again to go on")
    file = given if run is None else run.turns
    layout: Layout | None = None
    collector: Collector | None = None
    has_lines = True
    for raw in read_blocks(file):
        if layout is None or collector is None:
            layout = layout_of(raw, options, slices)
            collector = Collector(
                options,
                slices=layout.slices,
                item=layout.item,
                costs=layout.costs,
                meta=layout.is_turns_table,
            )
            has_lines = raw.lines is not None
        collector.add(raw)
    if layout is None or collector is None:
        raise InputError("the file holds no row", file=file)
    return _grouped(
        str(path), file, collector.joined(str(file)), layout, run, slices, has_lines=has_lines
    )


def _grouped(
    source: str,
    file: Path,
    columns: PredictionColumns,
    layout: Layout,
    run: RunFolder | None,
    wanted: Sequence[str] | None,
    *,
    has_lines: bool,
) -> Predictions:
    taken: dict[str, tuple[str, ...]] = dict(columns.taken)
    if layout.item is not None:
        taken["item"] = (layout.item,)

    def error(row: int, field: str, problem: str, *, expected: str) -> InputError:
        line = int(columns.lines[row])
        return InputError(
            problem if has_lines else f"row {line}: {problem}",
            file=file,
            line=line if has_lines else None,
            field=taken[field][0],
            expected=expected,
        )

    dialogue = dialogue_numbers(columns)
    refuse_doubled(columns, dialogue, rows_are_items=layout.rows_are_items, error=error)
    n_turns = lengths(columns, dialogue, error=error)
    slices = _slices(file, columns, taken, wanted)
    taken |= {"slice": tuple(slices)} if slices else {}
    taken |= {"cost": layout.costs} if layout.costs else {}
    groups: list[PredictionGroup] = []
    empty: list[Undefined] = []
    for model, method, where in _parts(columns):
        for name, score in columns.scores.items():
            shown = name if method is None else method
            if method is not None and len(columns.scores) > 1:
                shown = f"{method}: {name}"
            values, labels = score[where], columns.correct[where]
            no_score, no_label = np.isnan(values), labels == MISSING
            complete = where[~(no_score | no_label)]
            counts = (len(where), int(no_score.sum()), int(no_label.sum()))
            if not complete.size:
                full = shown if model is None else f"{model}: {shown}"
                reason = (
                    f"none of its {counts[0]:,} rows has both a score and a label ({counts[1]:,} "
                    f"lack the score, {counts[2]:,} the label)"
                )
                empty.append(Undefined(name=full, reason=reason, n_failed=counts[0]))
                continue
            groups.append(
                PredictionGroup(
                    model=model,
                    method=shown,
                    n_rows=counts[0],
                    n_no_score=counts[1],
                    n_no_label=counts[2],
                    rows=LabelledScores.of(
                        score[complete],
                        columns.correct[complete],
                        dialogue=dialogue[complete],
                        turn=None if columns.turn is None else columns.turn[complete],
                        n_turns=None if n_turns is None else n_turns[complete],
                    ),
                    slices={
                        key: CodedColumn(codes=one.codes[complete], names=one.names)
                        for key, one in slices.items()
                    },
                    costs=_mean_costs(columns, complete),
                )
            )
    return Predictions(
        source=source,
        taken=taken,
        n_rows=columns.n_given,
        groups=tuple(groups),
        empty=tuple(empty),
        run=run,
        notes=tuple(
            f"{n:,} rows with {what} are left out." for what, n in columns.left_out.items()
        ),
    )


def _mean_costs(columns: PredictionColumns, rows: IntArray) -> dict[str, float]:
    given = {name: values[rows] for name, values in columns.costs.items()}
    told = {name: values[~np.isnan(values)] for name, values in given.items()}
    return {name: float(values.mean()) for name, values in told.items() if values.size}


def _slices(
    file: Path,
    columns: PredictionColumns,
    taken: Mapping[str, tuple[str, ...]],
    wanted: Sequence[str] | None,
) -> dict[str, CodedColumn]:
    if wanted is not None:
        for name in wanted:
            if name not in columns.slices:
                raise InputError(
                    f"there is no column {name!r}",
                    file=file,
                    field="slice",
                    expected="a column of the file, or what the dialogues' meta says",
                )
        return {name: columns.slices[name] for name in wanted}
    found = {
        name: one for name, one in columns.slices.items() if 2 <= len(one.names) <= MOST_VALUES
    }
    data = columns.names.get("data")
    if data is not None and len(data.names) > 1:
        found = {taken["data"][0]: data, **found}
    return found


def _parts(columns: PredictionColumns) -> list[tuple[str | None, str | None, IntArray]]:
    """Rows by model and method, in order of first appearance."""
    named = apart(columns, "model", "method")
    if not named:
        return [(None, None, np.arange(len(columns.correct)))]
    key = joint_codes(named)
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    rows_of: list[IntArray] = np.split(
        np.argsort(inverse, kind="stable"), np.cumsum(np.bincount(inverse))[:-1]
    )
    found: list[tuple[str | None, str | None, IntArray]] = []
    order: list[int] = np.argsort(first).tolist()
    for place in order:
        rows: IntArray = rows_of[place]

        def name(role: str, row: int = int(rows[0])) -> str | None:
            column = columns.names.get(role)
            return None if column is None else column.names[int(column.codes[row])]

        found.append((name("model"), name("method"), rows))
    return found
