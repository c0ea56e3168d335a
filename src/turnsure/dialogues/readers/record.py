"""One record of a foreign file: fields by name, and errors that say where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import InputError

MOST_SHOWN = 60
"""Characters of a wrong value that a message repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A JSON object or a row of a table, with its place.

    Attributes
    ----------
    file
        Where it stands.
    body
        The fields; a missing one, None and (in tables) blank text all mean "absent".
    line
        Where it begins, from 1; None inside a JSON document that is not in lines.
    path
        Its place inside the document, such as ``questions[3]``; empty at the top.
    """

    file: Path
    body: Mapping[str, Any]
    line: int | None = None
    path: str = ""

    @property
    def place(self) -> str:
        """``games.jsonl, line 12`` or ``qanta.json, questions[3]``."""
        where = self.path if self.line is None else f"line {self.line}"
        return f"{self.file}, {where}" if where else str(self.file)

    def has(self, name: str) -> bool:
        """Whether the field holds anything."""
        value = self.body.get(name)
        return value is not None and not (isinstance(value, str) and not value.strip())

    def text(self, *names: str) -> str:
        """The text under the first of ``names`` that holds anything.

        Raises
        ------
        InputError
            None of them does, or it is no text.
        """
        found = self.text_or_none(*names)
        if found is None:
            raise self.error(
                "the field is missing or blank",
                field=names[0],
                expected=" or ".join(["non-blank text", *names[1:]]),
            )
        return found

    def text_or_none(self, *names: str) -> str | None:
        """The same, None where none of the fields holds anything."""
        for name in names:
            if self.has(name):
                return self._writable(name, self.body[name])
        return None

    def label(self, *names: str) -> str:
        """A text or a number, such as an id, as text.

        Raises
        ------
        InputError
            None of the fields holds anything, or it is neither.
        """
        found = self.label_or_none(*names)
        if found is None:
            raise self.error(
                "the field is missing or blank",
                field=names[0],
                expected=" or ".join(["text or a number", *names[1:]]),
            )
        return found

    def label_or_none(self, *names: str) -> str | None:
        """The same, None where none of the fields holds anything."""
        for name in names:
            if self.has(name):
                value = self.body[name]
                if isinstance(value, str):
                    return self._writable(name, value).strip()
                if isinstance(value, bool):
                    return str(value).lower()
                if isinstance(value, int | float):
                    return str(value)
                raise self.wrong(name, expected="text or a number")
        return None

    def labels(self, *names: str) -> dict[str, str]:
        """Of ``names`` those that hold anything, as texts."""
        found = {name: self.label_or_none(name) for name in names}
        return {name: value for name, value in found.items() if value is not None}

    def whole_number(self, name: str) -> int:
        """A whole number, or text that spells one.

        Raises
        ------
        InputError
            The field is missing or anything else.
        """
        value = self.body.get(name)
        if isinstance(value, str) and value.strip().isdecimal():
            return int(value)
        if type(value) is not int:
            raise self.wrong(name, expected="a whole number")
        return value

    def flag_or_none(self, name: str) -> bool | None:
        """True or false, None where the field holds nothing.

        Raises
        ------
        InputError
            It holds anything else.
        """
        value = self.body.get(name)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(name, expected="true or false")
        return value

    def items(self, name: str) -> Sequence[Any]:
        """A list.

        Raises
        ------
        InputError
            The field is missing or no list.
        """
        value = self.body.get(name)
        if not isinstance(value, list):
            raise self.wrong(name, expected="a list")
        return cast("list[Any]", value)

    def records(self, name: str) -> tuple[Record, ...]:
        """A list of objects.

        Raises
        ------
        InputError
            The field is missing, no list, or an item of it is no object.
        """
        return tuple(
            self._inside(f"{name}[{place}]", value) for place, value in enumerate(self.items(name))
        )

    def record(self, name: str) -> Record:
        """An object.

        Raises
        ------
        InputError
            The field is missing or no object.
        """
        return self._inside(name, self.body.get(name))

    def wrong(self, name: str, *, expected: str) -> InputError:
        """The error for a field that is missing or holds another kind of value."""
        if self.body.get(name) is None:
            return self.error("the field is missing", field=name, expected=expected)
        return self.error(f"{shown(self.body[name])} does not fit", field=name, expected=expected)

    def error(self, problem: str, *, field: str | None, expected: str) -> InputError:
        """The error that names file, line and the whole path of the field."""
        return InputError(
            problem, file=self.file, line=self.line, field=self._path(field), expected=expected
        )

    def placed(self, error: InputError) -> InputError:
        """An error of a dialogue made from this record, with the record's place in it."""
        if error.file is not None:
            return error
        return self.error(error.problem, field=error.field, expected=error.expected or "a dialogue")

    def _path(self, field: str | None) -> str | None:
        return ".".join(part for part in (self.path, field) if part) or None

    def _inside(self, name: str, value: Any) -> Record:
        path = self._path(name) or name
        if not isinstance(value, dict):
            problem = "the field is missing" if value is None else f"{shown(value)} does not fit"
            raise self.error(problem, field=name, expected="an object")
        return Record(file=self.file, line=self.line, path=path, body=cast("dict[str, Any]", value))

    def _writable(self, name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise self.wrong(name, expected="text")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise self.error(
                "the text holds half of a surrogate pair", field=name, expected="whole characters"
            ) from None
        return value


def shown(value: Any) -> str:
    """A wrong value as a message repeats it."""
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
