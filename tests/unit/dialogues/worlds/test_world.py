"""Tables, facts and settings of closed worlds."""

from __future__ import annotations

import pytest

from tests.support.worlds import FLIES, FOOD, HABITAT, animal, animals
from turnsure.core.errors import InputError
from turnsure.dialogues.worlds.chance import Chance
from turnsure.dialogues.worlds.facts import ListFact, ValueFact, YesNoFact
from turnsure.dialogues.worlds.settings import WorldSettings
from turnsure.dialogues.worlds.world import Entity


def told(fact, column) -> dict[str, dict[str, int]]:
    return {
        question.text: {answer.statement: answer.fits for answer in question.answers}
        for question in fact.questions(column)
    }


def test_a_value_gives_one_question():
    assert told(HABITAT, ["on land", "in the sea", "on land"]) == {
        "Where does it live?": {"It lives on land.": 0b101, "It lives in the sea.": 0b010}
    }


def test_yes_or_no_gives_one_question():
    assert told(FLIES, [True, False, False]) == {
        "Does it fly?": {"It flies.": 0b001, "It does not fly.": 0b110}
    }


def test_a_list_gives_a_question_for_each_item():
    assert told(FOOD, [("meat",), (), ("meat", "fish")]) == {
        "Does it eat meat?": {"It eats meat.": 0b101, "It does not eat meat.": 0b010},
        "Does it eat fish?": {"It eats fish.": 0b100, "It does not eat fish.": 0b011},
    }


def test_each_entity_has_one_answer_to_each_question():
    world = animals()
    everyone = (1 << len(world.entities)) - 1
    for question in world.questions():
        fits = [answer.fits for answer in question.answers]
        assert sum(fits) == everyone
        assert sum(one.bit_count() for one in fits) == len(world.entities)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: ValueFact(name="f", question="Where?", statement="There."), "f.statement"),
        (lambda: ValueFact(name="f", question=" ", statement="It is {value}."), "f.question"),
        (lambda: YesNoFact(name="f", question="So?", if_yes="Yes.", if_no=""), "f.if_no"),
        (lambda: ListFact(name="f", question="So?", if_yes="{item}", if_no="{item}"), "f.question"),
    ],
)
def test_a_wording_without_its_slot_is_refused(make, field):
    with pytest.raises(InputError) as caught:
        make()
    assert caught.value.field == field


LION, COW = animal("lion", habitat="on land"), animal("cow", habitat="on land")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "world"),
        ({"task": ""}, "task"),
        ({"facts": ()}, "facts"),
        ({"facts": (HABITAT, HABITAT)}, "facts"),
        ({"entities": (LION,)}, "entities"),
        ({"entities": (LION, COW, LION)}, "entities[2].names"),
        ({"entities": (LION, animal(habitat="x"))}, "entities[1].names"),
        ({"entities": (LION, animal("cow", habitat=""))}, "entities[1].habitat"),
        ({"entities": (LION, animal("cow", habitat="x", flies="no"))}, "entities[1].flies"),
        ({"entities": (LION, animal("cow", habitat="x", food="hay"))}, "entities[1].food"),
        ({"entities": (LION, animal("cow", habitat="x", food=("a", "a")))}, "entities[1].food"),
        ({"entities": (LION, Entity(names=("cow",), values={}))}, "entities[1].habitat"),
        ({"least_fitting": 0}, "least_fitting"),
    ],
)
def test_a_table_with_holes_or_doubles_cannot_be_made(changes, field):
    with pytest.raises(InputError) as caught:
        animals(**changes)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("text", "named"),
    [("A Lion is here", True), ("Sealions swim", False), ("panthera LEO!", True), ("leo", False)],
)
def test_names_are_found_as_whole_words(text, named):
    assert animals().entities[0].is_named_in(text) is named


def test_settings_are_read_from_texts():
    changed = WorldSettings().changed({"style": "questions", "twists": "2", "max_turns": "9"})
    assert changed == WorldSettings(style="questions", twists=2, max_turns=9)


@pytest.mark.parametrize(
    ("texts", "field", "expected"),
    [
        ({"twits": "1"}, "twits", "style, candidates, min_turns, max_turns, difficulty, twists"),
        ({"style": "poems"}, "style", "statements or questions"),
        ({"candidates": ""}, "candidates", "open or closed"),
        ({"difficulty": "Easy"}, "difficulty", "easy or medium or hard"),
        ({"twists": "one"}, "twists", "0 to 100"),
        ({"twists": "-1"}, "twists", "0 to 100"),
        ({"min_turns": "0"}, "min_turns", "1 to 100"),
        ({"max_turns": "101"}, "max_turns", "1 to 100"),
        ({"max_turns": "9" * 5000}, "max_turns", "1 to 100"),
        ({"min_turns": "9"}, "max_turns", "9 or more"),
        ({"twists": "2", "max_turns": "4"}, "twists", "5 turns or more in max_turns"),
    ],
)
def test_a_setting_that_does_not_fit_is_named(texts, field, expected):
    with pytest.raises(InputError) as caught:
        WorldSettings().changed(texts)
    assert (caught.value.field, caught.value.expected) == (field, expected)


def test_an_unknown_setting_is_compared_with_known_ones():
    with pytest.raises(InputError, match="did you mean 'twists'"):
        WorldSettings().changed({"twits": "1"})


def test_chance_is_the_same_everywhere_and_even():
    # The first 32 bits of SHA-256(SHA-256("a") + eight zero bytes), as Python's hashlib gives them.
    assert Chance("a").below(2**32) == 0x6FB3BAA3
    drawn = Chance("b")
    counts = [0] * 6
    for _ in range(6000):
        counts[drawn.below(6)] += 1
    assert all(850 < count < 1150 for count in counts)
    assert sorted(Chance("c").shuffled(range(50))) == list(range(50))
    assert Chance("c").shuffled(range(50)) != Chance("d").shuffled(range(50))
    first = {Chance(str(seed)).shuffled("abc")[0] for seed in range(40)}
    assert first == {"a", "b", "c"}
