"""Rows of scores, sorted into groups: one a model, data set, condition and method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from turnsure.core.grid import ScoredGroup
from turnsure.experiment.columns import optional, rows_where, turn_columns
from turnsure.experiment.score_columns import GOLD, OWN, ScoreOptions, ScoreRows, read_rows
from turnsure.store.scores_file import RawColumns, read_columns, write_columns

_DEFAULT_OPTIONS = ScoreOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """A file of scores, read and checked.

    Attributes
    ----------
    source
        The file, as the user named it.
    rows
        Its values.
    groups
        In order of first appearance.
    has_turns
        Whether a column says which turn a row is.
    n_left_out
        Rows by target, for targets other than the own and the gold answer.
    """

    source: str
    rows: ScoreRows
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
    raw = read_columns(path)
    rows = read_rows(raw, options)
    _refuse_doubled(raw, rows)
    lengths = _lengths(raw, rows)
    return ScoreTable(
        source=str(path),
        rows=rows,
        groups=tuple(_groups(rows, lengths)),
        has_turns="turn" in rows.taken,
        n_left_out=dict(Counter(one for one in rows.target if one not in (OWN, GOLD))),
    )


def write_scores(table: ScoreTable, path: Path) -> None:
    """Write the groups' rows under their usual names, so that :func:`read_scores` reads them."""
    columns: dict[str, tuple[str, list[object]]] = {
        name: (kind, [])
        for name, kind in (
            ("dialogue", "utf8"), ("turn", "int64"), ("n_turns", "int64"), ("model", "utf8"),
            ("data", "utf8"), ("condition", "utf8"), ("target", "utf8"), ("method", "utf8"),
            ("confidence", "float64"), ("correct", "bool"),
        )
    }  # fmt: skip
    for group in table.groups:
        for target, part in ((OWN, group.own), (GOLD, group.gold)):
            n = len(part.turn)
            correct = optional(part.correct)
            for name, values in (
                ("dialogue", part.dialogue.tolist()),
                ("turn", part.turn.tolist()),
                ("n_turns", part.n_turns.tolist()),
                ("model", [group.model] * n),
                ("data", [group.data] * n),
                ("condition", [group.condition] * n),
                ("target", [target] * n),
                ("method", [group.method] * n),
                ("confidence", optional(part.confidence)),
                ("correct", [None if one is None else one == 1.0 for one in correct]),
            ):
                columns[name][1].extend(values)
    for name in ("model", "data"):
        if table.groups and getattr(table.groups[0], name) is None:
            del columns[name]
    write_columns(path, columns)


def _row_names(rows: ScoreRows) -> zip[tuple[str | None, str | None, str, str | None]]:
    """Model, data, condition and method of each row."""
    nameless: Sequence[str | None] = [None] * len(rows.dialogue)
    return zip(
        rows.model or nameless,
        rows.data or nameless,
        rows.condition,
        rows.method or nameless,
        strict=True,
    )


def _refuse_doubled(raw: RawColumns, rows: ScoreRows) -> None:
    first: dict[tuple[object, ...], int] = {}
    turns = zip(_row_names(rows), rows.target, rows.dialogue, rows.turn, strict=True)
    for row, (names, target, dialogue, turn) in enumerate(turns):
        if target not in (OWN, GOLD):
            continue
        known = first.setdefault((names, target, dialogue, turn), row)
        if known != row:
            advice = "" if "turn" in rows.taken else "; which column is the turn is said by --turn"
            raise raw.error(
                row,
                rows.taken["turn" if "turn" in rows.taken else "dialogue"][0],
                f"turn {turn} of {dialogue!r} stands on {raw.place(known)} already",
                expected=f"one row a dialogue, turn, method, model and data{advice}",
            )


def _lengths(raw: RawColumns, rows: ScoreRows) -> Sequence[int]:
    """Number of turns of each row's dialogue: as the file says, else the largest turn there is."""
    longest: dict[tuple[object, ...], int] = {}
    dialogues = [
        (*names[:3], dialogue)
        for names, dialogue in zip(_row_names(rows), rows.dialogue, strict=True)
    ]
    given = rows.turn if rows.n_turns is None else rows.n_turns
    for row, (dialogue, turn, length) in enumerate(zip(dialogues, rows.turn, given, strict=True)):
        known = longest.get(dialogue, length)
        if rows.n_turns is None:
            longest[dialogue] = max(known, turn)
            continue
        longest[dialogue] = known
        if turn > length or known != length:
            problem = f"it is {length} for turn {turn} of {dialogue[-1]!r}"
            expected = f"{known}, as in the dialogue's other rows"
            if known == length:
                expected = "at least the turn"
            raise raw.error(row, rows.taken["n_turns"][0], problem, expected=expected)
    return [longest[dialogue] for dialogue in dialogues]


def _groups(rows: ScoreRows, lengths: Sequence[int]) -> list[ScoredGroup]:
    import numpy as np

    places: dict[tuple[str | None, str | None, str, str | None], dict[str, list[int]]] = {}
    for row, (names, target) in enumerate(zip(_row_names(rows), rows.target, strict=True)):
        if target in (OWN, GOLD):
            places.setdefault(names, {OWN: [], GOLD: []})[target].append(row)
    columns = {
        name: turn_columns(
            dialogue=rows.dialogue,
            turn=rows.turn,
            n_turns=lengths,
            confidence=values,
            correct=rows.correct,
        )
        for name, values in rows.confidence.items()
    }
    groups: list[ScoredGroup] = []
    for (model, data, condition, method), by_target in places.items():
        own, gold = (np.array(by_target[one], dtype=np.intp) for one in (OWN, GOLD))
        groups += [
            ScoredGroup(
                model=model,
                data=data,
                condition=condition,
                method=_method_name(method, name, several=len(columns) > 1),
                own=rows_where(whole, own),
                gold=rows_where(whole, gold),
            )
            for name, whole in columns.items()
        ]
    return groups


def _method_name(method: str | None, column: str, *, several: bool) -> str:
    """The method's own name, the column's, or both where each is needed to tell rows apart."""
    if method is None:
        return column
    return f"{method}: {column}" if several else method
