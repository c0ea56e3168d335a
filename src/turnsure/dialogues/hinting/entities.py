"""Secrets from a file: text with a name a line, CSV, or JSON Lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from turnsure.core.built import Secret
from turnsure.core.dialogue import NOTE
from turnsure.core.errors import InputError
from turnsure.dialogues.english import plain
from turnsure.dialogues.english_lists import NO, YES
from turnsure.dialogues.readers.files import csv_records, json_records
from turnsure.dialogues.readers.record import Record, shown

BETWEEN = "|"
"""Between a name and its aliases in a line or cell."""

_LEAST_LETTERS = 2
_FIELDS = ("name", "aliases", "category", "meta")

Row = tuple[int, tuple[str, ...], Mapping[str, str]]
"""Line, names and meta."""


def read_secrets(
    file: Path,
    *,
    prefix: str,
    limit: int | None = None,
    normalise: Callable[[str], str] = plain,
) -> tuple[Secret, ...]:
    """Read the entities of a file; its ending says which kind it is.

    ``.csv`` has a column ``name`` and may have ``aliases`` (parted by ``|``), and every other
    column goes into the meta; ``.jsonl`` has objects with ``name`` and perhaps ``aliases`` (a
    list), ``category`` (a text) and ``meta`` (an object of texts); any other file has a line
    ``name | alias | alias`` an entity.

    Parameters
    ----------
    file
        The file.
    prefix
        What ids begin with; the number of the entity follows.
    limit
        Only the first so many; later ones are read and checked all the same.
    normalise
        The normal form of a name: two entities with a name in common are one.

    Raises
    ------
    InputError
        The file cannot be read or holds no entity; a name is blank, too short to be kept secret,
        or stands twice.  Names the line and the field.
    """
    rows = {".csv": _csv_rows, ".jsonl": _json_rows, ".ndjson": _json_rows}.get(
        file.suffix.lower(), _text_rows
    )
    line_of: dict[str, int] = {}
    secrets: list[Secret] = []
    for line, names, meta in rows(file):
        try:
            _check_names(names, line, line_of, normalise)
        except InputError as error:
            raise error.at(file=file, line=line) from None
        secrets.append(Secret(id=f"{prefix}-{len(secrets) + 1}", names=names, meta=meta))
    if not secrets:
        raise InputError("the file holds no entity", file=file, expected="a name a line")
    return tuple(secrets[:limit])


def _check_names(
    names: tuple[str, ...], line: int, line_of: dict[str, int], normalise: Callable[[str], str]
) -> None:
    for place, name in enumerate(names):
        field = "name" if place == 0 else "aliases"
        bare = normalise(name)
        if len(bare.replace(" ", "")) < _LEAST_LETTERS or bare in YES | NO:
            raise InputError(
                f"{name!r} cannot be kept secret: no rule can tell it from other words",
                field=field,
                expected="two letters or more, and not yes or no",
            )
        earlier = line_of.setdefault(bare, line)
        if earlier != line:
            raise InputError(
                f"{name!r} stands in line {earlier} already",
                field=field,
                expected="each entity once, and no name for two",
            )


def _text_rows(file: Path) -> Iterator[Row]:
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        raise InputError("no such file", file=file, expected="entities, one a line") from None
    except IsADirectoryError:
        raise InputError("this is a folder", file=file, expected="entities, one a line") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=file) from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise InputError("this is not UTF-8", file=file, line=number, expected="UTF-8") from error
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, *aliases = (part.strip() for part in line.split(BETWEEN))
        yield number, _names(name, aliases, file, number), {}


def _csv_rows(file: Path) -> Iterator[Row]:
    for record in csv_records(file, needed=("name",)):
        if isinstance(record, InputError):
            raise record
        line = record.line or 0
        name = record.text("name").strip()
        told = record.text_or_none("aliases")
        aliases = [] if told is None else [part.strip() for part in told.split(BETWEEN)]
        others = [column for column in record.body if column not in ("name", "aliases")]
        yield line, _names(name, aliases, file, line), _meta(record.labels(*others), record)


def _json_rows(file: Path) -> Iterator[Row]:
    for record in json_records(file):
        if isinstance(record, InputError):
            raise record
        unknown = next((name for name in record.body if name not in _FIELDS), None)
        if unknown is not None:
            raise record.error("unknown field", field=unknown, expected=", ".join(_FIELDS))
        aliases = [_text(record, one) for one in _aliases(record)]
        line = record.line or 0
        names = _names(record.text("name").strip(), aliases, file, line)
        yield line, names, _json_meta(record)


def _aliases(record: Record) -> list[Any]:
    return list(record.items("aliases")) if record.has("aliases") else []


def _text(record: Record, value: Any) -> str:
    if not isinstance(value, str):
        raise record.error(f"{shown(value)} is no text", field="aliases", expected="texts")
    return value.strip()


def _json_meta(record: Record) -> Mapping[str, str]:
    given = record.body.get("meta")
    if given is not None and not isinstance(given, dict):
        raise record.wrong("meta", expected="an object of texts")
    meta = cast("dict[str, Any]", given or {})
    for name, value in meta.items():
        if not isinstance(value, str):
            raise record.error(
                f"{shown(value)} is no text", field=f"meta.{name}", expected="a text"
            )
    return _meta({**record.labels("category"), **meta}, record)


def _meta(meta: Mapping[str, str], record: Record) -> Mapping[str, str]:
    reserved = next((name for name in meta if name.startswith(NOTE)), None)
    if reserved is not None:
        raise record.error(
            f"names that begin with {NOTE!r} are kept for controls",
            field=reserved,
            expected="another name",
        )
    return meta


def _names(name: str, aliases: list[str], file: Path, line: int) -> tuple[str, ...]:
    """All names, each once; none of them blank."""
    for field, text in (("name", name), *(("aliases", alias) for alias in aliases)):
        if not text:
            raise InputError(
                "a name is blank", file=file, line=line, field=field, expected="a name"
            )
    return tuple(dict.fromkeys((name, *aliases)))
