"""Short texts made shorter: deflate with words that all texts of a kind share.

A request or a generation alone is too short to compress well, but all that one method asks are
alike.  So the first exchange of a kind is kept as the dictionary of the later ones (RFC 1950,
section 2.2), which then hold little more than what differs.
"""

from __future__ import annotations

import zlib

from turnsure.core.errors import StoreError

_WINDOW_BITS = 13
MOST_WORDS = 1 << _WINDOW_BITS
"""Bytes of a dictionary that deflate can look back to with this window."""

_LEVEL = 6
_MEMORY_LEVEL = 7


def words_of(request: bytes, generation: bytes) -> bytes:
    """The dictionary that the first exchange of a kind makes, at most ``MOST_WORDS`` bytes."""
    return (generation + request)[-MOST_WORDS:]


def pack(text: bytes, words: bytes) -> bytes:
    """A text in few bytes, with a check sum."""
    packer = zlib.compressobj(
        _LEVEL, zlib.DEFLATED, _WINDOW_BITS, _MEMORY_LEVEL, zlib.Z_DEFAULT_STRATEGY, words
    )
    return packer.compress(text) + packer.flush()


def unpack(packed: bytes, words: bytes) -> str:
    """Read back an ASCII text that :func:`pack` wrote with the same words.

    Raises
    ------
    StoreError
        The bytes are damaged, cut off, or were packed with other words.
    """
    unpacker = zlib.decompressobj(_WINDOW_BITS, words)
    try:
        text = unpacker.decompress(packed).decode("ascii")
    except (zlib.error, TypeError, UnicodeDecodeError) as error:
        raise StoreError(f"a stored text cannot be read ({error})") from error
    if not unpacker.eof:
        raise StoreError("a stored text cannot be read (it is cut off)")
    return text
