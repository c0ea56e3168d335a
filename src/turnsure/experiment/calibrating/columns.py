"""A table of predictions read into arrays, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from turnsure.core.errors import InputError
from turnsure.core.turns import PLAIN
from turnsure.experiment.calibrating.values import amounts, meta_columns, slice_names
from turnsure.experiment.coded import MISSING, CodedColumn, Coder
from turnsure.experiment.score_columns import OWN, RowReader, ScoreOptions
from turnsure.experiment.score_rows import ScoreRows
from turnsure.numerics.arrays import BoolArray, FloatArray, Int64Array
from turnsure.store.scores_file import RawColumns


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PredictionColumns:
    """The rows of a file that are about the model's own answer under plain conditions.

    Attributes
    ----------
    taken
        Role to the columns taken for it.
    n_given
        Rows of the file.
    left_out
        Rows of controls and of other targets than the own answer, by what they are.
    scores
        By column, shape (n,); NaN where missing.
    correct
        Shape (n,): 1, 0, or :data:`MISSING`.
    dialogue
        Shape (n,).
    item
        Ids of single rows, where a column has them beside those of dialogues.
    turn, n_turns
        Shape (n,); None where no column says it.
    lines
        Where each row stands in the file, a line or a row number, shape (n,).
    names
        Columns of text that part the rows: of ``model``, ``method`` and ``data``, as far as there
        are such.
    slices
        Further columns of text, by name.
    costs
        What a row cost, by column, shape (n,); NaN where missing.
    """

    taken: Mapping[str, tuple[str, ...]]
    n_given: int
    left_out: Mapping[str, int]
    scores: Mapping[str, FloatArray]
    correct: npt.NDArray[np.int8]
    dialogue: CodedColumn
    item: CodedColumn | None
    turn: Int64Array | None
    n_turns: Int64Array | None
    lines: Int64Array
    names: Mapping[str, CodedColumn]
    slices: Mapping[str, CodedColumn]
    costs: Mapping[str, FloatArray]


class Collector:
    """Takes the pieces of a file, and joins them.

    Parameters
    ----------
    options
        Which column is what.
    slices
        Columns to be read as text besides.
    item
        The column with ids of single rows, None for none.
    costs
        Columns of numbers of any size from 0.
    meta
        Whether the column ``meta`` holds further columns as JSON.
    """

    def __init__(
        self,
        options: ScoreOptions,
        *,
        slices: Sequence[str],
        item: str | None,
        costs: Sequence[str],
        meta: bool,
    ) -> None:
        self._reader = RowReader(options)
        self._slices = slices
        self._item = item
        self._costs = costs
        self._meta = meta
        self._coders: dict[tuple[str, str], Coder] = {}
        self._names: dict[tuple[str, str], tuple[str, ...] | list[str]] = {}
        self._parts: dict[tuple[str, str], list[npt.NDArray[Any]]] = {}
        self._left_out: dict[str, int] = {}
        self._taken: Mapping[str, tuple[str, ...]] = {}
        self._n_given = 0
        self._n = 0

    def add(self, raw: RawColumns) -> None:
        """Read and check one piece.

        Raises
        ------
        InputError
            A value is not what its column holds; names file, line and column.
        """
        rows = self._reader.read(raw)
        self._taken = rows.taken
        first = self._n_given
        self._n_given += raw.n
        keep = self._kept(rows)
        lines = np.arange(first + 1, first + raw.n + 1) if rows.lines is None else rows.lines
        self._put("place", "line", lines, keep)
        self._put("place", "turn", rows.turn, keep)
        if rows.n_turns is not None:
            self._put("place", "n_turns", rows.n_turns, keep)
        self._put("place", "correct", rows.correct, keep)
        for name, values in rows.confidence.items():
            self._put("score", name, values, keep)
        for name in self._costs:
            self._put("cost", name, amounts(raw, name), keep)
        for kind, name, column in self._named_columns(rows):
            self._names[kind, name] = column.names
            self._put(kind, name, column.codes, keep)
        for kind, name, texts in self._text_columns(raw):
            coder = self._coders.setdefault((kind, name), Coder())
            self._put(kind, name, coder.codes(texts, raw.n), keep)
            self._names[kind, name] = coder.names
        self._n += raw.n if keep is None else int(np.count_nonzero(keep))
        self._pad()

    def _named_columns(self, rows: ScoreRows) -> Iterator[tuple[str, str, CodedColumn]]:
        """Kind, name and numbers of every column of names."""
        yield "place", "dialogue", rows.dialogue
        for name, column in (("model", rows.model), ("method", rows.method), ("data", rows.data)):
            if column is not None:
                yield "name", name, column

    def _text_columns(self, raw: RawColumns) -> Iterator[tuple[str, str, Sequence[str | None]]]:
        """Kind, name and values of every other column that is kept as text."""
        if self._item is not None:
            yield "place", "item", slice_names(raw.columns[self._item])
        for name in self._slices:
            yield "slice", name, slice_names(raw.columns[name])
        if self._meta:
            for name, found in meta_columns(raw).items():
                yield "slice", name, found

    def _put(self, kind: str, name: str, values: npt.NDArray[Any], keep: BoolArray | None) -> None:
        """Add a piece of a column, after what it lacks where it begins late."""
        parts = self._parts.setdefault((kind, name), [])
        if not parts and self._n:
            parts.append(np.full(self._n, MISSING, dtype=values.dtype))
        parts.append(values if keep is None else values[keep])

    def _kept(self, rows: ScoreRows) -> BoolArray | None:
        """Which rows are plain ones about the own answer; None for all."""
        plain, own = (
            column.codes == column.names.index(word) if word in column.names else False
            for column, word in ((rows.condition, PLAIN), (rows.target, OWN))
        )
        keep = np.logical_and(plain, own) & np.ones(rows.n, dtype=np.bool_)
        if keep.all():
            return None
        for row in np.flatnonzero(~keep).tolist():
            what = f"another condition than {PLAIN!r}"
            if rows.condition.name_of(row) == PLAIN:
                what = f"target {rows.target.name_of(row)!r}"
            self._left_out[what] = self._left_out.get(what, 0) + 1
        return keep

    def _pad(self) -> None:
        """Fill up columns that this piece did not have."""
        for parts in self._parts.values():
            lacking = self._n - sum(len(part) for part in parts)
            if lacking:
                parts.append(np.full(lacking, MISSING, dtype=parts[0].dtype))

    def joined(self, file: str) -> PredictionColumns:
        """All pieces together.

        Raises
        ------
        InputError
            No row is left, or what is said to be percent is not.
        """
        self._reader.finish()
        if not self._n:
            raise InputError(
                "no row is about the model's own answer under plain conditions",
                file=file,
                expected=f"rows with target {OWN!r} and condition {PLAIN!r}",
            )

        def column(kind: str, name: str) -> npt.NDArray[Any]:
            parts = self._parts.pop((kind, name))
            return parts[0] if len(parts) == 1 else np.concatenate(parts)

        def coded(kind: str, name: str) -> CodedColumn:
            return CodedColumn(codes=column(kind, name), names=tuple(self._names[kind, name]))

        keys = list(self._parts)
        has_turns = "turn" in self._taken
        return PredictionColumns(
            taken=self._taken,
            n_given=self._n_given,
            left_out=self._left_out,
            scores={name: column(kind, name) for kind, name in keys if kind == "score"},
            correct=column("place", "correct"),
            dialogue=coded("place", "dialogue"),
            item=coded("place", "item") if ("place", "item") in keys else None,
            turn=column("place", "turn") if has_turns else None,
            n_turns=column("place", "n_turns") if ("place", "n_turns") in keys else None,
            lines=column("place", "line"),
            names={name: coded(kind, name) for kind, name in keys if kind == "name"},
            slices={name: coded(kind, name) for kind, name in keys if kind == "slice"},
            costs={name: column(kind, name) for kind, name in keys if kind == "cost"},
        )
