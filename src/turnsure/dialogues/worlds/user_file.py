"""A world of one's own, from one YAML or CSV file; the formats are in ``docs/worlds.md``."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from turnsure.core.errors import InputError
from turnsure.dialogues.worlds.draft import (
    TEXTS,
    WORDINGS,
    Cell,
    EntityDraft,
    FactDraft,
    WorldDraft,
    kind_of,
    known_name,
    world_of,
)
from turnsure.dialogues.worlds.settings import WorldSettings

if TYPE_CHECKING:
    from turnsure.dialogues.worlds.world import World

MARK = "#"
"""A row of a CSV file that is no entity begins with it."""

BETWEEN = "|"
"""Between the names of an entity, and the items of a list, in a cell of a CSV file."""

_SETTINGS = tuple(one.name for one in fields(WorldSettings))
_WORDINGS = ("kind", *dict.fromkeys(name for names in WORDINGS.values() for name in names))


def read_world(path: str | Path) -> World:
    """Read and check a world.

    Parameters
    ----------
    path
        A file that ends in ``.yaml``, ``.yml`` or ``.csv``.

    Raises
    ------
    InputError
        The file cannot be read, or something in it does not fit; it names line and field.
    """
    file = Path(path)
    try:
        return world_of(_draft(file), name=file.stem)
    except InputError as error:
        raise error.at(file=file) from None


def _draft(file: Path) -> WorldDraft:
    if file.suffix == ".csv":
        return csv_draft(_text(file))
    if file.suffix in {".yaml", ".yml"}:
        from turnsure.dialogues.worlds.user_yaml import yaml_draft

        return yaml_draft(_text(file))
    raise InputError(f"the ending {file.suffix!r} is unknown", expected=".yaml, .yml or .csv")


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start + 1} is not UTF-8", expected="UTF-8") from None
    except FileNotFoundError:
        raise InputError("no such file", expected="a world in YAML or CSV") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})") from error


def csv_draft(text: str) -> WorldDraft:
    """What a CSV file says: a header, rows that begin with ``#``, and a row for each entity."""
    rows = list(_rows(text))
    if not rows:
        raise InputError("the file is empty", expected="a header: name, then the facts")
    first, header = rows[0]
    columns = _columns(header, first)
    texts: dict[str, Cell] = {}
    settings: dict[str, Cell] = {}
    wordings: dict[str, dict[str, Cell]] = {name: {} for name in columns}
    seen: set[str] = set()
    known = (*_WORDINGS, *TEXTS, *_SETTINGS)
    for line, cells in rows[1:]:
        if not cells[0].startswith(MARK):
            continue
        name = known_name(cells[0][1:].strip(), known, line=line, field=cells[0])
        if name in seen:
            raise InputError(
                "the row stands here twice", line=line, field=cells[0], expected="each name once"
            )
        seen.add(name)
        if name in _WORDINGS:
            for column, cell in _by_column(columns, cells, line).items():
                if cell.text.strip():
                    wordings[column][name] = cell
        else:
            value, *rest = cells[1:] or [""]
            if any(one.strip() for one in rest):
                raise InputError(
                    "the row has a second value", line=line, field=cells[0], expected="one cell"
                )
            (texts if name in TEXTS else settings)[name] = Cell(text=value, line=line)
    facts = {name: FactDraft(line=first, texts=one) for name, one in wordings.items()}
    kinds = {name: kind_of(name, fact) for name, fact in facts.items()}
    entities = tuple(
        _entity(columns, kinds, cells, line)
        for line, cells in rows[1:]
        if not cells[0].startswith(MARK)
    )
    return WorldDraft(texts=texts, settings=settings, facts=facts, entities=entities)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with the line where it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    begins = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield begins, row
            begins = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"cannot be parsed ({error})", line=begins, expected="CSV") from None


def _columns(header: list[str], line: int) -> list[str]:
    if header[0].strip() != "name":
        raise InputError(
            f"the first column is {header[0]!r}", line=line, field="name", expected="name"
        )
    columns = [name.strip() for name in header[1:]]
    for place, name in enumerate(columns):
        if not name or name in columns[:place]:
            raise InputError(
                f"column {place + 2} has no name" if not name else "the column stands here twice",
                line=line,
                field=name or None,
                expected="a name of its own for each fact",
            )
    return columns


def _by_column(columns: list[str], cells: list[str], line: int) -> dict[str, Cell]:
    if len(cells) > len(columns) + 1:
        raise InputError(
            f"the row has {len(cells)} cells for {len(columns) + 1} columns",
            line=line,
            expected="a cell a column; a text that holds a comma stands in quotes",
        )
    return {
        name: Cell(text=cell, line=line) for name, cell in zip(columns, cells[1:], strict=False)
    }


def _entity(
    columns: list[str], kinds: Mapping[str, str], cells: list[str], line: int
) -> EntityDraft:
    values = {
        name: _items(cell) if kinds[name] == "list" else cell
        for name, cell in _by_column(columns, cells, line).items()
    }
    names = tuple(Cell(text=name.strip(), line=line) for name in cells[0].split(BETWEEN))
    return EntityDraft(line=line, names=names, values=values)


def _items(cell: Cell) -> tuple[Cell, ...]:
    if not cell.text.strip():
        return ()
    return tuple(Cell(text=one.strip(), line=cell.line) for one in cell.text.split(BETWEEN))
