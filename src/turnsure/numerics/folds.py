"""Which fold each dialogue is in."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from turnsure.core.errors import UndefinedMetricError
from turnsure.numerics.arrays import IntArray

_DIGEST_BYTES = 8


def dealt_folds(ids: Sequence[Any], *, folds: int, seed: int) -> IntArray:
    """Deal dialogues into folds that differ by at most one in size.

    Dialogues are put in the order of a hash of seed and id and dealt out one by one: the order in
    which they come decides nothing.

    Parameters
    ----------
    ids
        Distinct text or numbers, k of them.
    folds
        From 2.
    seed
        Decides the order.

    Returns
    -------
    numpy.ndarray
        0 … folds − 1, shape (k,).

    Raises
    ------
    UndefinedMetricError
        There are fewer dialogues than folds.
    """
    if len(ids) < folds:
        raise UndefinedMetricError(f"{len(ids)} dialogues cannot be dealt into {folds} folds")
    start = hashlib.blake2b(f"fold {seed} ".encode(), digest_size=_DIGEST_BYTES)
    keys = np.empty(len(ids), dtype=np.uint64)
    for place, one in enumerate(ids):
        drawn = start.copy()
        # An id may hold half of a surrogate pair, which plain UTF-8 cannot write.
        drawn.update(repr(one).encode("utf-8", "surrogatepass"))
        keys[place] = int.from_bytes(drawn.digest(), "big")
    fold = np.empty(len(ids), dtype=np.intp)
    fold[np.argsort(keys, kind="stable")] = np.arange(len(ids)) % folds
    return fold
