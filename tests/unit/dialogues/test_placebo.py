"""Placebo hints: which pool, which hint, which turns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.dialogues.placebo import (
    PlaceboPool,
    choose_turns,
    placebo_hint,
    placebo_prefix,
    pool_for,
)


def pairs(*questions: str, answer: str = "Yes") -> tuple[Hint, ...]:
    return tuple(Hint(question=question, answer=answer) for question in questions)


def clues(*texts: str) -> tuple[Hint, ...]:
    return tuple(Hint(answer=text) for text in texts)


def dialogue(n: int = 4, *, hints: tuple[Hint, ...] | None = None, **changes) -> Dialogue:
    made = Dialogue(
        id="d1",
        task="Name the animal.",
        hints=hints or pairs(*(f"Is fact {i} true?" for i in range(n))),
        gold=("heron",),
    )
    return replace(made, **changes)


POOL = PlaceboPool(
    name="mine", hints=pairs("Is it itself?", "Can it be named?", "Is it spoken of?")
)


class TestPool:
    def test_no_hint(self):
        with pytest.raises(InputError, match="the pool holds no hint"):
            PlaceboPool(name="p", hints=())

    def test_the_same_text_in_other_dress(self):
        with pytest.raises(InputError, match=r"'hints\[1\]': this says the same as hints\[0\]"):
            PlaceboPool(name="p", hints=pairs("Is it itself?", "is it  ITSELF"))

    def test_the_same_question_with_another_answer_contradicts(self):
        with pytest.raises(InputError, match="says the same"):
            PlaceboPool(name="p", hints=(*pairs("Is it?"), *pairs("Is it?", answer="No")))

    def test_pairs_beside_statements(self):
        with pytest.raises(InputError, match=r"'hints\[1\]': pairs and statements"):
            PlaceboPool(name="p", hints=(*pairs("Is it itself?"), *clues("It is itself.")))

    def test_the_definition_follows_every_text_and_their_order(self):
        others = [
            replace(POOL, hints=POOL.hints[::-1]),
            replace(POOL, hints=POOL.hints[:2]),
            replace(POOL, hints=(*POOL.hints[:2], *pairs("Is it spoken of?", answer="No"))),
        ]
        digests = {pool.definition["digest"] for pool in [POOL, *others]}
        assert len(digests) == 4
        assert POOL.definition["name"] == "mine"
        assert POOL.definition == PlaceboPool(name="mine", hints=POOL.hints).definition


class TestPoolFor:
    @pytest.mark.parametrize(
        "task",
        [
            "Name the country that the clues describe. Keep the answer short.",
            "Given the following, name the single CITY that best fits it.",
            "Which city is it?",
            "Guess the secret city",
            "What is the city?",
            "Work out which nation is meant.",
            "Identify the place described below.",
            "Name the European capital.",
            "Name the\ncountry.",
        ],
    )
    def test_a_task_that_asks_for_a_place(self, task):
        assert pool_for(dialogue(task=task)) == "places"
        assert pool_for(dialogue(task=task, hints=clues("A clue."))) == "statements"

    @pytest.mark.parametrize(
        "task",
        [
            "Name the animal that lives in this country.",
            "Which country singer is it?",
            "Name the capital letter.",
            "Name the country's anthem.",
            "Guess who takes the first place in the race.",
            "Work out what the information below is about, and name it.",
            "Tell how simplicity is defined.",
        ],
    )
    def test_a_task_that_asks_for_anything_else(self, task):
        assert pool_for(dialogue(task=task)) == "things"
        assert pool_for(dialogue(task=task, hints=clues("A clue."))) == "statements-things"

    def test_pairs_as_soon_as_one_hint_has_a_question(self):
        assert pool_for(dialogue(hints=(*clues("A clue."), *pairs("Is it red?")))) == "things"


class TestPlaceboHint:
    def test_the_same_for_the_same_seed_dialogue_and_turn(self):
        drawn = [placebo_hint(POOL, dialogue(), 3, seed=7) for _ in range(2)]
        assert drawn[0] == drawn[1]

    def test_seed_and_dialogue_decide_the_order(self):
        def order(seed: int, name: str) -> tuple[object, ...]:
            one = dialogue(id=name)
            return tuple(placebo_hint(POOL, one, turn, seed=seed) for turn in (2, 3, 4))

        assert len({order(seed, "a") for seed in range(20)}) > 3
        assert len({order(0, str(name)) for name in range(20)}) > 3

    def test_all_of_the_pool_and_then_no_more(self):
        drawn = [placebo_hint(POOL, dialogue(5), turn, seed=1) for turn in (2, 3, 4, 5)]
        assert {hint.question for hint in drawn[:3]} == {hint.question for hint in POOL.hints}
        assert drawn[3] == Failure(
            stage="control",
            kind="pool_exhausted",
            message="3 of the 3 placebos in 'mine' can be used in this dialogue, which needs 4",
            dialogue="d1",
            turn=5,
        )

    def test_what_any_turn_says_already_is_left_out(self):
        one = dialogue(hints=pairs("Is it red?", "Is it round?", "IS IT ITSELF", answer="no"))
        drawn = {placebo_hint(POOL, one, turn, seed=2).question for turn in (2, 3)}
        assert drawn == {"Can it be named?", "Is it spoken of?"}

    def test_a_statement_that_the_dialogue_says(self):
        pool = PlaceboPool(name="p", hints=clues("People walked there.", "The sky is above it."))
        one = dialogue(hints=clues("It is warm.", "People walked there"))
        assert placebo_hint(pool, one, 2, seed=0) == Hint(answer="The sky is above it.")

    @pytest.mark.parametrize("gold", ["Itself", "its-elf", "ITSELF (accept: it)"])
    def test_a_placebo_that_holds_an_accepted_answer_is_left_out(self, gold):
        one = dialogue(3, gold=("heron", gold))
        drawn = {placebo_hint(POOL, one, turn, seed=3).question for turn in (2, 3)}
        assert drawn == {"Can it be named?", "Is it spoken of?"}

    def test_the_answer_of_a_placebo_is_looked_at_as_well(self):
        pool = PlaceboPool(name="p", hints=pairs("What do they drink?", answer="cold water"))
        failed = placebo_hint(pool, dialogue(gold=("Water",)), 2, seed=0)
        assert failed.kind == "pool_exhausted"

    def test_the_caller_may_say_what_counts_as_the_same_answer(self):
        failed = placebo_hint(
            POOL, dialogue(), 2, seed=0, normalise=lambda text: "same" if text else ""
        )
        assert failed.kind == "pool_exhausted"

    @pytest.mark.parametrize("turn", [0, 1, 5])
    def test_a_turn_without_a_state_before_or_without_a_hint(self, turn):
        with pytest.raises(InputError, match=r"takes no placebo \(expected 2 to 4\)"):
            placebo_hint(POOL, dialogue(), turn, seed=0)


class TestChooseTurns:
    def test_all_from_the_second_on(self):
        assert choose_turns(dialogue(4), which="all", seed=0) == (2, 3, 4)

    @pytest.mark.parametrize("which", ["all", "one", 0.5, 1])
    def test_a_dialogue_of_one_hint_has_none(self, which):
        assert choose_turns(dialogue(1), which=which, seed=0) == ()

    def test_one_of_them_decided_by_seed_and_id(self):
        chosen = {choose_turns(dialogue(4), which="one", seed=seed) for seed in range(40)}
        assert chosen == {(2,), (3,), (4,)}
        others = {choose_turns(dialogue(4, id=f"d{i}"), which="one", seed=0) for i in range(40)}
        assert others == chosen

    def test_what_the_hints_say_decides_nothing(self):
        one, other = dialogue(9), dialogue(hints=pairs(*"abcdefghi"), gold=("x",), task="T.")
        assert choose_turns(one, which=0.3, seed=5) == choose_turns(other, which=0.3, seed=5)

    # 0.07 * 100 is a little more than 7 as a float.
    @pytest.mark.parametrize(
        ("which", "n_turns", "expected"),
        [(0.07, 101, 7), (0.5, 5, 2), (0.5, 6, 3), (0.01, 5, 1), (1.0, 5, 4), (1, 5, 4)],
    )
    def test_a_fraction_is_rounded_up(self, which, n_turns, expected):
        assert len(choose_turns(dialogue(n_turns), which=which, seed=0)) == expected

    @pytest.mark.parametrize("which", [0, -0.1, 1.01, float("nan"), True, "some", "0.5"])
    def test_anything_else_is_refused(self, which):
        with pytest.raises(InputError, match=r"field 'which'.*fraction above 0 and at most 1"):
            choose_turns(dialogue(), which=which, seed=0)


class TestPlaceboPrefix:
    def test_the_placebo_stands_in_place_of_the_turns_own_hint(self):
        one = dialogue(4, closing="Now name it.")
        prefix = placebo_prefix(one, 3, POOL.hints[0])
        assert prefix == replace(one.prefix(3), hints=(*one.hints[:2], POOL.hints[0]))
        assert one.hints[2] not in prefix.hints

    @pytest.mark.parametrize("turn", [1, 5])
    def test_no_such_turn(self, turn):
        with pytest.raises(InputError, match="expected 2 to 4"):
            placebo_prefix(dialogue(4), turn, POOL.hints[0])
