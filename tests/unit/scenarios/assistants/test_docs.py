"""The examples of docs/assistants.md are true."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.support.suites import run_of, run_with, verdicts
from turnsure.core.scenario import Scenario
from turnsure.scenarios.cards import scenarios_of
from turnsure.scenarios.users.guards import GUARDS

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "assistants.md").read_text(encoding="utf-8")


def example(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def card() -> Scenario:
    return scenarios_of(example("yaml"), file=Path("card.yaml"))[0]


def test_the_tools_of_the_card_serve_what_the_page_says():
    tools = run_of(card()).tools
    found = json.loads(tools.serve("find_flats", '{"area": "Baner", "max_rent": 25000}'))
    assert [one["id"] for one in found] == ["B1"]
    assert tools.serve("book", '{"id": "B1"}') == '{"booked": "B1"}'
    assert json.loads(tools.serve("book", '{"id": "W2"}')) == {"error": "There is no such flat."}
    assert tools.take_unserved() == ()


def test_the_function_of_the_page_passes_the_card(tmp_path):
    names: dict[str, Any] = {}
    exec(example("python"), names)
    result = run_with(names["reply"], tmp_path, card(), runs=1)
    assert verdicts(result) == ["pass"]
    [item] = result.scenarios[0].transcripts[0].exchanges[0].items
    assert item["id"] == "B1"


def test_the_page_names_every_guard():
    assert set(re.findall(r"`(\w+)`", PAGE)) >= set(GUARDS)
