"""The published schema says what the reader takes, and explains every field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from turnsure import registry
from turnsure.core.scenario import FAILURE_TYPES
from turnsure.scenarios.card_models import ScenarioCard, SharedCard, SuiteCard
from turnsure.scenarios.card_schema import card_schema

SCHEMA = card_schema()
PARTS = SCHEMA["$defs"]


def test_it_is_json_and_every_reference_leads_somewhere():
    text = json.dumps(SCHEMA)
    wanted = {part.partition('"')[0] for part in text.split('"#/$defs/')[1:]}
    assert wanted <= set(PARTS)
    assert SCHEMA["$schema"].endswith("2020-12/schema")


@pytest.mark.parametrize("part", PARTS)
def test_every_field_is_explained(part):
    for name, field in PARTS[part].get("properties", {}).items():
        assert field.get("description"), name
    assert PARTS[part]["additionalProperties"] is False


@pytest.mark.parametrize("model", [SuiteCard, ScenarioCard, SharedCard])
def test_the_fields_are_those_that_the_reader_takes(model):
    assert set(PARTS[model.__name__]["properties"]) == set(model.model_fields)


def test_names_are_those_of_the_card_and_not_of_the_code():
    assert set(PARTS["ChangeCard"]["properties"]) == {"from", "to"}
    assert "from" in PARTS["ItemsCard"]["properties"]
    assert "except" in PARTS["ContradictionOptions"]["properties"]


def test_every_check_and_its_options_are_offered():
    named, with_options = PARTS["CheckCard"]["properties"]["check"]["anyOf"]
    assert tuple(named["enum"]) == registry.names("checks")
    assert tuple(with_options["properties"]) == registry.names("checks")


def test_what_may_stand_in_a_field_is_offered():
    failure = json.dumps(PARTS["CheckCard"]["properties"]["failure"])
    assert all(f'"{name}"' in failure for name in FAILURE_TYPES)
    success = PARTS["ScenarioCard"]["properties"]["success"]["items"]
    assert {"type": "string"} in success["anyOf"]


def test_the_page_tells_of_every_field_and_check():
    page = Path(__file__).parents[3] / "docs" / "scenario-cards.md"
    text = page.read_text(encoding="utf-8")
    names = {
        name
        for part, body in PARTS.items()
        for name in body.get("properties", {})
        if part != "NoOptions"
    }
    untold = sorted(name for name in {*names, *registry.names("checks")} if f"`{name}`" not in text)
    assert untold == []
