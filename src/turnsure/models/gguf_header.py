"""How much memory a GGUF model's cache takes, read from the head of its file.

Format: the GGUF specification of the ggml project, versions 2 and 3, little-endian.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

_STRING, _ARRAY = 8, 9
_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q"}
_FORMATS = {**_NUMBERS, 11: "<q", 12: "<d"}
_ARCHITECTURE = "general.architecture"
_MOST_KEYS = 10_000
_MOST_LAYERS = 10_000

_Value = str | float | list[float] | None


class _UnreadableError(Exception):
    """Not the format that is known here."""


def cache_numbers_a_token(path: Path) -> int | None:
    """Numbers that the key and value caches hold for every token, over all layers.

    An upper bound for models with sliding windows.  None where the file does not tell, as for
    models that keep a state of another kind.
    """
    try:
        with path.open("rb") as source:
            return _numbers(_facts(source))
    except (OSError, struct.error, _UnreadableError, ValueError, OverflowError):
        return None


def _numbers(facts: dict[str, _Value]) -> int | None:
    kind = facts.get(_ARCHITECTURE)

    def number(name: str) -> int | None:
        value = facts.get(f"{kind}.{name}")
        return int(value) if isinstance(value, int | float) else None

    layers, width, heads = number("block_count"), number("embedding_length"), _heads(facts, kind)
    if layers is None or width is None or not heads or not 0 < layers <= _MOST_LAYERS:
        return None
    queries = number("attention.head_count") or heads[0]
    key = number("attention.key_length") or width // max(queries, 1)
    value = number("attention.value_length") or key
    each = heads if len(heads) == layers else heads[:1] * layers
    return sum(each) * (key + value) or None


def _heads(facts: dict[str, _Value], kind: object) -> list[int]:
    """Heads of keys and values: one number for all layers, or one a layer."""
    for name in ("head_count_kv", "head_count"):
        given = facts.get(f"{kind}.attention.{name}")
        if isinstance(given, list):
            return [int(one) for one in given]
        if isinstance(given, int | float):
            return [int(given)]
    return []


def _facts(source: BinaryIO) -> dict[str, _Value]:
    """Keys of the head up to those of the tokeniser, which come last and are long."""
    magic, version = source.read(4), _number(source, "<I")
    if magic != b"GGUF" or version not in (2, 3):
        raise _UnreadableError
    _number(source, "<Q")  # tensors
    facts: dict[str, _Value] = {}
    for _ in range(min(int(_number(source, "<Q")), _MOST_KEYS)):
        key = _text(source)
        if key.startswith("tokenizer.") and _ARCHITECTURE in facts:
            break
        facts[key] = _value(source, int(_number(source, "<I")))
    return facts


def _value(source: BinaryIO, kind: int) -> _Value:
    if kind == _STRING:
        return _text(source)
    if kind != _ARRAY:
        if kind not in _FORMATS:
            raise _UnreadableError
        return _number(source, _FORMATS[kind])
    of, length = int(_number(source, "<I")), int(_number(source, "<Q"))
    if of in _FORMATS and length <= _MOST_LAYERS:
        return [_number(source, _FORMATS[of]) for _ in range(length)]
    if of in _FORMATS:
        source.seek(length * struct.calcsize(_FORMATS[of]), 1)
        return None
    if of != _STRING:
        raise _UnreadableError
    for _ in range(length):
        source.seek(int(_number(source, "<Q")), 1)
    return None


def _number(source: BinaryIO, form: str) -> float:
    (number,) = struct.unpack(form, source.read(struct.calcsize(form)))
    return number


def _text(source: BinaryIO) -> str:
    length = int(_number(source, "<Q"))
    if length > 1 << 20:
        raise _UnreadableError
    return source.read(length).decode("utf-8")
