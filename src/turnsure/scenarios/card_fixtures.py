"""Tables of a card: inline, or from a JSON or CSV file beside it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import without_doubles
from turnsure.scenarios.card_text import scalar

MOST_BYTES = 16_000_000


def table(value: Any, *, beside: Path) -> Any:
    """A table: the value itself, or what the file holds that it names.

    Parameters
    ----------
    value
        As the card has it; ``{file: NAME}`` names a file.
    beside
        The card's folder.

    Raises
    ------
    InputError
        The file cannot be read, or holds no table.
    """
    named: Mapping[str, Any] = (
        cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else dict[str, Any]()
    )
    if set(named) != {"file"}:
        return cast("Any", value)
    name = named["file"]
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{name!r} names no file", field="file", expected="a .json or .csv file")
    path = beside / name
    if path.suffix not in {".json", ".csv"}:
        raise InputError(f"{name} ends otherwise", field="file", expected=".json or .csv")
    text = _text(path, name)
    return _json(text, name) if path.suffix == ".json" else _csv(text, name)


def _text(path: Path, name: str) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(
                f"{name} is too large", field="file", expected=f"at most {MOST_BYTES:,} bytes"
            )
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start + 1} of {name} is not UTF-8", field="file", expected="UTF-8"
        ) from None
    except FileNotFoundError:
        raise InputError(
            f"there is no file {name} beside the card", field="file", expected=str(path)
        ) from None
    except OSError as error:
        raise InputError(f"{name} cannot be read ({error.strerror})", field="file") from None


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=without_doubles)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{name}, line {error.lineno}, column {error.colno}: cannot be parsed ({error.msg})",
            field="file",
            expected="JSON",
        ) from None
    except RecursionError:
        raise InputError(f"{name} is nested too deeply", field="file", expected="JSON") from None


def _csv(text: str, name: str) -> list[dict[str, Any]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [one.strip() for one in next(reader, list[str]())]
        if not all(header) or len(set(header)) != len(header) or not header:
            raise InputError(
                f"the header of {name} is {header}", field="file", expected="a name a column"
            )
        rows: list[dict[str, Any]] = []
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                raise InputError(
                    f"{name}, line {reader.line_num}: {len(cells)} cells for {len(header)} columns",
                    field="file",
                    expected="a cell a column",
                )
            rows.append(
                {
                    column: scalar(cell.strip(), plain=True)
                    for column, cell in zip(header, cells, strict=True)
                }
            )
    except csv.Error as error:
        raise InputError(
            f"{name}, line {reader.line_num}: cannot be parsed ({error})",
            field="file",
            expected="CSV",
        ) from None
    return rows
