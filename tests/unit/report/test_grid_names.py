"""Names cut to a width."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsure.report.grid_names import short_names
from turnsure.report.text import printable


def test_names_that_fit_are_left_alone():
    names = ["p_true", "stated_confidence"]
    assert short_names(names, 17) == {name: name for name in names}
    assert short_names(names, None) == {name: name for name in names}


def test_parts_that_all_end_in_are_left_out_first():
    names = ["stated_confidence", "max_token_confidence", "Accuracy"]
    assert [*short_names(names, 12).values()] == ["stated", "max_token", "Accuracy"]


def test_a_number_is_no_part():
    assert short_names(["Qwen2.5-0.5B", "Qwen2.5-1.5B"], 11)["Qwen2.5-0.5B"] == "Qwen2.5-0…"


def test_names_that_begin_alike_keep_what_tells_them_apart():
    names = ["Meta-Llama-3.1-70B-Instruct", "Meta-Llama-3.1-8B-Instruct", "gpt-4o"]
    assert [*short_names(names, 11).values()] == ["Meta…70B-I…", "Meta…8B-In…", "gpt-4o"]


def test_a_long_name_of_its_own_loses_its_end():
    assert [*short_names(["claude-sonnet-4", "gpt"], 9).values()] == ["claude-s…", "gpt"]


def test_names_that_only_look_alike_are_numbered():
    short = [*short_names(["a\nlong-name", "a long-name"], 8).values()]
    assert len(set(short)) == 2
    assert short[1].endswith("…2")


def test_a_name_that_is_the_common_ending_is_not_emptied():
    assert short_names(["_part", "a_part", "b_part_long_part"], 8)["_part"] == "_part"


@given(
    st.lists(st.text(string.ascii_letters + "-_. \n\u202e", max_size=40), unique=True, max_size=12),
    st.integers(8, 32),
)
def test_short_names_fit_and_differ(names, width):
    short = short_names(names, width)
    assert [*short] == names
    assert all(len(text) <= width for text in short.values())
    looks = {printable(name) for name in names}
    if len(looks) == len(names):
        assert len(set(short.values())) == len(names)


@pytest.mark.parametrize("width", [8, 20])
def test_whether_names_are_listed_backwards_does_not_matter(width):
    names = ["model-small-2024", "model-large-2024", "other"]
    assert short_names(names, width) == short_names(names[::-1], width)
