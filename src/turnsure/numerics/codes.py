"""Ids and bins as consecutive numbers, without a sort where none is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from turnsure.numerics.arrays import IntArray, row_blocks

_DENSE = 4
"""Whole-number ids are counted, not sorted, when their range is up to this many times the rows."""


def is_rising(values: npt.NDArray[np.integer[Any]]) -> bool:
    """Whether no value is below the one before it."""
    later, earlier = values[1:], values[:-1]
    return all(bool((later[rows] >= earlier[rows]).all()) for rows in row_blocks(len(later)))


def compact(codes: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """The codes that occur, in order, and each row's place among them; like a sorted unique.

    ``codes`` are in 0..n - 1.  The work is the number of rows and n, without a sort.
    """
    occurs = np.zeros(n, dtype=np.bool_)
    occurs[codes] = True
    present = np.flatnonzero(occurs)
    if len(present) == n:
        return present, codes
    places = np.cumsum(occurs) - 1
    return present, places[codes]


def codes_of_numbers(ids: npt.NDArray[np.integer[Any]]) -> tuple[IntArray, list[Any]]:
    """As np.unique would number them; it sorts, which is not needed for most tables."""
    n = len(ids)
    if n and is_rising(ids):
        starts = np.concatenate(([0], np.flatnonzero(ids[1:] != ids[:-1]) + 1))
        return np.repeat(np.arange(len(starts)), np.diff(starts, append=n)), ids[starts].tolist()
    least = int(ids.min()) if n else 0
    n_possible = int(ids.max()) - least + 1 if n else 0
    if n_possible <= _DENSE * n:
        # Modulo 2**64, where no difference overflows, whatever the type of the ids.
        offsets = ids.astype(np.uint64) - np.uint64(least % (1 << 64))
        present, codes = compact(offsets.astype(np.intp), n_possible)
        return codes, [least + offset for offset in present.tolist()]
    distinct, codes = np.unique(ids, return_inverse=True)
    return codes, distinct.tolist()


def codes_of_texts(ids: npt.NDArray[np.str_]) -> tuple[IntArray, list[Any]]:
    """The same of texts; of a stretch of equal ones, only the first is read."""
    if not len(ids):
        return np.zeros(0, dtype=np.intp), []
    starts = np.concatenate(([0], np.flatnonzero(ids[1:] != ids[:-1]) + 1))
    heads: list[str] = ids[starts].tolist()
    distinct = sorted(set(heads))
    code_of = {text: code for code, text in enumerate(distinct)}
    codes = np.fromiter(map(code_of.__getitem__, heads), dtype=np.intp, count=len(heads))
    return np.repeat(codes, np.diff(starts, append=len(ids))), distinct
