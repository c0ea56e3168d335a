"""Tools that are served from frozen fixtures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.suites import run_of, scenario
from turnsure.core.errors import InputError
from turnsure.scenarios.assistants.fixture_tools import tool_plans

FLATS = [
    {"id": "B1", "area": "Baner", "rent": 24000, "pets": True},
    {"id": "W1", "area": "Wakad", "rent": 22000, "pets": True},
    {"id": "W2", "area": "Wakad", "rent": 31000, "pets": False},
]


def book(arguments: dict[str, Any], tables: dict[str, Any]) -> dict[str, Any]:
    tables["bookings"].append(arguments["id"])
    return {"booked": arguments["id"]}


def fail(arguments: dict[str, Any], tables: dict[str, Any]) -> Any:
    raise RuntimeError("no such thing")


def odd(arguments: dict[str, Any], tables: dict[str, Any]) -> Any:
    return object()


def run(**tools: Any):
    fixtures = {"flats": FLATS, "bookings": [], "by_id": {one["id"]: one for one in FLATS}}
    return run_of(scenario(fixtures=fixtures, tools=tools))


def served(given, name: str, **arguments: Any) -> Any:
    return json.loads(given.tools.serve(name, json.dumps(arguments)))


def test_written_results_fit_by_their_arguments():
    given = run(
        find={
            "results": [
                {"arguments": {"area": "Baner", "pets": True}, "result": ["B1"]},
                {"arguments": {"area": "Wakad"}, "error": "the search is down"},
            ]
        }
    )
    assert served(given, "find", pets=True, area="Baner") == ["B1"]
    assert served(given, "find", area="Wakad") == {"error": "the search is down"}
    assert given.tools.take_unserved() == ()
    assert "no result is written" in served(given, "find", area="Baner", pets=1)["error"]
    [unserved] = given.tools.take_unserved()
    assert unserved.startswith('find({"area": "Baner", "pets": 1})')
    assert given.tools.take_unserved() == ()


def test_equal_calls_get_their_recorded_results_in_order_and_then_the_last_again():
    given = run(
        look={
            "results": [
                {"arguments": {"id": 1}, "result": "empty"},
                {"arguments": {"id": 2}, "result": "other"},
                {"arguments": {"id": 1}, "result": "full"},
            ]
        }
    )
    results = [given.tools.serve("look", '{"id": 1}') for _ in range(4)]
    assert results == ["empty", "full", "full", "full"]


def test_a_result_without_arguments_fits_every_call():
    given = run(now={"results": [{"result": {"day": "Monday"}}]})
    assert served(given, "now", anything=1) == {"day": "Monday"}
    assert given.tools.serve("now", "") == '{"day": "Monday"}'


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        ({}, ["B1", "W1", "W2"]),
        ({"area": "Wakad"}, ["W1", "W2"]),
        ({"area": "Wakad", "max_rent": 25000}, ["W1"]),
        ({"min_rent": 24000}, ["B1", "W2"]),
        ({"area": ["Baner", "Wakad"], "pets": True}, ["B1", "W1"]),
        ({"max_rent": None}, ["B1", "W1", "W2"]),
        ({"max_rent": "cheap"}, []),
        ({"colour": "red"}, []),
    ],
)
def test_a_table_is_filtered_by_the_arguments(arguments, ids):
    bounds = {"at_most": {"max_rent": "rent"}, "at_least": {"min_rent": "rent"}}
    for table in ("flats", "by_id"):
        given = run(find={"table": table, **bounds})
        assert [row["id"] for row in served(given, "find", **arguments)] == ids


def test_a_function_may_change_this_runs_tables_and_no_others():
    tool = {"book": {"python": "tests.unit.scenarios.assistants.test_fixture_tools:book"}}
    first, second = run(**tool), run(**tool)
    assert served(first, "book", id="B1") == {"booked": "B1"}
    assert first.tables["bookings"] == ["B1"]
    assert second.tables["bookings"] == []


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("nothing", "{}", "there is no tool 'nothing'"),
        ("find", "[1]", "no JSON object"),
        ("find", "{", "no JSON object"),
        ("fail", "{}", "RuntimeError: no such thing"),
        ("odd", "{}", "not JSON serializable"),
    ],
)
def test_a_call_that_nothing_serves_is_an_error_text_and_remembered(name, arguments, said):
    here = "tests.unit.scenarios.assistants.test_fixture_tools"
    given = run(
        find={"table": "flats"}, fail={"python": f"{here}:fail"}, odd={"python": f"{here}:odd"}
    )
    assert said in json.loads(given.tools.serve(name, arguments))["error"]
    assert said in given.tools.take_unserved()[0]


def test_what_a_model_is_told():
    schema = {"type": "object", "properties": {"area": {"type": "string"}}}
    plan = tool_plans(
        scenario(
            fixtures={"flats": FLATS},
            tools={"find": {"description": "Finds.", "parameters": schema, "table": "flats"}},
        )
    )["find"]
    assert (plan.tool.name, plan.tool.description) == ("find", "Finds.")
    assert json.loads(plan.tool.parameters) == schema


@pytest.mark.parametrize(
    ("tool", "field", "said"),
    [
        ("flats", "tools.t", "no object"),
        ({}, "tools.t", "results or table or python"),
        ({"resluts": []}, "tools.t.resluts", "unknown"),
        ({"table": "none"}, "tools.t.table", "there is no fixture 'none'"),
        ({"results": "x"}, "tools.t.results", "no list"),
        ({"results": ["x"]}, "tools.t.results[0]", "no object"),
        ({"results": [{}]}, "tools.t.results[0]", "no field"),
        ({"results": [{"result": 1, "error": "x"}]}, "tools.t.results[0]", "error, result"),
        ({"python": "nowhere:f"}, None, "nowhere"),
    ],
)
def test_a_wrong_tool_is_refused_at_once(tool, field, said):
    with pytest.raises(InputError) as caught:
        tool_plans(scenario(tools={"t": tool}))
    assert said in str(caught.value)
    assert field is None or repr(field) in str(caught.value)
