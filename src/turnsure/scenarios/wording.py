"""What pydantic found wrong, in the words of a card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

MOST_SHOWN = 60
"""Characters of a wrong value that a message repeats."""

_EXPECTED: Mapping[str, str] = {
    "string_type": "a text",
    "string_too_short": "a text that is not blank",
    "string_pattern_mismatch": "a text that is not blank",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "names and values",
    "model_type": "names and values",
    "model_attributes_type": "names and values",
    "missing": "this field",
    "too_short": "one or more",
}
_BOUNDS: Mapping[str, str] = {
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "{le} or less",
    "literal_error": "{expected}",
}


def problem_of(one: ErrorDetails) -> str:
    """What is wrong."""
    if one["type"] == "missing":
        return "the field is missing"
    if one["type"] == "too_short":
        return "the list is empty"
    shown = "null" if one["input"] is None else repr(one["input"])
    cut = shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"
    return f"{cut} does not fit"


def expected_of(one: ErrorDetails) -> str:
    """What would have been right."""
    kind = one["type"]
    if kind in _BOUNDS:
        return _BOUNDS[kind].format(**one.get("ctx", {}))
    return _EXPECTED.get(kind) or one["msg"].removeprefix("Input should be ")
