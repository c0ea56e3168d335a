"""Rows of scores, sorted into groups: one a model, data set, condition and method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnsure.core.grid import ScoredGroup
from turnsure.core.turns import TurnColumns
from turnsure.experiment.coded import MISSING, CodedColumn
from turnsure.experiment.columns import optional, rows_where
from turnsure.experiment.score_columns import GOLD, OWN, RowReader, ScoreOptions
from turnsure.experiment.score_places import lengths, refuse_doubled, rows_by_group
from turnsure.experiment.score_rows import ScoreRows, joined
from turnsure.numerics.arrays import row_blocks
from turnsure.store.scores_file import read_blocks, write_pieces

if TYPE_CHECKING:
    import numpy.typing as npt

    from turnsure.experiment.columns import MaskedFloats
    from turnsure.numerics.arrays import BoolArray, Int64Array

_DEFAULT_OPTIONS = ScoreOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """A file of scores, read and checked.

    Attributes
    ----------
    source
        The file, as the user named it.
    taken
        Role to the columns that were taken for it.
    n_rows
        Rows of the file.
    has_lengths
        Whether a column says how long a dialogue is.
    groups
        In order of first appearance.
    has_turns
        Whether a column says which turn a row is.
    n_left_out
        Rows by target, for targets other than the own and the gold answer.
    """

    source: str
    taken: Mapping[str, tuple[str, ...]]
    n_rows: int
    has_lengths: bool
    groups: tuple[ScoredGroup, ...]
    has_turns: bool
    n_left_out: dict[str, int]


def read_scores(path: str | Path, options: ScoreOptions = _DEFAULT_OPTIONS) -> ScoreTable:
    """Read a table of scores made anywhere.

    Parameters
    ----------
    path
        CSV, JSON Lines or Parquet; a run's ``turns.parquet`` is such a file.
    options
        Which column is what, where the names do not say it.

    Raises
    ------
    InputError
        The file, a column or a value cannot be used; names file, line and column.
    """
    reader = RowReader(options)
    pieces = [reader.read(raw) for raw in read_blocks(path)]
    reader.finish()
    rows = joined(pieces)
    del pieces
    file = Path(path)
    refuse_doubled(file, rows)
    return ScoreTable(
        source=str(path),
        taken=rows.taken,
        n_rows=rows.n,
        has_lengths=rows.n_turns is not None,
        groups=tuple(_groups(rows, lengths(file, rows))),
        has_turns="turn" in rows.taken,
        n_left_out=_left_out(rows.target),
    )


def write_scores(table: ScoreTable, path: Path) -> None:
    """Write the groups' rows under their usual names, so that :func:`read_scores` reads them."""
    kinds = {
        "dialogue": "utf8", "turn": "int64", "n_turns": "int64", "model": "utf8", "data": "utf8",
        "condition": "utf8", "target": "utf8", "method": "utf8", "confidence": "float64",
        "correct": "bool",
    }  # fmt: skip
    for name in ("model", "data"):
        if table.groups and getattr(table.groups[0], name) is None:
            del kinds[name]
    write_pieces(path, kinds, _pieces(table.groups))


def _pieces(groups: Sequence[ScoredGroup]) -> Iterator[Mapping[str, list[Any]]]:
    """The rows as plain values, a block at a time."""
    for group in groups:
        for target, whole in ((OWN, group.own), (GOLD, group.gold)):
            for rows in row_blocks(len(whole.turn)):
                n = rows.stop - rows.start
                correct = optional(whole.correct[rows])
                yield {
                    "dialogue": whole.dialogue[rows].tolist(),
                    "turn": whole.turn[rows].tolist(),
                    "n_turns": whole.n_turns[rows].tolist(),
                    "model": [group.model] * n,
                    "data": [group.data] * n,
                    "condition": [group.condition] * n,
                    "target": [target] * n,
                    "method": [group.method] * n,
                    "confidence": optional(whole.confidence[rows]),
                    "correct": [None if one is None else one == 1.0 for one in correct],
                }


def _left_out(target: CodedColumn) -> dict[str, int]:
    """Rows by target, for targets other than the own and the gold answer."""
    import numpy as np

    n = np.bincount(target.codes, minlength=len(target.names)).tolist()
    return {
        name: count for name, count in zip(target.names, n, strict=True) if name not in (OWN, GOLD)
    }


def _groups(rows: ScoreRows, lengths: Int64Array) -> list[ScoredGroup]:
    import numpy as np

    names = np.array(rows.dialogue.names, dtype=np.str_)
    columns = {
        name: TurnColumns(
            dialogue=names[rows.dialogue.codes],
            turn=rows.turn,
            n_turns=lengths,
            confidence=_masked(values, np.isnan(values)),
            correct=_masked(rows.correct, rows.correct == MISSING),
        )
        for name, values in rows.confidence.items()
    }
    groups: list[ScoredGroup] = []
    for place in rows_by_group(rows):
        for name, whole in columns.items():
            method = place.method
            groups.append(
                ScoredGroup(
                    model=place.model,
                    data=place.data,
                    condition=place.condition,
                    method=_method_name(method, name, several=len(columns) > 1),
                    own=whole if place.own is None else rows_where(whole, place.own),
                    gold=rows_where(whole, place.gold),
                )
            )
    return groups


def _masked(values: npt.NDArray[Any], missing: BoolArray) -> MaskedFloats:
    import numpy as np

    numbers = np.where(missing, 0.0, values)
    return np.ma.MaskedArray(numbers, mask=missing)


def _method_name(method: str | None, column: str, *, several: bool) -> str:
    """The method's own name, the column's, or both where each is needed to tell rows apart."""
    if method is None:
        return column
    return f"{method}: {column}" if several else method
