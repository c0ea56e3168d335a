"""Columns of text as numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    CodeArray = npt.NDArray[np.int32]

MISSING = -1
"""The code of a row without a value."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CodedColumn:
    """A column of text as numbers.

    Attributes
    ----------
    codes
        Shape (n,); :data:`MISSING` where there is none.
    names
        The text of each number.
    """

    codes: CodeArray
    names: tuple[str, ...] | list[str]

    def name_of(self, row: int) -> str:
        """The text of a row that has one."""
        return self.names[int(self.codes[row])]


class _Codes(dict[str | None, int]):
    """Texts with their numbers; a new one gets the next when it is looked up."""

    def __missing__(self, text: str | None) -> int:
        code = self[text] = len(self) - 1
        return code


class Coder:
    """Numbers texts in order of first appearance."""

    def __init__(self) -> None:
        self._code_of = _Codes({None: MISSING})

    def codes(self, texts: Iterable[str | None], n: int) -> CodeArray:
        """The number of each text, :data:`MISSING` for None."""
        import numpy as np

        return np.fromiter(map(self._code_of.__getitem__, texts), dtype=np.int32, count=n)

    @property
    def names(self) -> tuple[str, ...]:
        """The texts by number."""
        return tuple(text for text in self._code_of if text is not None)
