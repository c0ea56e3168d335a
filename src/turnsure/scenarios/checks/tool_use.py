"""Tools are called that there are not, or with arguments that do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import Field

from turnsure.calibration import schema
from turnsure.core.errors import InputError
from turnsure.core.scenario import CheckSpec, Finding, Scenario
from turnsure.scenarios.calls import Call
from turnsure.scenarios.checks.asking import call_subject, in_force, unreadable
from turnsure.scenarios.checks.base import (
    CheckKind,
    Options,
    compiled,
    found,
    read_options,
)
from turnsure.scenarios.checks.tool_schemas import checkable
from turnsure.scenarios.expressions import Expression
from turnsure.scenarios.moments import Moment


class ToolOptions(Options):
    """What one tool accepts."""

    arguments: dict[str, Any] = Field(
        default_factory=dict[str, Any],
        description="JSON schema of the arguments; the tool's `parameters`, where none is given.",
    )
    expression: str | None = Field(
        default=None, description="True of a call that is as it should be; reads call.arguments."
    )


class ToolUseOptions(Options):
    """Which tools may be called, and how."""

    tools: dict[str, ToolOptions] = Field(
        default_factory=dict[str, ToolOptions],
        description="By name; the scenario's own tools are known besides.",
    )
    allow_others: bool = Field(
        default=False, description="Whether tools that are not named here may be called."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """Looks at every tool call."""

    spec: CheckSpec
    schemas: Mapping[str, Mapping[str, Any]]
    expressions: Mapping[str, Expression]
    allow_others: bool

    def look(self, moment: Moment) -> Sequence[Finding] | None:
        if moment.is_end:
            return None
        return [finding for call in moment.calls for finding in self._of(call, moment)]

    def _of(self, call: Call, moment: Moment) -> Iterator[Finding]:
        subject = call_subject(call)
        moment.values.set("call", call.values)
        problem = self._problem(call)
        if problem is not None:
            yield found(self.spec, moment, problem, evidence=subject.evidence)
            return
        expression = self.expressions.get(call.name)
        if expression is None or not in_force(expression.rules, moment):
            return
        try:
            if not expression.ask(moment.values):
                yield found(
                    self.spec,
                    moment,
                    f"{subject.name} breaks {expression.text}",
                    rule=next(iter(expression.rules), None),
                    evidence=subject.evidence,
                )
        except InputError as error:
            yield unreadable(self.spec, moment, error, subject)

    def _problem(self, call: Call) -> str | None:
        """What is wrong with a call, whatever the rules say."""
        if call.name not in self.schemas:
            return None if self.allow_others else f"there is no tool {call.name!r}"
        if call.arguments is None:
            return f"the arguments of {call.name} are no JSON object"
        try:
            schema.check(call.arguments, self.schemas[call.name])
        except InputError as error:
            return f"the arguments of {call.name} do not fit: {error}"
        return None


def _build(spec: CheckSpec, scenario: Scenario) -> ToolUse:
    options = read_options(ToolUseOptions, spec)
    known = {name: _parameters(tool) for name, tool in scenario.tools.items()}
    for name, tool in options.tools.items():
        known[name] = tool.arguments or known.get(name, {})
    if not known:
        raise InputError(
            "no tool is named", field="tools", expected="tools of the scenario or here"
        )
    expressions = {
        name: compiled(tool.expression, spec, scenario, scope="tool_call")
        for name, tool in options.tools.items()
        if tool.expression is not None
    }
    return ToolUse(
        spec=spec,
        schemas={name: checkable(one, field=f"tools.{name}") for name, one in known.items()},
        expressions=expressions,
        allow_others=options.allow_others,
    )


def _parameters(tool: Any) -> Mapping[str, Any]:
    """The JSON schema of a tool's arguments, where the scenario gives one."""
    if not isinstance(tool, Mapping):
        return {}
    found_here = cast("Mapping[str, Any]", tool).get("parameters")
    return cast("Mapping[str, Any]", found_here) if isinstance(found_here, Mapping) else {}


KIND = CheckKind(
    build=_build, failure="wrong_tool_use", scopes=("tool_call",), options=ToolUseOptions
)
