"""Array types, and the blocks in which long columns are walked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_BLOCK = 1 << 15


def row_blocks(n_rows: int) -> Iterator[slice]:
    """Slices that cover ``range(n_rows)`` in order.

    A block's intermediate results stay in the processor's cache; whole-column ones would be
    written to memory and read back for every operation.
    """
    for start in range(0, n_rows, _BLOCK):
        yield slice(start, min(start + _BLOCK, n_rows))
