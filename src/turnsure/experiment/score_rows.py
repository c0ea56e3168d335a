"""The values of a table of scores, and how its pieces become one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from turnsure.experiment.coded import CodedColumn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from turnsure.numerics.arrays import FloatArray, Int64Array

    Item = TypeVar("Item", bound=np.generic)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreRows:
    """A table's values, or those of a piece of it; all columns have one length.

    Attributes
    ----------
    taken
        Role to the columns that were taken for it.
    dialogue, turn
        Where; turn counts from 1, and is 1 throughout where no column says it.
    n_turns
        None where no column says it.
    model, data, method
        Names, None where no column says them.
    condition, target
        ``"plain"`` and ``"answer"`` where no column says otherwise.
    confidence
        By column, fractions in [0, 1], NaN where missing.
    correct
        1, 0, or :data:`~turnsure.experiment.coded.MISSING` where not graded.
    lines
        Where each row begins in the file; None where there are no lines.
    """

    taken: Mapping[str, tuple[str, ...]]
    dialogue: CodedColumn
    turn: Int64Array
    n_turns: Int64Array | None
    model: CodedColumn | None
    data: CodedColumn | None
    method: CodedColumn | None
    condition: CodedColumn
    target: CodedColumn
    confidence: Mapping[str, FloatArray]
    correct: npt.NDArray[np.int8]
    lines: Int64Array | None

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.turn)


def joined(pieces: Sequence[ScoreRows]) -> ScoreRows:
    """The pieces of a table that one reader read, put together; at least one."""
    first = pieces[0]

    def text(column: Callable[[ScoreRows], CodedColumn | None]) -> CodedColumn | None:
        found = [one for one in map(column, pieces) if one is not None]
        return _joined_texts(found) if found else None

    def whole(column: Callable[[ScoreRows], Int64Array | None]) -> Int64Array | None:
        found = [one for one in map(column, pieces) if one is not None]
        return _joined(found) if found else None

    return ScoreRows(
        taken=first.taken,
        dialogue=_joined_texts([piece.dialogue for piece in pieces]),
        turn=_joined([piece.turn for piece in pieces]),
        n_turns=whole(lambda piece: piece.n_turns),
        model=text(lambda piece: piece.model),
        data=text(lambda piece: piece.data),
        method=text(lambda piece: piece.method),
        condition=_joined_texts([piece.condition for piece in pieces]),
        target=_joined_texts([piece.target for piece in pieces]),
        confidence={
            name: _joined([piece.confidence[name] for piece in pieces]) for name in first.confidence
        },
        correct=_joined([piece.correct for piece in pieces]),
        lines=whole(lambda piece: piece.lines),
    )


def _joined_texts(parts: Sequence[CodedColumn]) -> CodedColumn:
    return CodedColumn(codes=_joined([part.codes for part in parts]), names=parts[-1].names)


def _joined(parts: Sequence[npt.NDArray[Item]]) -> npt.NDArray[Item]:
    """One after the other; a single value that stands for many rows still does so."""
    import numpy as np

    if all(part.strides == (0,) for part in parts):
        return np.broadcast_to(parts[0][0], sum(map(len, parts)))
    return np.concatenate(parts)
