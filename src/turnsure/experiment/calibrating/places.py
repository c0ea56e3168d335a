"""Where predictions stand: which rows are of one dialogue, its length, and rows given twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from turnsure.core.errors import InputError
from turnsure.experiment.calibrating.columns import CodedColumn, PredictionColumns
from turnsure.numerics.arrays import Int64Array, IntArray

_MOST_KEYS = 1 << 40

ErrorAt = Callable[..., InputError]
"""Makes the error about a row: called with the row, the field, the problem and ``expected``."""


def joint_codes(columns: Sequence[npt.NDArray[np.integer]]) -> Int64Array:
    """One number a combination of whole numbers from −1, shape (n,)."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    size = 1
    for column in columns:
        n_values = int(column.max(initial=-1)) + 2
        if size * n_values > _MOST_KEYS:
            key = np.unique(key, return_inverse=True)[1]
            size = int(key.max(initial=0)) + 1
        key = key * n_values + column + 1
        size *= n_values
    return key


def dialogue_numbers(columns: PredictionColumns) -> IntArray:
    """The number of each row's dialogue: by data set and id, in the order of the ids.

    The order of the rows does not decide it, so that no seeded draw depends on it.  One id in two
    data sets is two dialogues.
    """
    parts = [ranked(columns.dialogue)]
    if "data" in columns.names:
        parts.insert(0, ranked(columns.names["data"]))
    return np.unique(joint_codes(parts), return_inverse=True)[1]


def ranked(column: CodedColumn) -> IntArray:
    """The place of each row's text among all texts in order."""
    order = sorted(range(len(column.names)), key=column.names.__getitem__)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return rank[column.codes]


def apart(columns: PredictionColumns, *names: str) -> list[npt.NDArray[np.integer]]:
    """The codes of those of ``names`` that a column says."""
    return [columns.names[name].codes for name in names if name in columns.names]


def refuse_doubled(
    columns: PredictionColumns, dialogue: IntArray, *, rows_are_items: bool, error: ErrorAt
) -> None:
    """Refuse two rows with one id, or one dialogue and turn, of one model and method.

    Parameters
    ----------
    columns
        The rows.
    dialogue
        From :func:`dialogue_numbers`.
    rows_are_items
        Whether the dialogue's column says which single row it is, so that it may not repeat.
    error
        Makes the error.
    """
    named = apart(columns, "model", "method")
    shown = columns.dialogue
    if columns.item is not None:
        keys, field, shown = [columns.item.codes, *apart(columns, "data")], "item", columns.item
    elif columns.turn is not None:
        keys, field = [dialogue, columns.turn], "turn"
    elif rows_are_items:
        keys, field = [dialogue], "dialogue"
    else:
        return
    key = joint_codes([*named, *keys])
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[order][1:] == key[order][:-1]) + 1
    if not again.size:
        return
    first = again[np.argmin(order[again])]
    row, known = int(order[first]), int(order[first - 1])
    where = "" if field != "turn" or columns.turn is None else f"turn {columns.turn[row]} of "
    advice = "" if field == "turn" else (
        "; which column says the turn, or the dialogue that rows belong to, is said by --turn and "
        "--dialogue"
    )  # fmt: skip
    raise error(
        row,
        field,
        f"{where}{shown.names[shown.codes[row]]!r} is there already, "
        f"in line {int(columns.lines[known])}",
        expected=f"one row {'a dialogue and turn' if field == 'turn' else 'an id'}, model and "
        f"method{advice}",
    )


def lengths(columns: PredictionColumns, dialogue: IntArray, *, error: ErrorAt) -> Int64Array | None:
    """Turns of each row's dialogue: as a column says, else its largest turn; None without turns."""
    if columns.turn is None:
        return None
    unique = np.unique(joint_codes([*apart(columns, "model"), dialogue]), return_inverse=True)[1]
    longest = np.zeros(int(unique.max()) + 1, dtype=np.int64)
    if columns.n_turns is None:
        np.maximum.at(longest, unique, columns.turn)
        return longest[unique]
    given = columns.n_turns
    np.maximum.at(longest, unique, given)
    wrong = (given != longest[unique]) | (columns.turn > given)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise error(
            row,
            "n_turns",
            f"it is {given[row]} for turn {columns.turn[row]} of "
            f"{columns.dialogue.names[columns.dialogue.codes[row]]!r}",
            expected="at least the turn, and the same in all rows of a dialogue",
        )
    return given
