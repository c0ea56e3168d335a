"""Column arrays of turns: made from plain values, and cut to some of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from turnsure.core.turns import TurnColumns

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    MaskedFloats = np.ma.MaskedArray[tuple[int], np.dtype[np.float64]]


def turn_columns(
    *,
    dialogue: Sequence[str],
    turn: Sequence[int],
    n_turns: Sequence[int],
    confidence: Sequence[float | None],
    correct: Sequence[float | None],
) -> TurnColumns:
    """Columns of one length; None where a value is missing."""
    import numpy as np

    return TurnColumns(
        dialogue=np.array(dialogue, dtype=np.str_),
        turn=np.array(turn, dtype=np.int64),
        n_turns=np.array(n_turns, dtype=np.int64),
        confidence=_masked(confidence),
        correct=_masked(correct),
    )


def scored_rows(columns: TurnColumns) -> TurnColumns:
    """The rows with both a confidence and a graded answer."""
    import numpy as np

    return rows_where(
        columns, ~(np.ma.getmaskarray(columns.confidence) | np.ma.getmaskarray(columns.correct))
    )


def rows_where(
    columns: TurnColumns, keep: npt.NDArray[np.bool_] | npt.NDArray[np.intp]
) -> TurnColumns:
    """The rows for which ``keep``, shape (n,), is true, or those whose places it holds."""
    return TurnColumns(
        dialogue=columns.dialogue[keep],
        turn=columns.turn[keep],
        n_turns=columns.n_turns[keep],
        confidence=columns.confidence[keep],
        correct=columns.correct[keep],
    )


def turn_ids(columns: TurnColumns) -> list[tuple[str, int]]:
    """Dialogue and turn of each row."""
    return list(zip(columns.dialogue.tolist(), columns.turn.tolist(), strict=True))


def optional(column: MaskedFloats) -> list[float | None]:
    """The entries, None where masked."""
    import numpy as np

    hidden = np.ma.getmaskarray(column).tolist()
    return [None if one else value for value, one in zip(column.data.tolist(), hidden, strict=True)]


def _masked(values: Sequence[float | None]) -> MaskedFloats:
    import numpy as np

    numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    missing = np.isnan(numbers)
    return np.ma.MaskedArray(np.where(missing, 0.0, numbers), mask=missing)
