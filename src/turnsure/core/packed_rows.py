"""Rows of the turns table in little memory: columns of numbers, and what these stand for once.

A million rows as objects take gigabytes; here a row takes some 60 bytes beside its share of the
distinct texts.  Rows come out as objects again, one at a time.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, overload

from turnsure.core.row_pool import TYPES, Coded, Pool
from turnsure.core.turn_row import TurnRow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Places = npt.NDArray[np.intp]

_STRETCH = 1 << 12
"""Rows whose numbers are taken out of the columns at once."""


class RowsBuilder:
    """Takes rows one at a time."""

    __slots__ = ("_columns", "_pool")

    def __init__(self, pool: Pool | None = None) -> None:
        self._pool = pool or Pool()
        self._columns: list[array[Any]] = [array(kind) for kind in TYPES.values()]

    def add(self, rows: Iterable[TurnRow]) -> None:
        """Put rows behind those that are there."""
        for row in rows:
            for column, value in zip(self._columns, self._pool.record(row), strict=True):
                column.append(value)

    def rows(self) -> PackedRows:
        """All rows so far."""
        import numpy as np

        columns: dict[str, Any] = {
            name: np.array(column) for name, column in zip(TYPES, self._columns, strict=True)
        }
        return PackedRows(self._pool, columns)


class PackedRows(Sequence[TurnRow]):
    """Rows in a fixed order.

    Parameters
    ----------
    pool
        What the numbers stand for.
    columns
        Arrays of equal length, by name.
    """

    __slots__ = ("_columns", "pool")

    def __init__(self, pool: Pool, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        self.pool = pool
        self._columns = columns

    @classmethod
    def of(cls, rows: Iterable[TurnRow]) -> PackedRows:
        """Pack rows; those that are packed already stay as they are."""
        if isinstance(rows, PackedRows):
            return rows
        builder = RowsBuilder()
        builder.add(rows)
        return builder.rows()

    def __len__(self) -> int:
        return len(self._columns["turn"])

    def __iter__(self) -> Iterator[TurnRow]:
        # Numbers of Python, a stretch at a time: taking them out of arrays one by one is slow.
        for start in range(0, len(self), _STRETCH):
            stretch = [
                column[start : start + _STRETCH].tolist() for column in self._columns.values()
            ]
            yield from map(self.pool.row, *stretch)

    @overload
    def __getitem__(self, index: int) -> TurnRow: ...
    @overload
    def __getitem__(self, index: slice) -> PackedRows: ...
    def __getitem__(self, index: int | slice) -> TurnRow | PackedRows:
        found = {name: column[index] for name, column in self._columns.items()}
        if isinstance(index, slice):
            return PackedRows(self.pool, found)
        return self.pool.row(*(value.item() for value in found.values()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PackedRows):
            return NotImplemented
        return len(self) == len(other) and all(
            one == another for one, another in zip(self, other, strict=True)
        )

    def __hash__(self) -> int:
        return hash(len(self))

    def column(self, name: str) -> npt.NDArray[Any]:
        """Numbers of a column, one a row."""
        return self._columns[name]

    def take(self, places: npt.NDArray[Any]) -> PackedRows:
        """The rows at these places, or those where a mask holds."""
        found = {name: column[places] for name, column in self._columns.items()}
        return PackedRows(self.pool, found)

    def where(self, name: str, keep: Callable[[Any], bool]) -> PackedRows:
        """The rows whose value in a column of texts or objects is to be kept."""
        return self.take(self.each(name, keep, bool))

    def each(self, name: str, read: Callable[[Any], Any], kind: npt.DTypeLike) -> npt.NDArray[Any]:
        """What is read from the value of every row in a column of texts or objects.

        Each value that occurs is read once.
        """
        import numpy as np

        values = cast("Coded[Any]", getattr(self.pool, name)).values
        codes = self._columns[name]
        occurring = np.flatnonzero(np.bincount(codes, minlength=len(values)))
        place = np.zeros(len(values), dtype=np.intp)
        place[occurring] = np.arange(len(occurring))
        return np.array([read(values[code]) for code in occurring], dtype=kind)[place[codes]]

    def distinct(self, name: str) -> list[Any]:
        """Distinct values of a column of texts or objects, in order of first appearance."""
        import numpy as np

        values = cast("Coded[Any]", getattr(self.pool, name)).values
        codes, firsts = np.unique(self._columns[name], return_index=True)
        return [values[code] for code in codes[np.argsort(firsts)]]

    def counts(self, name: str, read: Callable[[Any], str | None]) -> Counter[str]:
        """How often each text is read from a column of objects; None is not counted.

        In order of first appearance.
        """
        import numpy as np

        values = cast("Coded[Any]", getattr(self.pool, name)).values
        codes, firsts, numbers = np.unique(
            self._columns[name], return_index=True, return_counts=True
        )
        counted = Counter[str]()
        for place in np.argsort(firsts):
            text = read(values[codes[place]])
            if text is not None:
                counted[text] += int(numbers[place])
        return counted

    def groups(self, *names: str) -> Places:
        """The number of the group of every row: rows that agree in these columns are of one.

        Groups are numbered in order of first appearance.
        """
        import numpy as np

        found: Places = np.zeros(len(self), dtype=np.intp)
        for name in names:
            distinct, rank = np.unique(self._columns[name], return_inverse=True)
            # Both factors are at most the number of rows, so that the product is in range.
            keys = found * len(distinct) + rank
            _, firsts, inverse = np.unique(keys, return_index=True, return_inverse=True)
            found = np.argsort(np.argsort(firsts))[inverse]
        return found

    def with_condition(self, condition: str) -> PackedRows:
        """The same rows under another condition."""
        import numpy as np

        code = self.pool.condition.code(condition)
        column = np.full(len(self), code, dtype=np.int32)
        return PackedRows(self.pool, {**self._columns, "condition": column})

    def joined(self, more: Iterable[TurnRow]) -> PackedRows:
        """These rows and more behind them."""
        import numpy as np

        if not isinstance(more, PackedRows) or more.pool is not self.pool:
            builder = RowsBuilder(self.pool)
            builder.add(more)
            more = builder.rows()
        columns = {
            name: np.concatenate([column, more.column(name)])
            for name, column in self._columns.items()
        }
        return PackedRows(self.pool, columns)
