"""A dialogue as a person writes it: what pydantic checks before a Dialogue is made."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from turnsure.core.errors import InputError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

MOST_SHOWN = 60
"""Characters of a wrong value that a message repeats."""

_HINT_SHAPE = '{"question": text or null, "answer": text}'
_EXPECTED = {
    "id": "text in quotes",
    "task": "text in quotes, or null",
    "closing": "text in quotes, or null",
    "gold": "a list of one accepted answer or more, each a text in quotes",
    "hints": f"a list of one hint or more, each {_HINT_SHAPE}",
    "meta": "an object that holds texts only",
    "candidates": "a list of answers, each a text in quotes",
    "remaining": "for each hint a list of places in candidates, counted from 0",
    "question": "text in quotes, or null for a plain clue",
    "answer": "text in quotes",
    "corrects": "the number of an earlier turn, or null",
}


def _writable(text: str) -> str:
    """Refuse half a surrogate pair: no file and no model could hold it."""
    text.encode("utf-8")
    return text


Text = Annotated[str, AfterValidator(_writable)]


class HintRecord(BaseModel):
    """One hint."""

    model_config = ConfigDict(strict=True, extra="forbid")

    question: Text | None = None
    answer: Text
    corrects: int | None = None


class DialogueRecord(BaseModel):
    """One line of a file, without its format number."""

    model_config = ConfigDict(strict=True, extra="forbid")

    id: Text
    task: Text | None = None
    closing: Text | None = None
    gold: Annotated[list[Text], Field(min_length=1)]
    hints: Annotated[list[HintRecord], Field(min_length=1)]
    meta: dict[Text, Text] = Field(default_factory=dict[str, str])
    candidates: list[Text] = Field(default_factory=list[str])
    remaining: list[list[int]] = Field(default_factory=list[list[int]])


def dialogue_record(body: Mapping[str, Any]) -> DialogueRecord:
    """Check one object.

    Raises
    ------
    InputError
        For the first field that does not fit, with its path and what it should hold; further
        ones are counted.
    """
    try:
        return DialogueRecord.model_validate(body)
    except ValidationError as error:
        raise _first_problem(error.errors(include_url=False)) from None


def _first_problem(problems: Sequence[ErrorDetails]) -> InputError:
    # A misspelt name is unknown and missing at once; only the former leads to the mistake.
    first = min(problems, key=lambda one: one["type"] != "extra_forbidden")
    more = len(problems) - 1
    rest = f", and {more} more problem{'s' * (more > 1)} in this line" if more else ""
    return InputError(
        _problem(first) + rest,
        field=_path(first["loc"]),
        expected=_expected(first["type"], first["loc"]),
    )


def _problem(one: ErrorDetails) -> str:
    match one["type"]:
        case "missing":
            return "the field is missing"
        case "extra_forbidden":
            near = difflib.get_close_matches(str(one["loc"][-1]), _known_beside(one["loc"]), n=1)
            return f"unknown field, did you mean {near[0]!r}?" if near else "unknown field"
        case "too_short":
            return "the list is empty"
        case "value_error":
            return "the text holds half of a surrogate pair"
        case _:
            shown = repr(one["input"])
            cut = shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"
            return f"{cut} does not fit"


def _expected(kind: str, loc: tuple[int | str, ...]) -> str:
    if kind == "extra_forbidden":
        return ", ".join(_known_beside(loc))
    match loc:
        case ("gold", _):
            return "text in quotes"
        case ("hints", int()):
            return _HINT_SHAPE
        case ("hints", _, name, *_):
            return _EXPECTED[str(name)]
        case ("meta", *_, "[key]") | ("meta", _):
            return "text in quotes"
        case (name, *_):
            return _EXPECTED[str(name)]
        case _:
            return "an object with these fields: " + ", ".join(_known_beside(()))


def _known_beside(loc: tuple[int | str, ...]) -> list[str]:
    """Names that may stand where an unknown one stands."""
    if len(loc) > 1:
        return list(HintRecord.model_fields)
    return [*DialogueRecord.model_fields, "format"]


def _path(loc: tuple[int | str, ...]) -> str:
    """``hints[2].answer``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return "".join(parts).removeprefix(".")
