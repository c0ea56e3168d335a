"""Array types, and the blocks in which long columns are walked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]
Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_BLOCK = 1 << 16
_DOT_ALONE = 1 << 13


def row_blocks(n_rows: int, n: int = _BLOCK) -> Iterator[slice]:
    """Slices of ``n`` rows that cover ``range(n_rows)`` in order; the last may be shorter.

    A block's intermediate results stay in the processor's cache; whole-column ones would be
    written to memory and read back for every operation.
    """
    for start in range(0, n_rows, n):
        yield slice(start, min(start + n, n_rows))


def sum_of_squares(values: FloatArray) -> float:
    """Of a column, in pieces too short for the BLAS library to start threads."""
    pieces = (values[rows] for rows in row_blocks(len(values), _DOT_ALONE))
    return sum(float(piece @ piece) for piece in pieces)
