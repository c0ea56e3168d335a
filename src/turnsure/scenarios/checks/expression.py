"""An expression of one's own, true where all is well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnsure.core.scenario import CheckSpec, Finding, Scenario
from turnsure.scenarios.checks.asking import Subject, ask_each, needed_rules
from turnsure.scenarios.checks.base import (
    CheckKind,
    NoOptions,
    found,
    given_expression,
    read_options,
)
from turnsure.scenarios.expressions import Expression
from turnsure.scenarios.moments import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionCheck:
    """Asks an expression about each subject of its scope."""

    spec: CheckSpec
    expression: Expression

    def look(self, moment: Moment) -> Sequence[Finding] | None:
        def broken(subject: Subject) -> Finding:
            return found(
                self.spec,
                moment,
                f"{subject.name} breaks {self.expression.text}",
                rule=next(iter(needed_rules(self.spec, self.expression)), None),
                evidence=subject.evidence,
            )

        return ask_each(self.spec, self.expression, moment, broken)


def _build(spec: CheckSpec, scenario: Scenario) -> ExpressionCheck:
    read_options(NoOptions, spec)
    return ExpressionCheck(spec=spec, expression=given_expression(spec, scenario))


KIND = CheckKind(
    build=_build,
    failure="other",
    scopes=("item", "turn", "tool_call", "end"),
    expression="needed",
)
