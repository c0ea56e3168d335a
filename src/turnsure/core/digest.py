"""Digests of plain values: the same value gives the same digest on every computer."""

from __future__ import annotations

import hashlib
import json
from typing import Any

SHORT = 12
"""Characters of a digest that are shown to people."""

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
"""Made once: every key of the store goes through it."""


def canonical(value: Any) -> str:
    """JSON text in ASCII, with sorted keys and no optional white space.

    ASCII because a text may hold half a surrogate pair, which no file can hold as it is.
    """
    return _ENCODER.encode(value)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON text, in hexadecimal."""
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def seed_from(*parts: str | int) -> int:
    """A sampling seed in 0 … 2**31 − 1, the same for the same parts on every computer."""
    return int(digest(list(parts))[:8], 16) & 0x7FFF_FFFF
