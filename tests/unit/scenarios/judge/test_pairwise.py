from __future__ import annotations

import pytest

from tests.support.flows import drive, texts
from tests.support.talks import talk
from turnsure.scenarios.judge.pairwise import compare_pair
from turnsure.scenarios.judge.wording import load_judge_wording

WORDING = load_judge_wording()
LEFT = talk(("Hi.", "The left one."))
RIGHT = talk(("Hi.", "The right one."))


def compare(reply, *, left=LEFT, right=RIGHT, **settings):
    return drive(
        compare_pair(left, right, WORDING, **settings), lambda request: texts(reply(request))
    )


def says(better):
    return f'{{"why": "because", "better": "{better}"}}'


def is_left_first(request):
    prompt = request.messages[0].content
    return prompt.index("The left one.") < prompt.index("The right one.")


def prefers(words):
    """A judge that goes by what was said."""

    def reply(request):
        first = is_left_first(request) is (words == "The left one.")
        return says(1 if first else 2)

    return reply


@pytest.mark.parametrize(
    ("words", "side"), [("The left one.", "left"), ("The right one.", "right")]
)
def test_a_judge_that_agrees_with_itself_decides(words, side):
    found, asked = compare(prefers(words))
    assert found.preference == side
    assert (found.shown_first, found.shown_second) == (side, side)
    assert not found.swayed_by_order
    assert [is_left_first(one) for one in asked] == [True, False]


@pytest.mark.parametrize("place", [1, 2])
def test_a_judge_that_goes_by_place_brings_a_tie(place):
    found, _ = compare(lambda _: says(place))
    assert found.preference == "tie"
    assert found.swayed_by_order


def test_a_tie_in_one_order_is_a_tie():
    found, _ = compare(lambda one: says("1") if is_left_first(one) else says("tie"))
    assert found.preference == "tie"
    assert not found.swayed_by_order
    assert compare(lambda _: says("Tie"))[0].preference == "tie"


def test_garbage_in_one_order_is_inconclusive():
    found, asked = compare(lambda one: says("1") if is_left_first(one) else "the first, I think")
    assert found.preference == "inconclusive"
    assert found.shown_second is None
    assert "cannot be read" in found.problem
    assert found.n_tries == len(asked) == 1 + 3


@pytest.mark.parametrize("empty", [talk(), talk(("Hi.", "")), talk(("", "Yes."))])
def test_nothing_is_asked_about_an_empty_or_one_sided_transcript(empty):
    for sides in ({"left": empty}, {"right": empty}):
        found, asked = compare(lambda _: says("1"), **sides)
        assert (found.preference, asked) == ("inconclusive", [])
        assert next(iter(sides)) in found.problem


def test_what_counts_can_be_said():
    _, [first, _] = compare(lambda _: says("tie"), question="the tone alone")
    assert "What counts: the tone alone" in first.messages[0].content
