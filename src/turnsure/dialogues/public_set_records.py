"""A table of public sets as a person writes it: what pydantic checks before it is used."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from turnsure.core.errors import InputError

Said = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

_EXPECTED: Mapping[str, str] = {
    "sets": "one set or more, each under [[sets]]",
    "files": "files, each under [[sets.files]]",
    "name": "a name of letters, digits, '.', '_' and '-' that begins with a letter or digit",
    "url": "an address that begins with https:// or http://",
    "home": "an address that begins with https:// or http://",
    "sha256": "64 hexadecimal digits, in small letters",
    "bytes": "a whole number from 1",
}
_TEXT = "text in quotes"

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][\w.-]*$")]
Address = Annotated[str, StringConstraints(pattern=r"^https?://\S+$")]


class FileRecord(BaseModel):
    """One file of a set."""

    model_config = ConfigDict(strict=True, extra="forbid")

    name: Name
    url: Address
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    bytes: Annotated[int, Field(ge=1)]


class SetRecord(BaseModel):
    """One set."""

    model_config = ConfigDict(strict=True, extra="forbid")

    name: Name
    title: Said
    licence: Said
    home: Address
    form: Said
    use: Said
    note: Said | None = None
    files: list[FileRecord] = Field(default_factory=list[FileRecord])


class TableRecord(BaseModel):
    """A whole table, without its format number."""

    model_config = ConfigDict(strict=True, extra="forbid")

    sets: Annotated[list[SetRecord], Field(min_length=1)]


def table_record(body: Mapping[str, Any]) -> TableRecord:
    """Check a table.

    Raises
    ------
    InputError
        For the first field that does not fit, with its path and what it should hold.
    """
    try:
        return TableRecord.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
    name = next(str(part) for part in reversed(first["loc"]) if isinstance(part, str))
    problems = {"missing": "the field is missing", "extra_forbidden": "unknown field"}
    known = {"files": FileRecord, "sets": SetRecord}
    holder = next((known[str(part)] for part in first["loc"][-3::-1] if part in known), TableRecord)
    raise InputError(
        problems.get(first["type"], f"{reprlib.repr(first['input'])} does not fit"),
        field="".join(parts).removeprefix("."),
        expected=", ".join(holder.model_fields)
        if first["type"] == "extra_forbidden"
        else _EXPECTED.get(name, _TEXT),
    )
