"""Where the rows of a table of scores belong: turns told twice, dialogue lengths, and groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from turnsure.experiment.coded import CodedColumn
from turnsure.experiment.score_columns import GOLD, OWN
from turnsure.experiment.score_rows import ScoreRows
from turnsure.numerics.codes import codes_of_numbers, is_rising
from turnsure.store.raw_columns import RawColumns

if TYPE_CHECKING:
    from turnsure.numerics.arrays import BoolArray, Int64Array, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupRows:
    """The rows of a group: one of model, data set, condition and method.

    Attributes
    ----------
    model, data, condition, method
        Names; None where the table names none.
    own, gold
        Numbers of the rows about the own and the gold answer, in order; ``own`` is None where it
        would be all rows of the table.
    """

    model: str | None
    data: str | None
    condition: str
    method: str | None
    own: IntArray | None
    gold: IntArray


def rows_by_group(rows: ScoreRows) -> Iterator[GroupRows]:
    """The groups in order of first appearance, of rows about the own or the gold answer."""
    import numpy as np

    own, gold = _has(rows.target, OWN), _has(rows.target, GOLD)
    kept = np.flatnonzero(own | gold)
    if not kept.size:
        return
    named = (rows.model, rows.data, rows.condition, rows.method)
    codes, ids = codes_of_numbers(_mixed(named)[kept])
    order = np.argsort(codes.astype(np.uint16) if len(ids) < 1 << 16 else codes, kind="stable")
    by_group = np.split(kept[order], np.cumsum(np.bincount(codes))[:-1])
    for here in sorted(by_group, key=lambda one: int(one[0])):
        model, data, condition, method = (
            None if column is None else column.name_of(int(here[0])) for column in named
        )
        own_rows = here[own[here]]
        yield GroupRows(
            model=model,
            data=data,
            condition=str(condition),
            method=method,
            own=None if len(own_rows) == rows.n else own_rows,
            gold=here[gold[here]],
        )


def refuse_doubled(file: Path, rows: ScoreRows) -> None:
    """Refuse a table with two rows for one turn; other targets than the two are let be.

    Raises
    ------
    InputError
        Names both rows.
    """
    import numpy as np

    counted = _has(rows.target, OWN) | _has(rows.target, GOLD)
    columns = (rows.model, rows.data, rows.condition, rows.method, rows.target, rows.dialogue)
    keys = codes_of_numbers(_mixed(columns))[0] * (int(rows.turn.max()) + 1) + rows.turn
    keys = keys[counted]
    if is_rising(keys) and bool((keys[1:] != keys[:-1]).all()):
        return
    ordered = np.sort(keys)
    if bool((ordered[1:] != ordered[:-1]).all()):
        return
    order = np.argsort(keys, kind="stable")
    again = order[1:][keys[order[1:]] == keys[order[:-1]]].min()
    first, second = np.flatnonzero(counted)[[int(np.argmax(keys == keys[again])), again]].tolist()
    told = _raw(file, rows)
    advice = "" if "turn" in rows.taken else "; which column is the turn is said by --turn"
    dialogue = rows.dialogue.name_of(second)
    raise told.error(
        second,
        rows.taken["turn" if "turn" in rows.taken else "dialogue"][0],
        f"turn {rows.turn[second]} of {dialogue!r} stands on {told.place(first)} already",
        expected=f"one row a dialogue, turn, method, model and data{advice}",
    )


def lengths(file: Path, rows: ScoreRows) -> Int64Array:
    """Number of turns of each row's dialogue: as the file says, else the largest turn there is.

    Raises
    ------
    InputError
        The file says two lengths of one dialogue, or one below a turn.
    """
    import numpy as np

    mixed = _mixed((rows.model, rows.data, rows.condition, rows.dialogue))
    codes, ids = codes_of_numbers(mixed)
    length = np.zeros(len(ids), dtype=np.int64)
    if rows.n_turns is None:
        np.maximum.at(length, codes, rows.turn)
        return length[codes]
    length[codes[::-1]] = rows.n_turns[::-1]  # the first row of a dialogue is the last to be put
    known = length[codes]
    wrong = (rows.turn > rows.n_turns) | (known != rows.n_turns)
    if wrong.any():
        row = int(np.argmax(wrong))
        said, first = int(rows.n_turns[row]), int(known[row])
        dialogue = rows.dialogue.name_of(row)
        expected = f"{first}, as in the dialogue's other rows"
        if said == first:
            expected = "at least the turn"
        raise _raw(file, rows).error(
            row,
            rows.taken["n_turns"][0],
            f"it is {said} for turn {rows.turn[row]} of {dialogue!r}",
            expected=expected,
        )
    return known


def _mixed(columns: tuple[CodedColumn | None, ...]) -> Int64Array:
    """One number for each combination of names that occurs, shape (n,)."""
    import numpy as np

    mixed: Int64Array | None = None
    for column in columns:
        if column is None or len(column.names) == 1:
            continue
        codes = column.codes.astype(np.int64)
        if mixed is not None:
            mixed = codes_of_numbers(mixed)[0]
            codes += mixed * len(column.names)
        mixed = codes
    given = next(column for column in columns if column is not None)
    return np.zeros(len(given.codes), dtype=np.int64) if mixed is None else mixed


def _has(column: CodedColumn, name: str) -> BoolArray:
    """Whether a row has the name."""
    import numpy as np

    if name not in column.names:
        return np.zeros(len(column.codes), dtype=np.bool_)
    return column.codes == list(column.names).index(name)


def _raw(file: Path, rows: ScoreRows) -> RawColumns:
    """What names a row of the file in an error."""
    lines = None if rows.lines is None else rows.lines.tolist()
    return RawColumns(file=file, columns={}, lines=lines, n=rows.n)
