"""At which turn what is made known."""

from __future__ import annotations

import pytest

from tests.support.suites import scenario
from turnsure.core.scenario import Reveal
from turnsure.scenarios.schedule import schedule


def plan(*turns: int | None, one_a_turn: bool = False) -> list[str]:
    reveals = tuple(
        Reveal(id="abcdef"[place], turn=turn, say="x") for place, turn in enumerate(turns)
    )
    made = schedule(scenario(reveals=reveals), one_a_turn=one_a_turn)
    return ["".join(one.id for one in at_turn) for at_turn in made]


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ((None, None), ["a", "b"]),
        ((1, 2, 3), ["a", "b", "c"]),
        ((1, 3), ["a", "", "b"]),
        ((1, 3, None), ["a", "", "b", "c"]),
        ((None, 2, None), ["a", "b", "c"]),
        ((2, None), ["", "a", "b"]),
        ((1, 1, 2), ["ab", "c"]),
        ((3, 1), ["", "", "ab"]),
    ],
)
def test_reveals_are_made_in_their_order(turns, expected):
    assert plan(*turns) == expected


@pytest.mark.parametrize(
    ("turns", "expected"),
    [((1, 1, 2), ["a", "b", "c"]), ((1, 1, 5), ["a", "b", "", "", "c"]), ((2, 1), ["", "a", "b"])],
)
def test_one_a_turn_moves_the_others_on(turns, expected):
    assert plan(*turns, one_a_turn=True) == expected
