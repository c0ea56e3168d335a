"""Ids as consecutive numbers, without a sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from turnsure.numerics.codes import codes_of_numbers, codes_of_texts, compact, is_rising

whole = st.one_of(
    arrays.arrays(np.int64, st.integers(0, 30), elements=st.integers(-9, 9)),
    arrays.arrays(np.int64, st.integers(0, 30), elements=st.integers(-(2**63), 2**63 - 1)),
    arrays.arrays(np.uint64, st.integers(0, 30), elements=st.integers(2**64 - 9, 2**64 - 1)),
    arrays.arrays(np.int8, st.integers(0, 300), elements=st.integers(-128, 127)),
)


@given(whole, st.booleans())
def test_codes_are_those_of_a_sorted_unique(ids, in_order):
    ids = np.sort(ids) if in_order else ids
    distinct, expected = np.unique(ids, return_inverse=True)
    codes, names = codes_of_numbers(ids)
    assert codes.tolist() == expected.tolist()
    assert names == distinct.tolist()


@given(arrays.arrays(np.intp, st.integers(0, 40), elements=st.integers(0, 20)))
def test_codes_are_made_consecutive(codes):
    distinct, expected = np.unique(codes, return_inverse=True)
    present, places = compact(codes, 21)
    assert (present.tolist(), places.tolist()) == (distinct.tolist(), expected.tolist())


@pytest.mark.parametrize("place", [1, 65_535, 65_536, 65_537, 69_999])
def test_a_fall_is_seen_in_every_block(place):
    values = np.arange(70_000) // 3
    assert is_rising(values)
    values[place] = -1
    assert not is_rising(values)


@pytest.mark.parametrize("ids", [[], ["b"], ["b", "b", "a", "b"], ["é", "z", "z", "", "a10", "a9"]])
def test_texts_are_numbered_in_their_order(ids):
    codes, names = codes_of_texts(np.array(ids, dtype=np.str_))
    assert names == sorted(set(ids))
    assert [names[code] for code in codes.tolist()] == ids
