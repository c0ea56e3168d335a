"""Tools that are served from a scenario's frozen fixtures: nothing live is ever called.

A scenario's ``tools`` names each tool and says where its results come from:

``description``, ``parameters``
    What a model is told: a sentence, and the JSON schema of the arguments.
``results``
    Written or recorded results, each an object with ``result`` (any JSON value) or ``error`` (a
    text), and ``arguments`` that a call has to have exactly; without ``arguments`` it fits every
    call.  The first that fits and was not given yet is given; when all that fit were given, the
    last of them again.  So a recording gives equal calls their results in their order.
``table``
    Name of a fixture: the rows whose fields equal the arguments of the same names.  ``at_most``
    and ``at_least`` name the field that an argument bounds: ``at_most: {max_rent: rent}``.
``python``
    ``module:function``, called with the arguments and this run's own copy of all fixtures, which it
    may change.

A call that none of these answers is given an error text, and is remembered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from turnsure.core.errors import InputError
from turnsure.core.generation import Tool
from turnsure.core.scenario import Scenario
from turnsure.scenarios.functions import call_function, function_of

_FIELDS = frozenset(
    {"description", "parameters", "results", "table", "at_most", "at_least", "python"}
)
_SOURCES = ("results", "table", "python")
_RESULT_FIELDS = frozenset({"arguments", "result", "error"})
_QUOTED = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPlan:
    """One tool as the scenario writes it, checked.

    Attributes
    ----------
    tool
        What a model is told.
    results
        Written results, in order.
    table, at_most, at_least
        A fixture, and which of its fields the arguments bound.
    python
        ``module:function``.
    """

    tool: Tool
    results: tuple[Mapping[str, Any], ...] = ()
    table: str | None = None
    at_most: Mapping[str, str] = field(default_factory=dict[str, str])
    at_least: Mapping[str, str] = field(default_factory=dict[str, str])
    python: str | None = None


def tool_plans(scenario: Scenario) -> dict[str, ToolPlan]:
    """The scenario's tools by name.

    Raises
    ------
    InputError
        One is written wrongly: names the field.
    """
    return {name: _plan(name, given, scenario) for name, given in scenario.tools.items()}


@dataclass(slots=True, kw_only=True)
class FixtureTools:
    """The tools of one run.

    Attributes
    ----------
    plans
        From :func:`tool_plans`.
    tables
        This run's own copy of the fixtures.
    """

    plans: Mapping[str, ToolPlan]
    tables: dict[str, Any]
    _given: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    _unserved: list[str] = field(default_factory=list[str])

    def serve(self, name: str, arguments: str) -> str:
        """The result of a call, as the text of a tool's message; an error text without one."""
        plan = self.plans.get(name)
        if plan is None:
            return self._refuse(name, arguments, f"there is no tool {name!r}")
        try:
            asked: object = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            return self._refuse(name, arguments, "the arguments are no JSON object")
        fields = cast("dict[str, Any]", asked)
        for place, written in enumerate(plan.results):
            if _fits(written, fields) and (name, place) not in self._given:
                self._given.add((name, place))
                return _text_of(written)
        again = [one for one in plan.results if _fits(one, fields)]
        if again:
            return _text_of(again[-1])
        if plan.table is not None:
            return _written(_rows(plan, self.tables[plan.table], fields))
        if plan.python is not None:
            try:
                given = call_function(function_of(plan.python), plan.python, fields, self.tables)
                return _written(given)
            except (InputError, TypeError, ValueError) as error:
                return self._refuse(name, arguments, str(error))
        return self._refuse(name, arguments, "no result is written for these arguments")

    def take_unserved(self) -> tuple[str, ...]:
        """What was called since last asked although the fixtures hold no result for it."""
        taken, self._unserved = tuple(self._unserved), []
        return taken

    def _refuse(self, name: str, arguments: str, problem: str) -> str:
        shown = arguments if len(arguments) <= _QUOTED else f"{arguments[:_QUOTED]}…"
        self._unserved.append(f"{name}({shown}): {problem}")
        return _written({"error": problem})


def _fits(written: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    wanted = written.get("arguments")
    # As text, so that true is not 1; the order of the fields does not matter.
    return wanted is None or _sorted(wanted) == _sorted(asked)


def _sorted(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _text_of(written: Mapping[str, Any]) -> str:
    if "error" in written:
        return _written({"error": written["error"]})
    return _written(written.get("result"))


def _written(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _rows(plan: ToolPlan, table: Any, asked: Mapping[str, Any]) -> list[Any]:
    rows = list(cast("Mapping[str, Any]", table).values()) if isinstance(table, Mapping) else table
    return [row for row in cast("list[Any]", rows) if _is_asked_for(plan, row, asked)]


def _is_asked_for(plan: ToolPlan, row: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    for name, value in asked.items():
        if value is None:
            continue
        if name in plan.at_most or name in plan.at_least:
            column = plan.at_most.get(name) or plan.at_least[name]
            here = row.get(column)
            if not _is_number(here) or not _is_number(value):
                return False
            if here > value if name in plan.at_most else here < value:
                return False
        elif isinstance(value, list):
            if row.get(name) not in value:
                return False
        elif row.get(name) != value:
            return False
    return True


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plan(name: str, given: object, scenario: Scenario) -> ToolPlan:
    where = f"tools.{name}"
    if not isinstance(given, Mapping):
        raise InputError("this is no object", field=where, expected=", ".join(sorted(_FIELDS)))
    fields = cast("Mapping[str, Any]", given)
    unknown = next((one for one in fields if one not in _FIELDS), None)
    if unknown is not None:
        raise InputError(
            "unknown field", field=f"{where}.{unknown}", expected=", ".join(sorted(_FIELDS))
        )
    if not any(one in fields for one in _SOURCES):
        raise InputError(
            "nothing says where its results come from", field=where, expected=" or ".join(_SOURCES)
        )
    table = fields.get("table")
    if table is not None and table not in scenario.fixtures:
        raise InputError(
            f"there is no fixture {table!r}",
            field=f"{where}.table",
            expected=", ".join(scenario.fixtures) or "a fixture of the scenario",
        )
    python = fields.get("python")
    if python is not None:
        function_of(str(python))
    parameters = fields.get("parameters", {"type": "object"})
    return ToolPlan(
        tool=Tool(
            name=name,
            description=str(fields.get("description", "")),
            parameters=json.dumps(parameters, ensure_ascii=False, sort_keys=True),
        ),
        results=_results(fields.get("results", ()), where),
        table=table,
        at_most=fields.get("at_most", {}),
        at_least=fields.get("at_least", {}),
        python=python,
    )


def _results(given: object, where: str) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise InputError("this is no list", field=f"{where}.results", expected="a list of results")
    for place, one in enumerate(cast("Sequence[object]", given)):
        here = f"{where}.results[{place}]"
        if not isinstance(one, Mapping):
            raise InputError("this is no object", field=here, expected="result, or error")
        names = set(cast("Mapping[str, Any]", one))
        if not names <= _RESULT_FIELDS or len(names & {"result", "error"}) != 1:
            raise InputError(
                f"it has {', '.join(sorted(names)) or 'no field'}",
                field=here,
                expected="result or error, and arguments where it does not fit every call",
            )
    return tuple(cast("Sequence[Mapping[str, Any]]", given))
