"""New rows of a gate's scores, with labels or without, in the order of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from turnsure.core.errors import InputError, StoreError
from turnsure.experiment.calibrating.columns import (
    CodedColumn,
    Collector,
    PredictionColumns,
)
from turnsure.experiment.calibrating.layout import MOST_VALUES, Layout, layout_of
from turnsure.experiment.calibrating.places import dialogue_numbers, lengths, refuse_doubled
from turnsure.experiment.run_folder import RunFolder
from turnsure.experiment.score_columns import ScoreOptions
from turnsure.experiment.score_names import ALIASES
from turnsure.numerics.arrays import FloatArray, Int64Array, IntArray
from turnsure.store.scores_file import RawColumns, read_blocks

_LABEL, _ITEM, _PROTOCOL = "correct", "id", "protocol"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WatchedRows:
    """Rows with a score, and what else is known.

    Attributes
    ----------
    source
        As the user named it.
    method
        Of the rows, where a column names it.
    n_given, n_no_score
        Rows of the gate's method, and those of them without a score, which are left out.
    score
        In [0, 1], shape (n,).
    correct
        1, 0 or MISSING, shape (n,).
    group, ids
        Number of each row's dialogue and their ids; ids is None where no column says them.
    turn, n_turns
        Shape (n,); None where no column says the turn.
    lines, has_lines
        Where each row stands in the file, shape (n,): a line, or a row.
    slices
        Columns by which the rows are sliced.
    protocols
        Digests that the rows say they were measured under.
    notes
        What a reader must know, a sentence an item.
    """

    source: str
    method: str | None
    n_given: int
    n_no_score: int
    score: FloatArray
    correct: IntArray
    group: IntArray
    ids: tuple[str, ...] | None
    turn: Int64Array | None
    n_turns: Int64Array | None
    lines: Int64Array
    has_lines: bool
    slices: Mapping[str, CodedColumn]
    protocols: frozenset[str]
    notes: tuple[str, ...]

    def place(self, row: int) -> str:
        """Where a row stands, for people."""
        return f"{'line' if self.has_lines else 'row'} {int(self.lines[row]):,}"


def read_watched(
    path: Path,
    method: str,
    options: ScoreOptions,
    slices: Sequence[str] | None = None,
    *,
    any_method: bool = False,
) -> WatchedRows:
    """Read new rows; columns of labels and of ids may be missing.

    Parameters
    ----------
    path
        CSV, JSON Lines or Parquet, or the folder of a finished run.
    method
        Of the gate; other methods in the file are left out.
    options
        Which column is what, where the names do not say it.
    slices
        Columns by which the rows are sliced; None for every further column of few words.
    any_method
        Whether a single other method in the file is taken for that of the gate, as for a gate of
        scores that were made elsewhere.

    Raises
    ------
    InputError
        The file, a column or a value cannot be used, the method is not there, or there are several
        models; names file, line and column.
    StoreError
        The folder is not that of a finished run.
    """
    run = RunFolder(path) if path.is_dir() else None
    if run is not None and run.read_run()["finished"] is None:
        raise StoreError(f"{path}: this run is not finished; run it again to go on")
    file = path if run is None else run.turns
    layout: Layout | None = None
    collector: Collector | None = None
    protocols: set[str] = set()
    n, has_lines, has_ids = 0, True, True
    for given in read_blocks(file):
        raw, has_ids = _completed(given, options, n)
        n += raw.n
        if layout is None or collector is None:
            layout = layout_of(raw, options, slices)
            collector = Collector(
                options,
                slices=layout.slices,
                item=layout.item,
                costs=(),
                meta=layout.is_turns_table,
            )
            has_lines = raw.lines is not None
        protocols.update(map(str, raw.columns.get(_PROTOCOL, ())))
        collector.add(raw)
    if layout is None or collector is None:
        raise InputError("the file holds no row", file=file, expected="a row or more")
    columns = collector.joined(str(file))
    said = columns.names.get("method")
    if any_method and said is not None and len(said.names) == 1:
        method = said.names[0]
    rows, score = _of_method(columns, method, file)
    dialogue, n_turns = _places(columns, layout, file, has_lines=has_lines)
    has_score = ~np.isnan(score)
    kept = rows[has_score]
    if not kept.size:
        raise InputError(
            f"none of the {len(rows):,} rows has a score",
            file=file,
            field=columns.taken["confidence"][0],
            expected="one score or more",
        )
    present, group = np.unique(dialogue[kept], return_inverse=True)
    names = columns.dialogue.names
    first = np.unique(dialogue, return_index=True)[1]
    ids = tuple(names[columns.dialogue.codes[first[one]]] for one in present.tolist())
    return WatchedRows(
        source=str(path),
        method=None if said is None else method,
        n_given=len(rows),
        n_no_score=int(np.count_nonzero(~has_score)),
        score=score[has_score],
        correct=columns.correct[kept].astype(np.intp),
        group=group,
        ids=ids if has_ids else None,
        turn=None if columns.turn is None else columns.turn[kept],
        n_turns=None if n_turns is None else n_turns[kept],
        lines=columns.lines[kept],
        has_lines=has_lines,
        slices=_slices(columns, kept, slices, file),
        protocols=frozenset(protocols),
        notes=(
            *(f"{k:,} rows with {what} are left out." for what, k in columns.left_out.items()),
            *(() if has_ids else ("No column says the dialogue: each row is one of its own.",)),
        ),
    )


def _completed(raw: RawColumns, options: ScoreOptions, n_before: int) -> tuple[RawColumns, bool]:
    """The table with a column of missing labels and one of row numbers where it has none.

    Also says whether the ids are its own.
    """
    known = {name.strip().casefold().replace(" ", "_").replace("-", "_") for name in raw.columns}
    named = options.named or {}
    columns = dict(raw.columns)
    if "correct" not in named and known.isdisjoint(ALIASES["correct"]):
        columns[_LABEL] = [None] * raw.n
    has_ids = "dialogue" in named or not known.isdisjoint(ALIASES["dialogue"])
    if not has_ids:
        columns[_ITEM] = [str(n_before + row) for row in range(1, raw.n + 1)]
    return replace(raw, columns=columns), has_ids


def _of_method(columns: PredictionColumns, method: str, file: Path) -> tuple[IntArray, FloatArray]:
    """Row numbers of the gate's method, and their scores."""
    rows = np.arange(len(columns.correct))
    scores = dict(columns.scores)
    said = columns.names.get("method")
    if said is not None:
        if method not in said.names:
            raise InputError(
                f"there is no {method!r} here",
                file=file,
                field=columns.taken["method"][0],
                expected=f"rows of the gate's method; here are {', '.join(said.names)}",
            )
        rows = np.flatnonzero(said.codes == said.names.index(method))
    models = columns.names.get("model")
    if models is not None:
        present = np.unique(models.codes[rows])
        if len(present) > 1:
            raise InputError(
                f"rows of {len(present)} models stand here",
                file=file,
                field=columns.taken["model"][0],
                expected="the scores of one model: a gate is of one",
            )
    if len(scores) > 1 and method not in scores:
        raise InputError(
            f"there are several columns of scores: {', '.join(scores)}",
            file=file,
            field="score",
            expected="one that is named with --score",
        )
    score = scores[method] if method in scores else next(iter(scores.values()))
    return rows, score[rows]


