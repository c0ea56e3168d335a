"""The turns table: the columns that every metric reads, validated once.

A missing confidence or outcome is a masked entry, never NaN and never a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from turnsure.core.confidence import Target
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.packed_rows import PackedRows, RowsBuilder
from turnsure.core.row_pool import Failed, Scored
from turnsure.core.turn_row import TurnRow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

TURNS_FORMAT = 1
"""Version of the Parquet columns."""

PLAIN = "plain"
"""The condition of an ordinary turn; controls name theirs."""

_KEY = ("dialogue", "turn", "condition", "target", "method")


class TurnsTable:
    """Rows in a fixed order, unique by key, with column views for the metrics.

    Parameters
    ----------
    rows
        They are held packed; see :mod:`turnsure.core.packed_rows`.

    Attributes
    ----------
    rows
        A sequence that makes the row that is asked for.
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: Iterable[TurnRow]) -> None:
        self._rows = PackedRows.of(rows)

    @classmethod
    def of(cls, rows: Iterable[TurnRow]) -> TurnsTable:
        """Collect rows; two rows with one key are an error."""
        import numpy as np

        table = cls(rows)
        group = table.packed.groups(*_KEY)
        twice = np.flatnonzero(np.bincount(group) > 1)
        if len(twice):
            first = table.rows[int(np.argmax(group == twice[0]))]
            raise InputError(
                f"the turns table has {len(twice)} doubled rows, the first is {first.key}",
                expected="one row a dialogue, turn, condition, target and method",
            )
        return table

    @property
    def rows(self) -> Sequence[TurnRow]:
        """A sequence that makes the row that is asked for."""
        return self._rows

    @property
    def packed(self) -> PackedRows:
        """The same with its columns."""
        return self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TurnsTable) and self._rows == other.packed

    def __hash__(self) -> int:
        return hash(self._rows)

    def __repr__(self) -> str:
        return f"TurnsTable of {len(self)} rows"

    def select(
        self,
        *,
        condition: str | None = None,
        target: Target | None = None,
        method: str | None = None,
    ) -> TurnsTable:
        """The rows that agree with everything given, in the same order."""
        rows = self._rows
        wanted = {"condition": condition, "target": target, "method": method}
        for name, value in wanted.items():
            if value is not None:
                rows = rows.where(name, value.__eq__)
        return TurnsTable(rows)

    def where(self, keep: Callable[[TurnRow], bool]) -> TurnsTable:
        """The rows for which ``keep`` holds, in the same order."""
        import numpy as np

        kept = np.fromiter((keep(row) for row in self._rows), dtype=np.bool_, count=len(self))
        return TurnsTable(self._rows.take(kept))

    def where_condition(self, keep: Callable[[str], bool]) -> TurnsTable:
        """The rows for whose condition ``keep`` holds, in the same order."""
        return TurnsTable(self._rows.where("condition", keep))

    def one_row_a_turn(self) -> TurnsTable:
        """Every turn once, by the own answer: it and its outcome are the same under all methods."""
        import numpy as np

        own = self.select(target="answer").packed
        group = own.groups("dialogue", "turn")
        last = np.zeros(1 + int(group.max(initial=-1)), dtype=np.intp)
        np.maximum.at(last, group, np.arange(len(own)))
        return TurnsTable(own.take(last))

    @property
    def methods(self) -> tuple[str, ...]:
        """Method names in order of first appearance."""
        return tuple(self._rows.distinct("method"))

    @property
    def dialogues(self) -> tuple[str, ...]:
        """Ids of dialogues in order of first appearance."""
        return tuple(self._rows.distinct("dialogue"))

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions in order of first appearance."""
        return tuple(self._rows.distinct("condition"))

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The failures that stand where a confidence is missing."""
        failed = self._rows.where("form", lambda form: isinstance(form, Failed))
        return tuple(row.confidence for row in failed if isinstance(row.confidence, Failure))

    def columns(self) -> TurnColumns:
        """Arrays for the metrics, all of length ``len(self)``."""
        import numpy as np

        rows = self._rows
        scored = rows.each("form", lambda form: isinstance(form, Scored), bool)
        right = rows.each("outcome", _is_right, float)
        graded = rows.each("outcome", _is_graded, bool)
        return TurnColumns(
            dialogue=rows.each("dialogue", str, np.str_),
            turn=rows.column("turn").astype(np.int64),
            n_turns=rows.column("n_turns").astype(np.int64),
            confidence=np.ma.MaskedArray(rows.column("value").copy(), mask=~scored),
            correct=np.ma.MaskedArray(right, mask=~graded),
        )


@dataclass(slots=True)
class TurnsCollector:
    """Takes rows as they come, and holds them packed."""

    _builder: RowsBuilder

    @classmethod
    def empty(cls) -> TurnsCollector:
        """One that has none yet."""
        return cls(RowsBuilder())

    def add(self, rows: Iterable[TurnRow]) -> None:
        """Put rows behind those that are there."""
        self._builder.add(rows)

    def table(self) -> TurnsTable:
        """All rows so far; two with one key are an error."""
        return TurnsTable.of(self._builder.rows())


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnColumns:
    """Column arrays of equal length.

    Attributes
    ----------
    dialogue, turn, n_turns
        Ids and 1-based positions.
    confidence
        Masked float array in [0, 1]; masked where it failed.
    correct
        Masked float array of 0.0 and 1.0; masked where ungraded.
    """

    dialogue: npt.NDArray[np.str_]
    turn: npt.NDArray[np.int64]
    n_turns: npt.NDArray[np.int64]
    confidence: np.ma.MaskedArray[tuple[int], np.dtype[np.float64]]
    correct: np.ma.MaskedArray[tuple[int], np.dtype[np.float64]]


def _is_right(outcome: Outcome) -> bool:
    return outcome.correct is True


def _is_graded(outcome: Outcome) -> bool:
    return outcome.correct is not None
