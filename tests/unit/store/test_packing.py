"""Packing short texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsure.core.errors import StoreError
from turnsure.store.packing import MOST_WORDS, pack, unpack, words_of

ASCII = st.text(st.characters(max_codepoint=127))


@given(ASCII, st.binary(max_size=3 * MOST_WORDS))
def test_a_text_comes_back(text, words):
    assert unpack(pack(text.encode(), words), words) == text


def test_a_long_text_comes_back():
    text = "".join(f"{number}," for number in range(100_000))
    assert unpack(pack(text.encode(), b"words"), b"words") == text


def test_what_two_texts_share_is_kept_once():
    shared = b"Name the country that the clues describe. Keep the answer short."
    assert len(pack(shared + b" Asia.", shared)) < 25 < 60 < len(pack(shared + b" Asia.", b""))


def test_other_words_do_not_read_it():
    with pytest.raises(StoreError, match="cannot be read"):
        unpack(pack(b"a text", b"some words"), b"other words")


def test_a_text_that_is_cut_off_is_no_text():
    packed = pack(b"a text", b"")
    for n in range(len(packed)):
        with pytest.raises(StoreError, match="cannot be read"):
            unpack(packed[:n], b"")


def test_words_hold_the_whole_generation_unless_the_request_is_long():
    assert words_of(b"request", b"generation") == b"generationrequest"
    assert len(words_of(b"r" * 2 * MOST_WORDS, b"generation")) == MOST_WORDS