def _places(
    columns: PredictionColumns, layout: Layout, file: Path, *, has_lines: bool
) -> tuple[IntArray, Int64Array | None]:
    """Dialogue of each row, and the length of it."""

    def error(row: int, field: str, problem: str, *, expected: str) -> InputError:
        line = int(columns.lines[row])
        return InputError(
            problem if has_lines else f"row {line}: {problem}",
            file=file,
            line=line if has_lines else None,
            field=layout.item if field == "item" else columns.taken[field][0],
            expected=expected,
        )

    dialogue = dialogue_numbers(columns)
    refuse_doubled(columns, dialogue, rows_are_items=layout.rows_are_items, error=error)
    return dialogue, lengths(columns, dialogue, error=error)


def _slices(
    columns: PredictionColumns, kept: IntArray, wanted: Sequence[str] | None, file: Path
) -> dict[str, CodedColumn]:
    missing = [name for name in wanted or () if name not in columns.slices]
    if missing:
        raise InputError(
            f"there is no column {missing[0]!r}",
            file=file,
            field="slice",
            expected="a column of the file, or what the dialogues' meta says",
        )
    return {
        name: CodedColumn(codes=one.codes[kept], names=one.names)
        for name, one in columns.slices.items()
        if (2 <= len(one.names) <= MOST_VALUES if wanted is None else name in wanted)
    }
