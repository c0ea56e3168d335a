"""Checking plain JSON values against the part of JSON Schema that our own schemas use.

Known words: ``type``, ``const``, ``enum``, ``properties``, ``required``, ``additionalProperties``,
``items``, ``minItems``, ``maxItems``, ``minimum``, ``maximum``, ``pattern`` and ``minLength``, with
the meaning of JSON Schema 2020-12; a schema of ours that uses another word raises KeyError, so that
none is silently ignored.  ``title``, ``description`` and names that begin with ``$`` only inform.
"""

from __future__ import annotations

import difflib
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from turnsure.core.errors import InputError

Schema = Mapping[str, Any]

_TYPES: Mapping[str, Callable[[object], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_NAMES: Mapping[str, str] = {
    "null": "null",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "array": "a list",
    "object": "an object",
}
_SAYS_NOTHING = ("title", "description", "$schema", "$id", "$comment")


def check(value: object, schema: Schema, *, path: str = "") -> None:
    """Refuse a value that does not fit.

    Parameters
    ----------
    value
        As ``json.loads`` gives it.
    schema
        What it has to be.
    path
        Where the value stands, for the message: ``rule.answer_at``.

    Raises
    ------
    InputError
        Names the first place that does not fit, and what was expected there.
    """
    for word, wanted in schema.items():
        if word in _SAYS_NOTHING:
            continue
        _CHECKS[word](value, wanted, schema, path)


def _wrong(value: object, path: str, expected: str) -> InputError:
    return InputError(f"it is {reprlib.repr(value)}", field=path or None, expected=expected)


def _type(value: object, wanted: Any, schema: Schema, path: str) -> None:
    del schema
    kinds: Sequence[str] = [wanted] if isinstance(wanted, str) else wanted
    if not any(_TYPES[kind](value) for kind in kinds):
        raise _wrong(value, path, " or ".join(_NAMES[kind] for kind in kinds))


def _const(value: object, wanted: Any, schema: Schema, path: str) -> None:
    del schema
    if value != wanted or isinstance(value, bool) is not isinstance(wanted, bool):
        raise _wrong(value, path, repr(wanted))


def _enum(value: object, wanted: Any, schema: Schema, path: str) -> None:
    del schema
    if value not in wanted:
        raise _wrong(value, path, " or ".join(map(repr, wanted)))


def _properties(value: object, wanted: Any, schema: Schema, path: str) -> None:
    del schema
    if isinstance(value, dict):
        body = cast("dict[str, object]", value)
        for name, inner in wanted.items():
            if name in body:
                check(body[name], inner, path=_below(path, name))


def _required(value: object, wanted: Any, schema: Schema, path: str) -> None:
    del schema
    if isinstance(value, dict):
        for name in wanted:
            if name not in value:
                raise InputError(
                    "the field is missing", field=_below(path, name), expected="this field"
                )


def _additional(value: object, wanted: Any, schema: Schema, path: str) -> None:
    if not isinstance(value, dict):
        return
    known: Sequence[str] = list(schema.get("properties", {}))
    for name, inner in cast("dict[str, object]", value).items():
        if name in known:
            continue
        if wanted is False:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f", did you mean {near[0]!r}?" if near else ""
            raise InputError(
                f"unknown field{hint}", field=_below(path, name), expected=", ".join(known)
            )
        check(inner, wanted, path=_below(path, name))


def _items(value: object, wanted: Any, schema: Schema, path: str) -> None:
    del schema
    if isinstance(value, list):
        for place, inner in enumerate(cast("list[object]", value)):
            check(inner, wanted, path=f"{path}[{place}]")


def _min_items(value: object, wanted: Any, schema: Schema, path: str) -> None:
    del schema
    if _n_items(value, wanted) < wanted:
        raise _wrong(value, path, f"{wanted} items or more")


def _max_items(value: object, wanted: Any, schema: Schema, path: str) -> None:
    del schema
    if _n_items(value, wanted) > wanted:
        raise _wrong(value, path, f"{wanted} items or fewer")


def _n_items(value: object, otherwise: int) -> int:
    """Length of a list; what is none has whatever length fits."""
    return len(cast("list[object]", value)) if isinstance(value, list) else otherwise


def _minimum(value: object, wanted: Any, schema: Schema, path: str) -> None:
    del schema
    # Written so that NaN, which compares false with everything, does not fit.
    if _TYPES["number"](value) and not cast("float", value) >= wanted:
        raise _wrong(value, path, f"{wanted} or more")


def _maximum(value: object, wanted: Any, schema: Schema, path: str) -> None:
    del schema
    if _TYPES["number"](value) and not cast("float", value) <= wanted:
        raise _wrong(value, path, f"{wanted} or less")


def _pattern(value: object, wanted: Any, schema: Schema, path: str) -> None:
    if isinstance(value, str) and not re.search(wanted, value):
        raise _wrong(value, path, str(schema.get("description", f"a text that matches {wanted}")))


def _min_length(value: object, wanted: Any, schema: Schema, path: str) -> None:
    del schema
    if isinstance(value, str) and len(value) < wanted:
        raise _wrong(value, path, "a text that is not empty")


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


_CHECKS: Mapping[str, Callable[[object, Any, Schema, str], None]] = {
    "type": _type,
    "const": _const,
    "enum": _enum,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "minItems": _min_items,
    "maxItems": _max_items,
    "minimum": _minimum,
    "maximum": _maximum,
    "pattern": _pattern,
    "minLength": _min_length,
}
