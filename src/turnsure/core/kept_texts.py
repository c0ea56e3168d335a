"""Many texts in little memory: those that repeat are kept once, and all are packed in blocks."""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_right

_BLOCK_CHARACTERS = 1 << 17
_LEVEL = 3
_MOST_OPEN = 4
ABSENT = -1
"""The number of no text."""


class KeptTexts:
    """Texts by number.  They are only ever added, so that a number stays good.

    A text that equals one of the last few hundred gets its number.  Reading is quick where texts
    that lie close together are asked for one after the other.
    """

    __slots__ = ("_blocks", "_firsts", "_lengths", "_new", "_new_size", "_numbers", "_unpacked")

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._lengths: list[array[int]] = []
        self._firsts: list[int] = [0]
        self._new: list[str] = []
        self._new_size = 0
        self._numbers: dict[str, int] = {}
        self._unpacked: dict[int, list[str]] = {}

    def add(self, text: str | None) -> int:
        """Keep a text, and tell its number; that of None is :data:`ABSENT`."""
        if text is None:
            return ABSENT
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = self._firsts[-1] + len(self._new)
            self._new.append(text)
            self._new_size += len(text)
            if self._new_size >= _BLOCK_CHARACTERS:
                self._close_block()
        return number

    def __getitem__(self, number: int) -> str | None:
        if number == ABSENT:
            return None
        block = bisect_right(self._firsts, number) - 1
        texts = self._new if block == len(self._blocks) else self._block(block)
        return texts[number - self._firsts[block]]

    def _close_block(self) -> None:
        # A text may hold half of a surrogate pair.
        content = "".join(self._new).encode("utf-8", "surrogatepass")
        self._blocks.append(zlib.compress(content, _LEVEL))
        self._lengths.append(array("l", map(len, self._new)))
        self._firsts.append(self._firsts[-1] + len(self._new))
        self._new = []
        self._new_size = 0
        self._numbers = {}

    def _block(self, place: int) -> list[str]:
        found = self._unpacked.pop(place, None)
        if found is None:
            content = zlib.decompress(self._blocks[place]).decode("utf-8", "surrogatepass")
            found = list[str]()
            start = 0
            for length in self._lengths[place]:
                found.append(content[start : start + length])
                start += length
        if len(self._unpacked) >= _MOST_OPEN:
            del self._unpacked[next(iter(self._unpacked))]
        self._unpacked[place] = found  # the last one used stands last
        return found
