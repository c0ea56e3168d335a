"""The ideal confidence of a closed world's dialogue, and hints that correct earlier ones."""

from __future__ import annotations

import json

import pytest

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import dialogue_line, read_dialogues
from turnsure.dialogues.rendering import HistoryWording, render

HINTS = (
    Hint(answer="It is small."),
    Hint(answer="It is cold."),
    Hint(answer='Correction: "It is small." was wrong. It is large.', corrects=1),
    Hint(answer="It is old."),
)


def world(**changes) -> Dialogue:
    fields = {
        "id": "d",
        "task": "Name it.",
        "hints": HINTS,
        "gold": ("Chad",),
        "candidates": ("Chad", "Mali", "Peru", "Cuba", "Oman"),
        "remaining": ((1, 2, 3), (2, 3), (0, 1, 4), (0,)),
        **changes,
    }
    return Dialogue(**fields)


@pytest.mark.parametrize(
    ("candidate", "ideal"),
    [
        ("Chad", [0, 0, 1 / 3, 1]),
        ("Mali", [1 / 3, 0, 1 / 3, 0]),
        ("Peru", [1 / 3, 1 / 2, 0, 0]),
        ("Oman", [0, 0, 1 / 3, 0]),
    ],
)
def test_one_in_n_for_those_that_remain_and_nothing_for_others(candidate, ideal):
    assert [world().ideal_confidence(turn, candidate) for turn in (1, 2, 3, 4)] == ideal


def test_identified_where_one_remains():
    assert [world().is_identified(turn) for turn in (1, 2, 3, 4)] == [False, False, False, True]


@pytest.mark.parametrize("turn", [0, 5, -1])
def test_a_turn_that_is_not_there(turn):
    for ask in (
        lambda: world().is_identified(turn),
        lambda: world().ideal_confidence(turn, "Chad"),
    ):
        with pytest.raises(InputError) as caught:
            ask()
        assert caught.value.field == "turn"


def test_a_name_that_the_world_does_not_know():
    with pytest.raises(InputError, match="'Chile'") as caught:
        world().ideal_confidence(1, "Chile")
    assert caught.value.field == "candidate"


def test_without_a_closed_world_there_is_no_ideal():
    for ask in (Dialogue.is_identified, lambda one, turn: one.ideal_confidence(turn, "Chad")):
        with pytest.raises(InputError, match="no closed world"):
            ask(world(candidates=(), remaining=()), 1)


def test_a_candidate_comes_back_only_with_a_correction():
    plain = tuple(Hint(answer=hint.answer) for hint in HINTS)
    with pytest.raises(InputError, match="back at turn 3") as caught:
        world(hints=plain)
    assert caught.value.field == "remaining"


@pytest.mark.parametrize("corrects", [3, 4])
def test_only_an_earlier_turn_can_be_corrected(corrects):
    hints = (*HINTS[:2], Hint(answer="Correction: warm.", corrects=corrects), HINTS[3])
    with pytest.raises(InputError) as caught:
        world(hints=hints)
    assert caught.value.field == "hints[2].corrects"


def test_turns_are_counted_from_one():
    with pytest.raises(InputError) as caught:
        Hint(answer="Correction: warm.", corrects=0)
    assert caught.value.field == "corrects"


def test_a_file_keeps_the_mark_and_writes_it_only_where_it_is(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(dialogue_line(world()) + "\n", encoding="utf-8")
    assert read_dialogues(path) == [world()]
    marks = [hint.get("corrects", "absent") for hint in json.loads(path.read_text())["hints"]]
    assert marks == ["absent", "absent", 1, "absent"]


@pytest.mark.parametrize("value", ["1", 1.5, True, 0, 9])
def test_a_wrong_mark_in_a_file_is_named(tmp_path, value):
    body = json.loads(dialogue_line(world()))
    body["hints"][2]["corrects"] = value
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(body) + "\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_dialogues(path)
    assert (caught.value.line, caught.value.field) == (1, "hints[2].corrects")
    assert caught.value.expected


@pytest.mark.parametrize("style", ["transcript", "chat"])
def test_no_model_sees_the_mark(style):
    plain = world(
        candidates=(), remaining=(), hints=tuple(Hint(answer=hint.answer) for hint in HINTS)
    )
    wording = HistoryWording()
    assert render(world().prefix(4), style=style, wording=wording) == render(
        plain.prefix(4), style=style, wording=wording
    )
