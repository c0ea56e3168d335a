"""Candidates of a closed world: in files, in the built-in world, and never in a prompt."""

from __future__ import annotations

import json

import pytest

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError
from turnsure.dialogues.countries import countries_dialogues
from turnsure.dialogues.jsonl import dialogue_line, read_dialogues

HINTS = (Hint(answer="It is warm."), Hint(answer="It is small."))


def world(**changes):
    fields = {
        "id": "d",
        "task": "Name it.",
        "hints": HINTS,
        "gold": ("Chad",),
        "candidates": ("Chad", "Mali", "Peru"),
        "remaining": ((0, 2), (0,)),
        **changes,
    }
    return Dialogue(**fields)


def test_candidates_at_a_turn_are_those_that_fit_all_hints_so_far():
    assert world().candidates_at(1) == ("Chad", "Peru")
    assert world().candidates_at(2) == ("Chad",)
    assert world(candidates=(), remaining=()).candidates_at(1) == ()


def test_a_file_keeps_them(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(dialogue_line(world()) + "\n", encoding="utf-8")
    assert read_dialogues(path) == [world()]


def test_a_prefix_does_not_hold_them():
    assert not hasattr(world().prefix(1), "candidates")
    assert world().prefix(1) == world(candidates=(), remaining=()).prefix(1)


@pytest.mark.parametrize(
    "remaining",
    [((0, 2),), ((0, 2), (0,), (0,)), ((0, 3), (0,)), ((-1,), (0,)), ((0, 0), (0,)), ()],
    ids=["too few lists", "too many", "no such candidate", "negative", "twice", "none"],
)
def test_lists_that_do_not_fit_are_refused(remaining):
    with pytest.raises(InputError) as caught:
        world(remaining=remaining)
    assert caught.value.field == "remaining"


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("candidates", "Chad", "candidates"),
        ("candidates", [1], "candidates[0]"),
        ("remaining", [0], "remaining[0]"),
        ("remaining", [["0"], [0]], "remaining[0][0]"),
        ("remaining", [[0.5], [0]], "remaining[0][0]"),
    ],
)
def test_a_wrong_value_in_a_file_is_named(tmp_path, field, value, named):
    body = json.loads(dialogue_line(world()))
    body[field] = value
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(body) + "\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_dialogues(path)
    assert (caught.value.line, caught.value.field) == (1, named)
    assert caught.value.expected


@pytest.mark.parametrize("style", ["statements", "questions"])
def test_the_countries_that_remain_are_those_of_which_every_clue_holds(style):
    """Counted anew from the clues that other dialogues show at the same place."""
    dialogues = countries_dialogues(style=style)
    said = {
        one.gold[0]: {hint.question or hint.answer[:12]: hint for hint in one.hints}
        for one in dialogues
    }
    for one in dialogues[:40]:
        for turn in range(1, one.n_turns + 1):
            remaining = one.candidates_at(turn)
            assert one.gold[0] in remaining
            for other in remaining:
                for hint in one.hints[:turn]:
                    known = said[other].get(hint.question or hint.answer[:12])
                    assert known in (hint, None)  # None: the clue would name that country
            if turn > 1:
                assert set(remaining) <= set(one.candidates_at(turn - 1))
        assert one.candidates_at(one.n_turns) == (one.gold[0],)
