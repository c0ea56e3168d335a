"""A world in YAML, read as texts with their lines: ``no`` and ``010`` stay what they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import yaml

from turnsure.core.errors import InputError
from turnsure.dialogues.worlds.draft import (
    TEXTS,
    Cell,
    EntityDraft,
    FactDraft,
    WorldDraft,
    known_name,
)

_TOP = (*TEXTS, "settings", "facts", "entities")
_NULL = "tag:yaml.org,2002:null"


def yaml_draft(text: str) -> WorldDraft:
    """What a YAML file says.

    Raises
    ------
    InputError
        It is no YAML, or a part of it has the wrong shape.
    """
    try:
        # Nothing is constructed: nodes know their lines, and keep a text as it was written.
        root: Any = yaml.SafeLoader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        line = None if error.problem_mark is None else error.problem_mark.line + 1
        raise InputError(
            f"cannot be parsed ({error.problem})", line=line, expected="YAML"
        ) from None
    except yaml.YAMLError:
        raise InputError("cannot be parsed", expected="YAML in characters that print") from None
    except RecursionError:
        raise InputError("this YAML is nested too deeply", expected="a world") from None
    if root is None:
        raise InputError("the file is empty", expected=", ".join(_TOP))
    top = {
        known_name(name.text, _TOP, line=name.line): node for name, node in _pairs(root, field=None)
    }
    for name in ("facts", "entities"):
        if name not in top:
            raise InputError("the field is missing", line=1, field=name, expected=", ".join(_TOP))
    facts = {
        name.text: FactDraft(line=name.line, texts=_cells(node, field=f"facts.{name.text}"))
        for name, node in _pairs(top["facts"], field="facts")
    }
    return WorldDraft(
        texts={name: _cell(top[name], field=name) for name in TEXTS if name in top},
        settings=_cells(top["settings"], field="settings") if "settings" in top else {},
        facts=facts,
        entities=tuple(
            _entity(node, tuple(facts), field=f"entities[{place}]")
            for place, node in enumerate(_list(top["entities"], field="entities"))
        ),
    )


def _entity(node: Any, facts: tuple[str, ...], *, field: str) -> EntityDraft:
    names: tuple[Cell, ...] = ()
    values: dict[str, Cell | tuple[Cell, ...]] = {}
    meta: dict[str, Cell] = {}
    for key, value in _pairs(node, field=field):
        name = key.text
        known_name(name, ("name", *facts, "meta"), line=key.line, field=f"{field}.{name}")
        if name == "name":
            found = _cell_or_cells(value, field=f"{field}.name")
            names = (found,) if isinstance(found, Cell) else found
        elif name == "meta":
            meta = _cells(value, field=f"{field}.meta")
        else:
            values[name] = _cell_or_cells(value, field=f"{field}.{name}")
    return EntityDraft(line=_line(node), names=names, values=values, meta=meta)


def _cell_or_cells(node: Any, *, field: str) -> Cell | tuple[Cell, ...]:
    if isinstance(node, yaml.SequenceNode):
        items = _list(node, field=field)
        return tuple(_cell(one, field=f"{field}[{place}]") for place, one in enumerate(items))
    return _cell(node, field=field)


def _cells(node: Any, *, field: str) -> dict[str, Cell]:
    return {
        name.text: _cell(one, field=f"{field}.{name.text}")
        for name, one in _pairs(node, field=field)
    }


def _cell(node: Any, *, field: str) -> Cell:
    if not isinstance(node, yaml.ScalarNode):
        raise InputError("this is no text", line=_line(node), field=field, expected="text")
    text = "" if node.tag == _NULL else str(cast("object", node.value))
    return Cell(text=text, line=_line(node))


def _pairs(node: Any, *, field: str | None) -> Iterator[tuple[Cell, Any]]:
    """Names and values of a mapping; a name that stands twice is refused."""
    if not isinstance(node, yaml.MappingNode):
        raise InputError(
            "this is no mapping", line=_line(node), field=field, expected="names and values"
        )
    seen: set[str] = set()
    for key, value in cast("list[tuple[Any, Any]]", node.value):
        cell = _cell(key, field=field or "the name of a field")
        name = cell.text
        if name in seen:
            raise InputError(
                "the field stands here twice",
                line=cell.line,
                field=name if field is None else f"{field}.{name}",
                expected="each name once",
            )
        seen.add(name)
        yield cell, value


def _list(node: Any, *, field: str) -> list[Any]:
    if not isinstance(node, yaml.SequenceNode):
        raise InputError("this is no list", line=_line(node), field=field, expected="a list")
    return cast("list[Any]", node.value)


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1
