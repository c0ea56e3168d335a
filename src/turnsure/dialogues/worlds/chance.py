"""Chance from a seed: the same on every computer and with every version of Python."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import TypeVar

_BYTES = 4

T = TypeVar("T")


class Chance:
    """A stream of numbers that a seed decides.

    Parameters
    ----------
    seed
        Any text.
    """

    def __init__(self, seed: str) -> None:
        self._numbers = _numbers(seed)

    def below(self, n: int) -> int:
        """A number in 0 … n − 1, for n of at most some thousands."""
        # 32 bits make the numbers unequally likely by less than n in four thousand million.
        return next(self._numbers) * n >> 8 * _BYTES

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """The items in an order by chance (Fisher and Yates)."""
        kept = list(items)
        for last in range(len(kept) - 1, 0, -1):
            other = self.below(last + 1)
            kept[last], kept[other] = kept[other], kept[last]
        return kept


def _numbers(seed: str) -> Iterator[int]:
    key, block = hashlib.sha256(seed.encode()).digest(), 0
    while True:
        digest = hashlib.sha256(key + block.to_bytes(8, "big")).digest()
        for start in range(0, len(digest), _BYTES):
            yield int.from_bytes(digest[start : start + _BYTES], "big")
        block += 1
