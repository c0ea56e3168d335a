"""A closed world: a table of entities and facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from turnsure.core.errors import InputError
from turnsure.dialogues.worlds.facts import Fact, Question, Value
from turnsure.dialogues.worlds.settings import WorldSettings

LEAST_ENTITIES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """One row.

    Attributes
    ----------
    names
        Accepted names, at least one; the first is the one that candidates are listed by.
    values
        A value for each fact of the world.
    meta
        Texts by which results can be sliced.
    """

    names: tuple[str, ...]
    values: Mapping[str, Value]
    meta: Mapping[str, str] = field(default_factory=dict[str, str])

    def is_named_in(self, text: str) -> bool:
        """Whether one of its names stands in ``text`` as whole words, whatever the case."""
        lower = text.casefold()
        # The regular expression is slow, and nearly every text ends here.
        return any(
            name.casefold() in lower
            and re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", lower) is not None
            for name in self.names
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Entities, facts, and the words around them.

    Attributes
    ----------
    name
        Goes into ids.
    task
        What is to be answered.
    entities
        Two or more, with different first names; entity i is bit i of every set.
    facts
        One or more, with different names.
    closing
        What is said after the last hint, None for the usual words.
    least_fitting
        No hint is given that is true of fewer entities than this; 2 keeps a single fact from
        giving the answer away.
    settings
        Of its dialogues, where nothing else is asked.
    """

    name: str
    task: str
    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]
    closing: str | None = None
    least_fitting: int = 1
    settings: WorldSettings = field(default_factory=WorldSettings)

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise InputError("the world's name is blank", field="world", expected="a name")
        if not self.task.strip():
            raise InputError("there is no task", field="task", expected="non-empty text")
        if self.least_fitting < 1:
            raise InputError(
                f"{self.least_fitting} does not fit", field="least_fitting", expected="1 or more"
            )
        if not self.facts:
            raise InputError("there are no facts", field="facts", expected="one fact or more")
        if len({fact.name for fact in self.facts}) < len(self.facts):
            raise InputError("two facts have one name", field="facts", expected="different names")
        if len(self.entities) < LEAST_ENTITIES:
            raise InputError(
                f"there are {len(self.entities)} entities", field="entities", expected="2 or more"
            )
        self._check_entities()

    def _check_entities(self) -> None:
        place_of: dict[str, int] = {}
        for place, entity in enumerate(self.entities):
            where = f"entities[{place}]"
            if not entity.names or not all(name.strip() for name in entity.names):
                raise InputError(
                    "a name is blank", field=f"{where}.names", expected="one name or more"
                )
            earlier = place_of.setdefault(entity.names[0], place)
            if earlier != place:
                raise InputError(
                    f"the name {entity.names[0]!r} is used already, by entities[{earlier}]",
                    field=f"{where}.names",
                    expected="a first name of its own for each entity",
                )
            for fact in self.facts:
                if fact.name not in entity.values or not fact.takes(entity.values[fact.name]):
                    raise InputError(
                        f"the value of {entity.names[0]!r} is missing or of another kind",
                        field=f"{where}.{fact.name}",
                        expected=EXPECTED[fact.kind],
                    )

    def questions(self) -> list[Question]:
        """Every question that the table can answer, fact after fact."""
        return [
            question
            for fact in self.facts
            for question in fact.questions([entity.values[fact.name] for entity in self.entities])
        ]


EXPECTED: Mapping[str, str] = {
    "value": "a non-blank text",
    "yes_no": "yes or no",
    "list": "different non-blank texts, or none",
}
"""What a cell of each kind of fact holds."""
