"""Chance from a seed: the same on every computer and with every version of Python."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator
from typing import TypeVar

_BITS = 32
_BLOCK = struct.Struct(">8I")
"""The 256 bits of a digest as eight numbers."""

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
        return next(self._numbers) * n >> _BITS

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """The items in an order by chance (Fisher and Yates)."""
        kept = list(items)
        # One call less for each item than with below(): most of a dialogue's chance goes here.
        for last, number in zip(range(len(kept) - 1, 0, -1), self._numbers, strict=False):
            other = number * (last + 1) >> _BITS
            kept[last], kept[other] = kept[other], kept[last]
        return kept


def _numbers(seed: str) -> Iterator[int]:
    key, block = hashlib.sha256(seed.encode()).digest(), 0
    while True:
        yield from _BLOCK.unpack(hashlib.sha256(key + block.to_bytes(8, "big")).digest())
        block += 1
