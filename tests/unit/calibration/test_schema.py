"""The part of JSON Schema that our own schemas use."""

from __future__ import annotations

from typing import Any

import pytest

from turnsure.calibration.gate_file import gate_schema
from turnsure.calibration.schema import check
from turnsure.core.errors import InputError


def refusal(value: object, schema: dict[str, Any]) -> InputError:
    with pytest.raises(InputError) as caught:
        check(value, schema)
    return caught.value


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("null", [None], [0, "", False]),
        ("boolean", [True, False], [0, 1, "true"]),
        ("integer", [0, -3], [True, 1.5, "1"]),
        ("number", [0, 1.5], [True, "1"]),
        ("string", ["", "a"], [1, None]),
        ("array", [[], [1]], [{}, "a"]),
        ("object", [{}, {"a": 1}], [[], None]),
    ],
)
def test_types(kind, good, bad):
    for value in good:
        check(value, {"type": kind})
    for value in bad:
        refusal(value, {"type": kind})


def test_one_of_several_types():
    check(None, {"type": ["null", "number"]})
    assert refusal("1", {"type": ["null", "number"]}).expected == "null or a number"


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_range_refuses_what_is_outside_and_what_is_no_number(value):
    check(0, {"minimum": 0, "maximum": 1})
    check(1.0, {"minimum": 0, "maximum": 1})
    refusal(value, {"minimum": 0, "maximum": 1})


def test_constants_and_choices():
    check("a", {"const": "a"})
    refusal(True, {"const": 1})
    refusal("b", {"const": "a"})
    check("b", {"enum": ["a", "b"]})
    assert refusal("c", {"enum": ["a", "b"]}).expected == "'a' or 'b'"


def test_the_place_of_a_mistake_is_told():
    schema = {
        "properties": {"a": {"properties": {"b": {"items": {"type": "integer"}}}}},
    }
    check({"a": {"b": [1, 2]}}, schema)
    assert refusal({"a": {"b": [1, "2"]}}, schema).field == "a.b[1]"


def test_missing_and_unknown_fields():
    schema = {
        "additionalProperties": False,
        "properties": {"name": {}},
        "required": ["name"],
    }
    check({"name": 1}, schema)
    assert refusal({}, schema).field == "name"
    assert "did you mean 'name'" in str(refusal({"nmae": 1}, schema))
    assert refusal({"a": 1}, {"additionalProperties": {"type": "string"}}).field == "a"


def test_lengths_and_patterns():
    check([1, 2], {"minItems": 2, "maxItems": 2})
    refusal([1], {"minItems": 2})
    refusal([1, 2, 3], {"maxItems": 2})
    refusal("", {"minLength": 1})
    check("2026-01-01", {"pattern": r"^\d{4}-\d{2}-\d{2}$"})
    refusal("tomorrow", {"pattern": r"^\d{4}-\d{2}-\d{2}$"})


def test_rules_for_one_type_leave_others_alone():
    check("text", {"minimum": 3, "items": {"type": "null"}, "required": ["a"], "minItems": 1})


def test_a_word_that_is_not_known_is_not_passed_over():
    with pytest.raises(KeyError):
        check(1, {"exclusiveMinimum": 0})


def test_the_published_schema_uses_known_words_only():
    """Every part of it is applied to a value of some type."""

    def walk(schema: dict[str, Any]) -> int:
        inner = [*schema.get("properties", {}).values()]
        inner += [
            one
            for name in ("items", "additionalProperties")
            if isinstance(one := schema.get(name), dict)
        ]
        for kind in ("x", 1, [], {}, None):
            try:
                check(kind, schema)
            except InputError:
                continue
        return 1 + sum(walk(one) for one in inner)

    assert walk(dict(gate_schema())) > 60
