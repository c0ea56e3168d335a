"""A table of scores as it came from a file, whatever its format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnsure.core.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt


def _no_array(name: str) -> None:
    """For text formats, whose values say themselves what they are."""
    del name


@dataclass(frozen=True, slots=True, kw_only=True)
class RawColumns:
    """A file as it came.

    Attributes
    ----------
    file
        Where it is.
    columns
        By name, in the order of the file; text from CSV, any plain value from the other formats,
        None where a line of JSON lacks the field.
    lines
        Where each row begins, counted from 1; None for Parquet, which has no lines.
    n
        Number of rows.
    n_before
        Rows of the file before these.
    array
        A column of numbers or truth values, none missing, as an array where the file holds it so;
        else None.
    """

    file: Path
    columns: Mapping[str, list[Any]]
    lines: Sequence[int] | None
    n: int
    n_before: int = 0
    array: Callable[[str], npt.NDArray[Any] | None] = _no_array

    def error(self, row: int, column: str, problem: str, *, expected: str) -> InputError:
        """The error that names file, line (or row) and column."""
        return InputError(
            problem if self.lines is not None else f"{self.place(row)}: {problem}",
            file=self.file,
            line=None if self.lines is None else self.lines[row],
            field=column,
            expected=expected,
        )

    def place(self, row: int) -> str:
        """``line 12``, or ``row 12`` where there are no lines."""
        if self.lines is None:
            return f"row {self.n_before + row + 1}"
        return f"line {self.lines[row]}"


def refuse_doubles(file: Path, line: int | None, names: Sequence[str]) -> None:
    """Refuse a table in which two columns have one name."""
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        problem = f"two columns are called {twice[0]!r}"
        raise InputError(problem, file=file, line=line, expected="each column with its own name")
