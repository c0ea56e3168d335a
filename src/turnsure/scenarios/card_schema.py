"""The JSON schema of scenario cards, for editors: made of the models that read them."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from turnsure import registry
from turnsure.scenarios.card_models import ScenarioCard, SuiteCard
from turnsure.scenarios.checks.base import CheckKind


def card_schema() -> dict[str, Any]:
    """The schema (JSON Schema 2020-12) of a file of scenario cards.

    An editor that is told of it completes names and shows what each field means; the options of
    every ready check are in it.
    """
    adapter: TypeAdapter[Any] = TypeAdapter(SuiteCard | ScenarioCard | list[ScenarioCard])
    schema = adapter.json_schema(by_alias=True, mode="validation")
    definitions: dict[str, Any] = schema["$defs"]
    definitions["CheckCard"]["properties"]["check"] = _check_field(definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scenario cards of turnsure",
        **schema,
    }


def _check_field(definitions: dict[str, Any]) -> dict[str, Any]:
    """What may stand in the field ``check``: a name, or a name with its options."""
    known: dict[str, Any] = {}
    for name in registry.names("checks"):
        kind: CheckKind = registry.load("checks", name)
        options = kind.options.model_json_schema(by_alias=True)
        definitions.update(options.pop("$defs", {}))
        definitions[kind.options.__name__] = options
        known[name] = {"$ref": f"#/$defs/{kind.options.__name__}"}
    known["python"] = {
        "anyOf": [{"type": "string", "description": "module:function"}, known["python"]]
    }
    described = definitions["CheckCard"]["properties"]["check"].get("description")
    return {
        "description": described,
        "anyOf": [
            {"type": "string", "enum": list(known)},
            {
                "type": "object",
                "properties": known,
                "additionalProperties": False,
                "minProperties": 1,
                "maxProperties": 1,
            },
        ],
    }
