"""A card as YAML text: plain values, and the line and column of each.

Values are those of JSON: ``no``, ``010`` and ``2026-01-31`` stay texts.  Anchors, aliases and tags
are refused, so that a short file cannot grow into a large value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import yaml

from turnsure.core.errors import InputError

MOST_CHARACTERS = 4_000_000
DEEPEST = 40
"""Levels of lists and mappings."""

Path = tuple[str | int, ...]
"""Names and places that lead to a value."""

_INTEGER = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})(?:\.\d+)?(?:[eE][-+]?\d{1,3})?")
_NULLS = frozenset({"", "~", "null"})
_TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place in a file; both count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a file says.

    Attributes
    ----------
    value
        Plain JSON values.
    marks
        Where each value begins, by its path.
    names
        Where the name of each field of a mapping begins, by the path of the field.
    """

    value: Any
    marks: Mapping[Path, Mark]
    names: Mapping[Path, Mark]

    def mark(self, path: Sequence[str | int], *, of_name: bool = False) -> Mark:
        """Where a path leads, or the nearest place above it."""
        for end in range(len(path), -1, -1):
            whole = tuple(path[:end])
            if of_name and whole in self.names:
                return self.names[whole]
            if whole in self.marks:
                return self.marks[whole]
        return Mark(line=1, column=1)


def path_text(path: Sequence[str | int]) -> str:
    """``reveals[2].say``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


def read_document(text: str) -> Document:
    """Read one YAML document.

    Raises
    ------
    InputError
        It is no YAML, holds several documents, a name twice, an alias or a tag, or is too deep or
        too long; names line and column.
    """
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"the file has {len(text):,} characters", expected=f"at most {MOST_CHARACTERS:,}"
        )
    try:
        root: Any = _Loader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        raise _error(
            f"cannot be parsed ({error.problem})", error.problem_mark, expected="YAML"
        ) from None
    except yaml.YAMLError:
        raise InputError("cannot be parsed", expected="YAML in characters that print") from None
    except RecursionError:
        raise InputError("this YAML is nested too deeply", expected="a scenario card") from None
    if root is None:
        raise InputError("the file is empty", line=1, column=1, expected="a scenario card")
    marks: dict[Path, Mark] = {}
    names: dict[Path, Mark] = {}
    value = _value(root, (), marks, names)
    return Document(value=value, marks=marks, names=names)


class _Loader(yaml.SafeLoader):
    """Composes nodes, which know their places; constructs nothing."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = cast("Any", self).peek_event()
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _error(
                "anchors and aliases are not read here",
                event.start_mark,
                expected="the value itself, or `defaults` of a suite",
            )
        if getattr(event, "tag", None) not in {None, "!"}:
            raise _error("tags are not read here", event.start_mark, expected="a value without one")
        return super().compose_node(parent, index)


def _value(node: Any, path: Path, marks: dict[Path, Mark], names: dict[Path, Mark]) -> Any:
    marks[path] = _mark(node.start_mark)
    if len(path) > DEEPEST:
        raise _error("this is nested too deeply", node.start_mark, path, f"{DEEPEST} levels")
    if isinstance(node, yaml.ScalarNode):
        return scalar(str(cast("object", node.value)), plain=node.style is None)
    if isinstance(node, yaml.SequenceNode):
        items = cast("list[Any]", node.value)
        return [_value(one, (*path, place), marks, names) for place, one in enumerate(items)]
    found: dict[str, Any] = {}
    for key, value in cast("list[tuple[Any, Any]]", node.value):
        if not isinstance(key, yaml.ScalarNode):
            raise _error("a name is a list or a mapping", key.start_mark, path, "a text")
        name = str(cast("object", key.value))
        whole = (*path, name)
        if name in found:
            first = names[whole]
            raise _error(
                f"the field stands here twice, first at line {first.line}",
                key.start_mark,
                whole,
                "each name once",
            )
        names[whole] = _mark(key.start_mark)
        found[name] = _value(value, whole, marks, names)
    return found


def scalar(text: str, *, plain: bool) -> Any:
    """The value of a text: a number, true, false or null where it stands without quotes."""
    if not plain:
        return text
    if text in _NULLS:
        return None
    if text in _TRUTHS:
        return _TRUTHS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _mark(mark: Any) -> Mark:
    return Mark(line=int(mark.line) + 1, column=int(mark.column) + 1)


def _error(problem: str, mark: Any, path: Path = (), expected: str | None = None) -> InputError:
    place = None if mark is None else _mark(mark)
    return InputError(
        problem,
        line=None if place is None else place.line,
        column=None if place is None else place.column,
        field=path_text(path) or None,
        expected=expected,
    )
