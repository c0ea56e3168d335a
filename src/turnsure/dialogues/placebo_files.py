"""Placebo pools as a person writes them: TOML or JSON Lines; the formats are in docs/controls.md.

An entry is checked as a hint of a dialogue file is, so both say the same of the same mistake.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from turnsure.core.dialogue import Hint
from turnsure.core.errors import InputError

POOL_FORMAT = 1
"""The version of a TOML pool that is read."""

_TOML_PLACE = re.compile(r"\s*\(at line (\d+), column \d+\)")
_FIELDS = ("format", "hints")
_ENTRY = 'a statement in quotes, or {"question": text, "answer": text}'


def read_pool(file: Path) -> tuple[Hint, ...]:
    """Read the hints of a pool file, by its ending ``.toml`` or ``.jsonl``.

    Raises
    ------
    InputError
        The file cannot be read, or an entry is no hint; names the line or the entry, and the field.
    """
    parse = _PARSERS.get(file.suffix)
    if parse is None:
        raise InputError(
            f"the ending {file.suffix!r} is unknown", file=file, expected=".toml or .jsonl"
        )
    try:
        return parse(file.read_text(encoding="utf-8-sig"))
    except InputError as error:
        raise error.at(file=file) from None
    except FileNotFoundError:
        raise InputError("no such file", file=file, expected="a pool of placebo hints") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", file=file, expected="UTF-8 text") from error


def read_toml_pool(text: str) -> tuple[Hint, ...]:
    """Read the hints of a pool in TOML.

    Raises
    ------
    InputError
        This is no TOML, has another format or unknown fields, or an entry is no hint.
    """
    try:
        body = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        raise InputError(
            f"cannot be parsed ({_TOML_PLACE.sub('', str(error))})",
            line=int(place[1]) if place else None,
            expected="TOML",
        ) from None
    for name in body:
        if name not in _FIELDS:
            raise InputError("unknown field", field=name, expected=", ".join(_FIELDS))
    version = body.get("format", POOL_FORMAT)
    if type(version) is not int or version != POOL_FORMAT:
        raise InputError(
            f"format {version!r} is unknown", field="format", expected=str(POOL_FORMAT)
        )
    entries = body.get("hints")
    if not isinstance(entries, list):
        raise InputError("there is no list of hints", field="hints", expected=f"a list of {_ENTRY}")
    return tuple(
        _hint(entry, f"hints[{place}]") for place, entry in enumerate(cast("list[object]", entries))
    )


def _read_json_lines(text: str) -> tuple[Hint, ...]:
    return tuple(_hints_of_lines(text.split("\n")))


def _hints_of_lines(lines: list[str]) -> Iterator[Hint]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _hint(json.loads(line), "")
        except InputError as error:
            raise error.at(line=number) from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"this is not JSON ({error})", line=number, expected=_ENTRY) from None


def _hint(entry: object, place: str) -> Hint:
    """One entry as a hint; ``place`` stands before the field in a message."""
    from turnsure.dialogues.records import dialogue_record

    if isinstance(entry, str):
        entry = {"answer": entry}
    if not isinstance(entry, dict):
        raise InputError(f"{entry!r} is no hint", field=place or None, expected=_ENTRY)
    around: dict[str, Any] = {"id": "pool", "gold": ["pool"], "hints": [cast("object", entry)]}
    try:
        [record] = dialogue_record(around).hints
        return Hint(question=record.question, answer=record.answer)
    except InputError as error:
        field = (error.field or "").removeprefix("hints[0]").removeprefix(".")
        raise InputError(
            error.problem,
            field=".".join(part for part in (place, field) if part) or None,
            expected=error.expected,
        ) from None


_PARSERS: Mapping[str, Callable[[str], tuple[Hint, ...]]] = {
    ".toml": read_toml_pool,
    ".jsonl": _read_json_lines,
}
