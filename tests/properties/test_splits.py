"""Laws of splits: for any dialogues, fractions and seed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.splits import entity_of, split_dialogues
from turnsure.grading.normalise import normal

NAMES = st.text(min_size=1, max_size=4).filter(str.strip)
DIALOGUES = st.lists(
    st.builds(
        Dialogue,
        id=NAMES,
        task=st.just("t"),
        hints=st.just((Hint(answer="x"),)),
        gold=st.lists(st.sampled_from(["Peru", "The Peru", "PERÚ", "Mali", "?", "!"]) | NAMES,
                      min_size=1, max_size=2).map(tuple),
    ),
    max_size=20,
    unique_by=lambda one: one.id,
)  # fmt: skip
WEIGHTS = st.lists(st.integers(1, 20), min_size=1, max_size=4)
BY = st.sampled_from(["dialogue", "entity"])
SEEDS = st.integers(-(2**40), 2**40)


def fractions(weights: list[int], rest: int = 0) -> dict[str, float]:
    total = sum(weights) + rest
    return {f"p{n}": weight / total for n, weight in enumerate(weights)}


def part_of(split: dict[str, tuple[Dialogue, ...]]) -> dict[str, str]:
    return {one.id: name for name, members in split.items() for one in members}


@given(dialogues=DIALOGUES, weights=WEIGHTS, by=BY, seed=SEEDS)
def test_every_dialogue_is_in_exactly_one_part(dialogues, weights, by, seed):
    split = split_dialogues(dialogues, fractions(weights), by=by, seed=seed, normalise=normal)
    members = [one.id for part in split.values() for one in part]
    assert sorted(members) == sorted(one.id for one in dialogues)


@given(dialogues=DIALOGUES, weights=WEIGHTS, seed=SEEDS, rest=st.integers(0, 20))
def test_no_entity_is_in_two_parts(dialogues, weights, seed, rest):
    split = split_dialogues(
        dialogues, fractions(weights, rest), by="entity", seed=seed, normalise=normal
    )
    parts: dict[str, set[str | None]] = {}
    of = part_of(split)
    for one in dialogues:
        parts.setdefault(entity_of(one, normal), set()).add(of.get(one.id))
    assert all(len(found) == 1 for found in parts.values())


@given(dialogues=DIALOGUES, weights=WEIGHTS, by=BY, seed=SEEDS, data=st.data())
def test_neither_order_nor_other_dialogues_matter(dialogues, weights, by, seed, data):
    parts = fractions(weights)
    whole = part_of(split_dialogues(dialogues, parts, by=by, seed=seed))
    some = data.draw(st.permutations(dialogues))[: data.draw(st.integers(0, len(dialogues)))]
    split = split_dialogues(some, parts, by=by, seed=seed)
    assert part_of(split) == {one.id: whole[one.id] for one in some}
    for members in split.values():
        assert list(members) == [one for one in some if one in members]


@given(dialogues=DIALOGUES, by=BY, seed=SEEDS, low=st.integers(1, 99), more=st.integers(0, 99))
def test_a_part_only_grows_with_its_fraction(dialogues, by, seed, low, more):
    small, large = low / 200, (low + more) / 200
    inner = split_dialogues(dialogues, {"p": small}, by=by, seed=seed)["p"]
    outer = split_dialogues(dialogues, {"p": large}, by=by, seed=seed)["p"]
    assert {one.id for one in inner} <= {one.id for one in outer}


def test_the_seed_matters():
    dialogues = [
        Dialogue(id=str(n), task="t", hints=(Hint(answer="x"),), gold=(f"e{n}",)) for n in range(64)
    ]
    halves = {"a": 0.5, "b": 0.5}
    for by in ("dialogue", "entity"):
        splits = [part_of(split_dialogues(dialogues, halves, by=by, seed=s)) for s in range(3)]
        assert splits[0] != splits[1] != splits[2]
