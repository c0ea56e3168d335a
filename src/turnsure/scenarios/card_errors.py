"""Problems of a card, each with the file, line and column, the field, and what was expected."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from turnsure.core.errors import InputError
from turnsure.scenarios.card_models import RULE_NAME, Card, known_fields
from turnsure.scenarios.card_text import Document, path_text
from turnsure.scenarios.wording import expected_of, problem_of

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

CardT = TypeVar("CardT", bound=Card)
Loc = tuple[str | int, ...]

_RULE_NAME = "a name of letters, digits and underscores, such as max_rent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file of cards as it was read: knows where everything stands.

    Attributes
    ----------
    file
        The file.
    document
        Its values and marks.
    """

    file: Path
    document: Document

    def error(
        self, problem: str, loc: Sequence[str | int], *, expected: str | None = None
    ) -> InputError:
        """A problem with the value at a path."""
        return self.placed(InputError(problem, expected=expected), loc)

    def placed(
        self, error: InputError, loc: Sequence[str | int], *, of_name: bool = False
    ) -> InputError:
        """The same problem at a path; what it says of a field below counts."""
        whole = (*loc, *self._below(loc, error.field))
        mark = self.document.mark(whole, of_name=of_name)
        return InputError(
            error.problem,
            file=self.file,
            line=mark.line,
            column=mark.column,
            field=path_text(loc) + (f".{error.field}" if error.field and loc else error.field or "")
            or None,
            expected=error.expected,
        )

    def _below(self, loc: Sequence[str | int], field: str | None) -> Loc:
        """A field's path below a place, where it is one of the document."""
        names: Loc = tuple(field.split(".")) if field else ()
        return names if (*loc, *names) in self.document.marks else ()

    def validated(self, model: type[CardT], value: Any, loc: Loc) -> CardT:
        """A value of the document as a card.

        Raises
        ------
        InputError
            For the first field that does not fit; further ones are counted.
        """
        try:
            return model.model_validate(value)
        except ValidationError as error:
            raise self._first(model, error.errors(include_url=False), loc) from None

    def _first(self, model: type[Card], problems: Sequence[ErrorDetails], loc: Loc) -> InputError:
        # A misspelt name is unknown and missing at once; only the former leads to the mistake.
        first = min(
            problems, key=lambda one: (one["type"] != "extra_forbidden", self._line(loc, one))
        )
        inner = tuple(part for part in first["loc"] if part != "[key]")
        whole = (*loc, *inner)
        is_name = first["type"] == "extra_forbidden" or "[key]" in first["loc"]
        missing = first["type"] == "missing"
        mark = self.document.mark(whole[:-1] if missing else whole, of_name=is_name)
        more = len(problems) - 1
        rest = f", and {more} more problem{'s' * (more > 1)} in this card" if more else ""
        return InputError(
            _problem(model, first, inner) + rest,
            file=self.file,
            line=mark.line,
            column=mark.column,
            field=path_text(whole) or None,
            expected=_expected(model, first, inner),
        )

    def _line(self, loc: Loc, one: ErrorDetails) -> tuple[int, int]:
        mark = self.document.mark((*loc, *one["loc"]))
        return mark.line, mark.column


def _problem(model: type[Card], one: ErrorDetails, loc: Loc) -> str:
    if one["type"] != "extra_forbidden":
        return problem_of(one)
    near = difflib.get_close_matches(str(loc[-1]), known_fields(model, loc), n=1)
    return f"unknown field, did you mean {near[0]!r}?" if near else "unknown field"


def _expected(model: type[Card], one: ErrorDetails, loc: Loc) -> str:
    if one["type"] == "extra_forbidden":
        return ", ".join(known_fields(model, loc))
    if "[key]" in one["loc"] or one.get("ctx", {}).get("pattern") == RULE_NAME:
        return _RULE_NAME
    return expected_of(one)
