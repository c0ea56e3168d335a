"""The turns table: the columns that every metric reads, validated once.

A missing confidence or outcome is a masked entry, never NaN and never a number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from turnsure.core.confidence import Confidence, Target
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure, Outcome

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

TURNS_FORMAT = 1
"""Version of the Parquet columns."""

PLAIN = "plain"
"""The condition of an ordinary turn; controls name theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRow:
    """One row: dialogue × turn × condition × target × method.

    Attributes
    ----------
    dialogue, turn, n_turns
        Where; turn counts from 1.
    condition
        ``"plain"`` for an ordinary turn; controls name theirs.
    target
        Whether the confidence is in the model's own answer, in the gold answer, or in another one
        that was supplied.
    method
        Name of the estimator.
    answer
        The answer that the confidence is about; None when there is none.
    confidence
        The confidence, or the failure that took its place.
    outcome
        Whether ``answer`` is right; for the gold target it is, by definition.
    reply
        The text from which the model's answer was read, None where there was none.
    meta
        The dialogue's strings for slicing, and under a control what it notes of the row, under
        names that begin with ``control.``.
    """

    dialogue: str
    turn: int
    n_turns: int
    condition: str
    target: Target
    method: str
    answer: str | None
    confidence: Confidence | Failure
    outcome: Outcome
    reply: str | None = None
    meta: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        if not 1 <= self.turn <= self.n_turns:
            raise InputError(
                f"turn {self.turn} of {self.dialogue!r} is out of range",
                field="turn",
                expected=f"1 to {self.n_turns}",
            )

    @property
    def key(self) -> tuple[str, int, str, str, str]:
        """What makes the row unique in its table."""
        return (self.dialogue, self.turn, self.condition, self.target, self.method)


@dataclass(frozen=True, slots=True)
class TurnsTable:
    """Rows in a fixed order, unique by key, with column views for the metrics."""

    rows: tuple[TurnRow, ...]

    @classmethod
    def of(cls, rows: Iterable[TurnRow]) -> TurnsTable:
        """Collect rows; two rows with one key are an error."""
        kept = tuple(rows)
        twice = [key for key, n in Counter(row.key for row in kept).items() if n > 1]
        if twice:
            raise InputError(
                f"the turns table has {len(twice)} doubled rows, the first is {twice[0]}",
                expected="one row a dialogue, turn, condition, target and method",
            )
        return cls(kept)

    def __len__(self) -> int:
        return len(self.rows)

    def select(
        self,
        *,
        condition: str | None = None,
        target: Target | None = None,
        method: str | None = None,
    ) -> TurnsTable:
        """The rows that agree with everything given, in the same order."""
        return TurnsTable(
            tuple(
                row
                for row in self.rows
                if (condition is None or row.condition == condition)
                and (target is None or row.target == target)
                and (method is None or row.method == method)
            )
        )

    def where(self, keep: Callable[[TurnRow], bool]) -> TurnsTable:
        """The rows for which ``keep`` holds, in the same order."""
        return TurnsTable(tuple(row for row in self.rows if keep(row)))

    def one_row_a_turn(self) -> TurnsTable:
        """Every turn once, by the own answer: it and its outcome are the same under all methods."""
        own = self.select(target="answer").rows
        return TurnsTable(tuple({(row.dialogue, row.turn): row for row in own}.values()))

    @property
    def methods(self) -> tuple[str, ...]:
        """Method names in order of first appearance."""
        return tuple(dict.fromkeys(row.method for row in self.rows))

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The failures that stand where a confidence is missing."""
        return tuple(row.confidence for row in self.rows if isinstance(row.confidence, Failure))

    def columns(self) -> TurnColumns:
        """Arrays for the metrics, all of length ``len(self)``."""
        import numpy as np

        values = [
            row.confidence.value if isinstance(row.confidence, Confidence) else None
            for row in self.rows
        ]
        return TurnColumns(
            dialogue=np.array([row.dialogue for row in self.rows], dtype=np.str_),
            turn=np.array([row.turn for row in self.rows], dtype=np.int64),
            n_turns=np.array([row.n_turns for row in self.rows], dtype=np.int64),
            confidence=_masked(values),
            correct=_masked([row.outcome.correct for row in self.rows]),
        )


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


def _masked(
    values: Sequence[float | bool | None],
) -> np.ma.MaskedArray[tuple[int], np.dtype[np.float64]]:
    import numpy as np

    mask = np.array([value is None for value in values], dtype=np.bool_)
    data = np.array([0.0 if value is None else float(value) for value in values], dtype=np.float64)
    return np.ma.MaskedArray(data, mask=mask)
