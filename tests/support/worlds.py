"""A small closed world, and a reader of dialogues that counts candidates from the table alone."""

from __future__ import annotations

from collections.abc import Mapping

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.worlds.facts import ListFact, ValueFact, YesNoFact
from turnsure.dialogues.worlds.settings import WorldSettings
from turnsure.dialogues.worlds.world import Entity, World

HABITAT = ValueFact(name="habitat", question="Where does it live?", statement="It lives {value}.")
FLIES = YesNoFact(
    name="flies", question="Does it fly?", if_yes="It flies.", if_no="It does not fly."
)
FOOD = ListFact(
    name="food",
    question="Does it eat {item}?",
    if_yes="It eats {item}.",
    if_no="It does not eat {item}.",
)


def animal(*names: str, habitat: str, flies: bool = False, food: tuple[str, ...] = ()) -> Entity:
    return Entity(names=names, values={"habitat": habitat, "flies": flies, "food": food})


def animals(**changes) -> World:
    fields = {
        "name": "animals",
        "task": "Name the animal.",
        "facts": (HABITAT, FLIES, FOOD),
        "entities": (
            animal("lion", "Panthera leo", habitat="on land", food=("meat",)),
            animal("cow", habitat="on land", food=("grass",)),
            animal("bat", habitat="on land", flies=True, food=("insects", "fruit")),
            animal("shark", habitat="in the sea", food=("meat",)),
            animal("gull", habitat="at the coast", flies=True, food=("meat", "insects")),
            animal("whale", habitat="in the sea"),
        ),
        "settings": WorldSettings(min_turns=1),
        **changes,
    }
    return World(**fields)


Said = Mapping[tuple[str | None, str], frozenset[int]]
"""What may be said (question or None, answer), and the entities of which it is true."""


def said_by_table(world: World, style: str) -> Said:
    """Every hint that the table allows, found by asking each entity after each fact."""
    asks = style == "questions"
    said: dict[tuple[str | None, str], set[int]] = {}

    def say(place: int, question: str, answer: str, statement: str) -> None:
        said.setdefault((question, answer) if asks else (None, statement), set()).add(place)

    for fact in world.facts:
        column = [entity.values[fact.name] for entity in world.entities]
        for place, value in enumerate(column):
            if isinstance(fact, ValueFact):
                say(place, fact.question, value, fact.statement.format(value=value))
            elif isinstance(fact, YesNoFact):
                text = fact.if_yes if value else fact.if_no
                say(place, fact.question, "yes" if value else "no", text)
            else:
                for item in {item for one in column for item in one}:
                    has = item in value
                    text = (fact.if_yes if has else fact.if_no).format(item=item)
                    say(place, fact.question.format(item=item), "yes" if has else "no", text)
    return {key: frozenset(places) for key, places in said.items()}


def reasoned(dialogue: Dialogue, said: Said) -> list[frozenset[int]]:
    """What a perfect reasoner keeps after each hint, from the words and the table alone.

    It fails on a correction whose words do not repeat the false hint.
    """
    everyone = frozenset(range(len(dialogue.candidates)))
    standing: list[frozenset[int]] = []
    turns: list[frozenset[int]] = []
    for hint in dialogue.hints:
        answer = hint.answer
        if hint.corrects is not None:
            false = dialogue.hints[hint.corrects - 1]
            assert false.question == hint.question
            if hint.question is None:
                before, after = f'Correction: "{false.answer}" was wrong. ', ""
            else:
                before, after = "Correction: ", f", not {false.answer}."
            assert answer.startswith(before)
            assert answer.endswith(after)
            answer = answer.removeprefix(before).removesuffix(after)
            assert answer != false.answer
            standing[hint.corrects - 1] = everyone
        else:
            assert not answer.startswith("Correction")
        standing.append(said[hint.question, answer])
        turns.append(everyone.intersection(*standing))
    return turns


def check_dialogue(dialogue: Dialogue, said: Said, world: World) -> None:
    """The laws of every dialogue that is drawn from a world."""
    turns = reasoned(dialogue, said)
    assert [frozenset(places) for places in dialogue.remaining] == turns
    assert all(list(places) == sorted(set(places)) for places in dialogue.remaining)
    before = len(dialogue.candidates)
    for hint, places in zip(dialogue.hints, turns, strict=True):
        assert len(places) > before if hint.corrects is not None else 0 < len(places) < before
        before = len(places)
    [secret] = turns[-1]
    assert world.entities[secret].names == dialogue.gold
    assert all(len(places) > 1 for places in turns[:-1])
    for hint in dialogue.hints:
        assert not world.entities[secret].is_named_in(f"{hint.question}\n{hint.answer}")
