"""Kinds of facts, and the questions that a column of a world's table gives.

A question divides the entities: each has exactly one answer.  So the candidates that fit some hints
are the common ones of as many sets, and a set of entities is kept as the bits of one integer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from turnsure.core.errors import InputError

Value: TypeAlias = str | bool | tuple[str, ...]
"""One cell: a text, yes or no, or a list of texts."""

YES, NO = "yes", "no"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One of a question's answers.

    Attributes
    ----------
    said
        After the question.
    statement
        The same as a sentence that needs no question.
    fits
        The entities of which it is true: bit i stands for entity i.
    """

    said: str
    statement: str
    fits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question and all answers to it that some entity has.

    Attributes
    ----------
    fact
        The name of the fact that it asks for.
    text
        What is asked.
    answers
        They fit different entities, and together all.
    """

    fact: str
    text: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueFact:
    """A fact with one text for each entity, such as a continent.

    Attributes
    ----------
    name
        Of the column.
    question
        What is asked.
    statement
        The clue, with ``{value}`` for the text.
    """

    name: str
    question: str
    statement: str
    kind: ClassVar[Literal["value"]] = "value"

    def __post_init__(self) -> None:
        _need(self.name, "question", self.question)
        _need(self.name, "statement", self.statement, "{value}")

    def takes(self, value: Value) -> bool:
        """Whether a cell may hold the value."""
        return isinstance(value, str) and bool(value.strip())

    def questions(self, column: Sequence[Value]) -> list[Question]:
        """One question, an answer for each different text."""
        texts = [str(value) for value in column]
        answers = [
            Answer(
                said=text,
                statement=self.statement.replace("{value}", text),
                fits=_bits(one == text for one in texts),
            )
            for text in dict.fromkeys(texts)
        ]
        return [Question(fact=self.name, text=self.question, answers=tuple(answers))]


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNoFact:
    """A fact that holds of an entity or does not.

    Attributes
    ----------
    name
        Of the column.
    question
        What is asked.
    if_yes, if_no
        The clue where it holds, and where it does not.
    """

    name: str
    question: str
    if_yes: str
    if_no: str
    kind: ClassVar[Literal["yes_no"]] = "yes_no"

    def __post_init__(self) -> None:
        for field in ("question", "if_yes", "if_no"):
            _need(self.name, field, getattr(self, field))

    def takes(self, value: Value) -> bool:
        """Whether a cell may hold the value."""
        return isinstance(value, bool)

    def questions(self, column: Sequence[Value]) -> list[Question]:
        """One question with the answers yes and no."""
        held = [value is True for value in column]
        return [_yes_no(self.name, self.question, self.if_yes, self.if_no, held)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFact:
    """A fact with any number of items for each entity, such as neighbours.

    Attributes
    ----------
    name
        Of the column.
    question
        What is asked of one item, with ``{item}``.
    if_yes, if_no
        The clue for an item that is in the list, and for one that is not, with ``{item}``.
    """

    name: str
    question: str
    if_yes: str
    if_no: str
    kind: ClassVar[Literal["list"]] = "list"

    def __post_init__(self) -> None:
        for field in ("question", "if_yes", "if_no"):
            _need(self.name, field, getattr(self, field), "{item}")

    def takes(self, value: Value) -> bool:
        """Whether a cell may hold the value."""
        return (
            isinstance(value, tuple)
            and all(item.strip() for item in value)
            and len(set(value)) == len(value)
        )

    def questions(self, column: Sequence[Value]) -> list[Question]:
        """One question with the answers yes and no for each item that an entity has."""
        lists = [value for value in column if isinstance(value, tuple)]
        items = dict.fromkeys(item for one in lists for item in one)
        return [
            _yes_no(
                self.name,
                self.question.replace("{item}", item),
                self.if_yes.replace("{item}", item),
                self.if_no.replace("{item}", item),
                [item in one for one in lists],
            )
            for item in items
        ]


Fact: TypeAlias = ValueFact | YesNoFact | ListFact


def _yes_no(fact: str, text: str, if_yes: str, if_no: str, held: Sequence[bool]) -> Question:
    return Question(
        fact=fact,
        text=text,
        answers=(
            Answer(said=YES, statement=if_yes, fits=_bits(held)),
            Answer(said=NO, statement=if_no, fits=_bits(not one for one in held)),
        ),
    )


def _bits(held: Iterable[bool]) -> int:
    return sum(1 << place for place, one in enumerate(held) if one)


def _need(fact: str, field: str, wording: str, slot: str = "") -> None:
    if not wording.strip():
        raise InputError("the wording is blank", field=f"{fact}.{field}", expected="text")
    if slot not in wording:
        raise InputError(
            f"the wording has no {slot}", field=f"{fact}.{field}", expected=f"{slot} in it"
        )
