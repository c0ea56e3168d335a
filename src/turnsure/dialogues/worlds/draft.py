"""A world as a person wrote it: texts with their lines, and the world that they make."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import DEFAULT_TASK
from turnsure.dialogues.worlds.facts import NO, YES, Fact, ListFact, Value, ValueFact, YesNoFact
from turnsure.dialogues.worlds.settings import WorldSettings
from turnsure.dialogues.worlds.world import EXPECTED, Entity, World

TEXTS = ("world", "task", "closing", "least_fitting")
"""What a file may say about the world as a whole."""

WORDINGS: Mapping[str, tuple[str, ...]] = {
    "value": ("question", "statement"),
    "yes_no": ("question", "if_yes", "if_no"),
    "list": ("question", "if_yes", "if_no"),
}
"""The wordings of each kind of fact."""

_TRUTHS = {YES: True, "true": True, NO: False, "false": False}
_MOST_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A text and the line where it stands, from 1."""

    text: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDraft:
    """A fact's ``kind`` and wordings by their names."""

    line: int
    texts: Mapping[str, Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDraft:
    """An entity's names, and a text or a list of texts for each fact."""

    line: int
    names: tuple[Cell, ...]
    values: Mapping[str, Cell | tuple[Cell, ...]]
    meta: Mapping[str, Cell] = field(default_factory=dict[str, Cell])


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldDraft:
    """Everything that a file says."""

    texts: Mapping[str, Cell]
    settings: Mapping[str, Cell]
    facts: Mapping[str, FactDraft]
    entities: tuple[EntityDraft, ...]


def known_name(name: str, known: Collection[str], *, line: int, field: str | None = None) -> str:
    """The name itself, or an error that suggests the nearest known one."""
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, n=1)
    raise InputError(
        f"unknown field, did you mean {near[0]!r}?" if near else "unknown field",
        line=line,
        field=field or name,
        expected=", ".join(known),
    )


def kind_of(name: str, draft: FactDraft) -> str:
    """The kind of a fact, ``value`` where none is named."""
    cell = draft.texts.get("kind")
    if cell is None:
        return "value"
    if cell.text not in WORDINGS:
        raise InputError(
            f"{cell.text!r} is no kind of fact",
            line=cell.line,
            field=f"{name}.kind",
            expected=", ".join(WORDINGS),
        )
    return cell.text


def world_of(draft: WorldDraft, *, name: str) -> World:
    """The world of a draft; ``name`` is its name where the file gives none.

    Raises
    ------
    InputError
        Something is missing or does not fit; it names line and field.
    """
    facts = tuple(_fact(fact, one) for fact, one in draft.facts.items())
    texts = {key: cell.text for key, cell in draft.texts.items()}
    try:
        return World(
            name=texts.get("world", name),
            task=texts.get("task", DEFAULT_TASK),
            closing=_closing(draft.texts.get("closing")),
            facts=facts,
            entities=_entities(draft, facts),
            least_fitting=_least_fitting(draft.texts.get("least_fitting")),
            settings=_settings(draft.settings),
        )
    except InputError as error:
        cell = draft.texts.get(error.field or "")
        raise error.at(line=None if cell is None else cell.line) from None


def _fact(name: str, draft: FactDraft) -> Fact:
    kind = kind_of(name, draft)
    for key, cell in draft.texts.items():
        known_name(key, ("kind", *WORDINGS[kind]), line=cell.line, field=f"{name}.{key}")
    lacking = [key for key in WORDINGS[kind] if key not in draft.texts]
    if lacking:
        raise InputError(
            "the field is missing",
            line=draft.line,
            field=f"{name}.{lacking[0]}",
            expected="the wording of a question" if lacking[0] == "question" else "a sentence",
        )
    said = {key: draft.texts[key].text for key in WORDINGS[kind]}
    try:
        if kind == "value":
            return ValueFact(name=name, **said)
        return YesNoFact(name=name, **said) if kind == "yes_no" else ListFact(name=name, **said)
    except InputError as error:
        key = (error.field or "").rpartition(".")[2]
        raise error.at(line=draft.texts[key].line) from None


def _entities(draft: WorldDraft, facts: tuple[Fact, ...]) -> tuple[Entity, ...]:
    line_of: dict[str, int] = {}
    entities: list[Entity] = []
    for one in draft.entities:
        entity = _entity(one, facts)
        name = entity.names[0]
        if name in line_of:
            raise InputError(
                f"the name {name!r} is used already, in line {line_of[name]}",
                line=one.line,
                field="name",
                expected="a first name of its own for each entity",
            )
        line_of[name] = one.line
        entities.append(entity)
    return tuple(entities)


def _entity(draft: EntityDraft, facts: tuple[Fact, ...]) -> Entity:
    for cell in draft.names:
        if not cell.text.strip():
            raise InputError("a name is blank", line=cell.line, field="name", expected="text")
    if not draft.names:
        raise InputError("there is no name", line=draft.line, field="name", expected="text")
    return Entity(
        names=tuple(cell.text for cell in draft.names),
        values={fact.name: _value(draft, fact) for fact in facts},
        meta={name: cell.text for name, cell in draft.meta.items()},
    )


def _value(draft: EntityDraft, fact: Fact) -> Value:
    found = draft.values.get(fact.name)
    named = repr(draft.names[0].text)
    if found is None:
        problem = f"the value of {named} is missing"
        raise InputError(problem, line=draft.line, field=fact.name, expected=EXPECTED[fact.kind])
    value: Value | None
    if isinstance(found, Cell):
        line, shown = found.line, repr(found.text)
        value = _TRUTHS.get(found.text.strip().lower()) if fact.kind == "yes_no" else found.text
    else:
        line = found[0].line if found else draft.line
        value = tuple(cell.text for cell in found)
        shown = repr(list(value))
    if value is None or not fact.takes(value):
        raise InputError(
            f"{shown} of {named} does not fit",
            line=line,
            field=fact.name,
            expected=EXPECTED[fact.kind],
        )
    return value


def _closing(cell: Cell | None) -> str | None:
    if cell is None:
        return None
    if not cell.text.strip():
        raise InputError("the closing is blank", field="closing", expected="text, or none")
    return cell.text


def _least_fitting(cell: Cell | None) -> int:
    if cell is None:
        return 1
    if not (cell.text.isascii() and cell.text.isdigit()) or len(cell.text) > _MOST_DIGITS:
        raise InputError(f"{cell.text!r} does not fit", field="least_fitting", expected="1 or more")
    return int(cell.text)


def _settings(cells: Mapping[str, Cell]) -> WorldSettings:
    try:
        return WorldSettings().changed({name: cell.text for name, cell in cells.items()})
    except InputError as error:
        cell = cells.get(error.field or "")
        raise error.at(line=None if cell is None else cell.line) from None
