"""Dialogues drawn from closed worlds: laws that hold for any table, settings and seed."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.worlds import FLIES, FOOD, HABITAT, animal, check_dialogue, said_by_table
from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import dialogue_line, read_dialogues, write_dialogues
from turnsure.dialogues.worlds.settings import WorldSettings
from turnsure.dialogues.worlds.source import draw_dialogues
from turnsure.dialogues.worlds.world import World

ITEMS = ("meat", "grass", "fruit", "insects", "fish")
ROWS = st.tuples(
    st.sampled_from(["on land", "in the sea", "at the coast", "in trees"]),
    st.booleans(),
    st.lists(st.sampled_from(ITEMS), unique=True, max_size=4).map(tuple),
)


@st.composite
def worlds(draw) -> World:
    rows = draw(st.lists(ROWS, min_size=2, max_size=25))
    return World(
        name="drawn",
        task="Name it.",
        facts=(HABITAT, FLIES, FOOD),
        entities=tuple(
            animal(f"animal {place}", habitat=habitat, flies=flies, food=food)
            for place, (habitat, flies, food) in enumerate(rows)
        ),
        least_fitting=draw(st.integers(1, 2)),
    )


@st.composite
def world_settings(draw) -> WorldSettings:
    twists = draw(st.integers(0, 2))
    most = draw(st.integers(max(1, 2 * twists + 1), 12))
    return WorldSettings(
        style=draw(st.sampled_from(["statements", "questions"])),
        candidates=draw(st.sampled_from(["open", "closed"])),
        difficulty=draw(st.sampled_from(["easy", "medium", "hard"])),
        min_turns=draw(st.integers(1, most)),
        max_turns=most,
        twists=twists,
    )


@settings(deadline=None)
@given(world=worlds(), wanted=world_settings(), seed=st.integers(0, 2**40))
def test_candidates_are_those_of_the_table_and_every_hint_moves_them(world, wanted, seed):
    try:
        dialogues = draw_dialogues(world, seed=seed, settings=wanted)
    except InputError:  # no secret can be told from the others within these turns
        assume(False)
    said = said_by_table(world, wanted.style)
    for dialogue in dialogues:
        check_dialogue(dialogue, said, world)
        assert wanted.min_turns <= dialogue.n_turns <= wanted.max_turns
        corrected = [hint.corrects for hint in dialogue.hints if hint.corrects is not None]
        assert len(set(corrected)) == len(corrected) == wanted.twists
        listed = all(name in dialogue.task for name in dialogue.candidates)
        assert listed == (wanted.candidates == "closed")


@settings(deadline=None, max_examples=25)
@given(world=worlds(), wanted=world_settings(), seed=st.integers(0, 9), data=st.data())
def test_the_first_ones_are_the_same_however_many_are_asked_for(world, wanted, seed, data):
    try:
        dialogues = draw_dialogues(world, 12, seed=seed, settings=wanted)
    except InputError:
        return
    n = data.draw(st.integers(1, 12))
    assert draw_dialogues(world, n, seed=seed, settings=wanted) == dialogues[:n]
    lines = [dialogue_line(one).partition('"task"')[2] for one in dialogues]
    assert len(set(lines)) == 12


def test_a_file_of_them_reads_back_equal(tmp_path):
    world = World(
        name="kept",
        task="Name it.",
        facts=(HABITAT, FLIES, FOOD),
        entities=tuple(
            animal(f"animal {place}", habitat=f"in zone {place % 4}", food=ITEMS[: place // 4])
            for place in range(20)
        ),
    )
    dialogues = draw_dialogues(world, 30, settings=WorldSettings(twists=1))
    assert any(hint.corrects for one in dialogues for hint in one.hints)
    write_dialogues(tmp_path / "w.jsonl", dialogues)
    assert read_dialogues(tmp_path / "w.jsonl") == dialogues
