"""Texts that are packed in blocks."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from turnsure.core.kept_texts import ABSENT, KeptTexts

ANY = st.text(st.characters(exclude_categories=()))  # half surrogate pairs among them


@given(st.lists(st.none() | ANY))
def test_texts_come_back_by_their_numbers(texts):
    kept = KeptTexts()
    numbers = [kept.add(text) for text in texts]
    assert [kept[number] for number in numbers] == texts


def test_texts_of_many_blocks_come_back_in_any_order():
    kept = KeptTexts()
    texts = [f"é {number} \ud800 " + "x" * (number % 700) for number in range(3000)]
    numbers = [kept.add(text) for text in texts]
    assert [kept[number] for number in reversed(numbers)] == list(reversed(texts))
    assert [kept[number] for number in numbers[::997]] == texts[::997]


def test_a_text_of_the_last_few_is_kept_once():
    kept = KeptTexts()
    assert kept.add("a") == kept.add("a") != kept.add("b")
    assert kept.add(None) == ABSENT
    assert kept[ABSENT] is None


def test_what_comes_later_leaves_a_number_good():
    kept = KeptTexts()
    first = kept.add("first")
    for number in range(5000):
        kept.add(f"{number} " * 20)
    assert kept[first] == "first"


def test_texts_take_a_fraction_of_their_length():
    def texts():
        for number in range(20_000):
            yield f"Reply {number}: I think that it is Peru, since no other country fits. " * 3

    n_characters = sum(map(len, texts()))
    tracemalloc.start()
    kept = KeptTexts()
    for text in texts():
        kept.add(text)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < n_characters / 5
