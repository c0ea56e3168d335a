"""The expressions of cards: what they read, and that none fails in silence."""

from __future__ import annotations

import pytest

from turnsure.core.errors import InputError
from turnsure.scenarios.expressions import LONGEST, Expression, Values

VALUES = {
    "item": {"id": "W2", "rent": 31000, "area": "Wakad", "tags": ["a"], "none": None},
    "rules": {"max_rent": 25000, "areas": ["Baner"]},
    "text": "Yes, W2.",
}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("item.rent <= rules.max_rent", False),
        ("double(item.rent) * 0.5 < double(rules.max_rent)", True),
        ("item.area in rules.areas", False),
        ("item.tags.all(tag, tag == 'a')", True),
        ("has(item.deposit) && item.deposit > 3", False),
        ("item.none == null", True),
        ("text.contains('W2') && text.matches('(?i)^yes')", True),
        ("size(item.tags) == 1", True),
    ],
)
def test_what_is_asked_is_answered(text, answer):
    assert Expression.of(text).ask(VALUES) is answer


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("item.deposit > 3", "no field 'deposit'"),
        ("item.none < 3", "types do not fit"),
        ("item.rent * 1.5 > 3.0", "double"),
        ("item.area < 3", "types do not fit"),
        ("item.tags[5] == 'a'", "out of bounds"),
        ("1 / (size(item.tags) - 1) == 1", "divides by zero"),
        ("9223372036854775807 + item.rent > 0", "too large"),
        ("text.matches('(')", "regex"),
        ("state.flats == 1", "'state' has no value here"),
        ("size(item.rent) == 1", "size\\(\\) does not take"),
        ("item.rent", "gives 31000"),
        ("item.area", "gives 'Wakad'"),
    ],
)
def test_what_cannot_be_answered_is_an_error_that_says_where_and_why(text, why):
    asked = Expression.of(text, where="check 'budget'")
    with pytest.raises(InputError, match=why) as caught:
        asked.ask(VALUES)
    assert str(caught.value).startswith("check 'budget': ")
    assert "\n" not in str(caught.value)


def test_a_value_that_is_no_json_is_an_error():
    with pytest.raises(InputError, match="set"):
        Expression.of("size(item.tags) == 1").ask({"item": {"tags": {1}}})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("item.rent <=", "at its character 13"),
        ("", "no expression"),
        ("1 == 1; import os", "no expression"),
        ("__import__('os') == 1", "calls __import__"),
        ("lowercase(text) == 'a'", "calls lowercase"),
        ("(" * 3000, f"at most {LONGEST:,}"),
        ("true && " * 400 + "true", "3,204 characters"),
    ],
)
def test_what_is_no_expression_is_refused_before_it_is_asked(text, why):
    with pytest.raises(InputError, match=why):
        Expression.of(text, where="w")


def test_the_names_that_it_reads_are_known_without_asking():
    one = Expression.of("items.exists(one, one.rent > rules.max_rent) && has(rules.pets)")
    assert one.names == {"items", "rules"}
    assert one.mentioned == ("max_rent", "pets")
    assert one.rules == ("max_rent",)


def test_rules_in_quoted_texts_and_of_other_values_are_none():
    one = Expression.of("text.contains('rules.budget') && item.rules.size == 1 && rules['x'] == 1")
    assert one.mentioned == ("x",)


def test_a_rule_that_is_asked_for_first_is_not_needed():
    assert Expression.of("!('pets' in rules) || item.pets").mentioned == ()
    assert Expression.of('!("pets" in rules) || rules.pets').rules == ()


def test_values_can_change_and_are_handed_over_anew():
    values = Values({"item": {"rent": 1}, "rules": {"max_rent": 2}})
    asked = Expression.of("item.rent <= rules.max_rent")
    assert asked.ask(values)
    values.set("item", {"rent": 3})
    assert not asked.ask(values)
    assert asked.ask(values.replaced("rules", {"max_rent": 3}))
    assert not asked.ask(values)
