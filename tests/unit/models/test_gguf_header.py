"""What the head of a GGUF file says of the cache, and what is not understood."""

from __future__ import annotations

import struct

import pytest

from turnsure.models.gguf_header import cache_numbers_a_token

_FORMS = {"B": 0, "H": 2, "I": 4, "f": 6, "?": 7, "Q": 10, "d": 12}
PLAIN = {
    "block_count": ("I", 30),
    "embedding_length": ("I", 576),
    "attention.head_count": ("I", 9),
    "attention.head_count_kv": ("I", 3),
}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def entry(key: str, form: str, value: object) -> bytes:
    if form == "s":
        return text(key) + struct.pack("<I", 8) + text(str(value))
    if isinstance(value, list):
        items = b"".join(
            text(one) if isinstance(one, str) else struct.pack(f"<{form}", one) for one in value
        )
        kind = 8 if form == "S" else _FORMS[form]
        return text(key) + struct.pack("<IIQ", 9, kind, len(value)) + items
    return text(key) + struct.pack("<I", _FORMS[form]) + struct.pack(f"<{form}", value)


def head(facts, *, before=(), version=3, architecture="llama") -> bytes:
    entries = [
        *before,
        entry("general.architecture", "s", architecture),
        *(entry(f"{architecture}.{name}", *fact) for name, fact in facts.items()),
        entry("tokenizer.ggml.tokens", "S", ["a", "b"]),
    ]
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(entries)) + b"".join(entries)


def numbers(tmp_path, content: bytes) -> int | None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    return cache_numbers_a_token(path)


def test_keys_and_values_of_all_layers(tmp_path):
    # 30 layers of 3 heads, each 576 / 9 = 64 numbers wide, once for keys and once for values.
    assert numbers(tmp_path, head(PLAIN)) == 30 * 3 * (64 + 64) == 11_520


def test_widths_of_their_own(tmp_path):
    wide = {**PLAIN, "attention.key_length": ("I", 128), "attention.value_length": ("I", 96)}
    assert numbers(tmp_path, head(wide)) == 30 * 3 * (128 + 96)
    keys = {**PLAIN, "attention.key_length": ("I", 128)}
    assert numbers(tmp_path, head(keys)) == 30 * 3 * (128 + 128)


def test_heads_layer_by_layer(tmp_path):
    mixed = {**PLAIN, "block_count": ("I", 3), "attention.head_count_kv": ("I", [3, 0, 1])}
    assert numbers(tmp_path, head(mixed)) == 4 * 128


def test_without_grouped_heads_all_have_keys(tmp_path):
    old = {name: fact for name, fact in PLAIN.items() if name != "attention.head_count_kv"}
    assert numbers(tmp_path, head(old)) == 30 * 9 * 128


def test_other_entries_are_passed_over(tmp_path):
    before = [
        entry("general.name", "s", "A name"),
        entry("general.flag", "?", True),
        entry("general.scale", "f", 0.5),
        entry("general.tags", "S", ["x", "y", "zz"]),
        entry("tokenizer.first", "Q", 2**40),
        entry("general.long", "B", [1] * 10_001),
    ]
    assert numbers(tmp_path, head(PLAIN, before=before)) == 11_520


@pytest.mark.parametrize("lacking", ["block_count", "embedding_length"])
def test_what_lacks_a_fact_is_unknown(tmp_path, lacking):
    facts = {name: fact for name, fact in PLAIN.items() if name != lacking}
    assert numbers(tmp_path, head(facts)) is None


def test_a_model_without_a_cache_of_keys_is_unknown(tmp_path):
    assert numbers(tmp_path, head({**PLAIN, "attention.head_count_kv": ("I", 0)})) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GGUF",
        b"PK\x03\x04" + bytes(100),
        head(PLAIN, version=1),
        head(PLAIN)[:60],
        head(PLAIN).replace(text("llama.block_count") + struct.pack("<I", 4), b"\xff" * 29),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<I", 77),
    ],
)
def test_what_is_not_understood_is_unknown(tmp_path, content):
    assert numbers(tmp_path, content) is None


def test_a_missing_file_is_unknown(tmp_path):
    assert cache_numbers_a_token(tmp_path / "no.gguf") is None
