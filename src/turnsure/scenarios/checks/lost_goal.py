"""At the end of the conversation the user has not got what they came for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from turnsure.core.errors import InputError
from turnsure.core.scenario import CheckSpec, Finding, Scenario
from turnsure.scenarios.calls import calls_of
from turnsure.scenarios.checks.asking import Subject, in_force, needed_rules, unreadable
from turnsure.scenarios.checks.base import (
    CheckKind,
    Options,
    found,
    given_expression,
    read_options,
)
from turnsure.scenarios.expressions import Expression
from turnsure.scenarios.moments import Moment, plain


class LostGoalOptions(Options):
    """What counts as the end."""

    last: int = Field(
        default=1,
        ge=1,
        description="How many turns at the end have to hold, together, what the goal asks for.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LostGoal:
    """Asks an expression about the last turns taken together."""

    spec: CheckSpec
    expression: Expression
    options: LostGoalOptions

    def look(self, moment: Moment) -> Sequence[Finding] | None:
        if not moment.is_end or not in_force(needed_rules(self.spec, self.expression), moment):
            return None
        last = moment.so_far[-self.options.last :]
        text = "\n".join(one.text for one in last)
        calls = [call.values for one in last for call in calls_of(one.replies)]
        values = (
            moment.values.replaced("items", plain(tuple(i for one in last for i in one.items)))
            .replaced("text", text)
            .replaced("calls", calls)
        )
        subject = Subject(name="the end", shown=text)
        try:
            if self.expression.ask(values):
                return []
        except InputError as error:
            return [unreadable(self.spec, moment, error, subject)]
        return [
            found(
                self.spec,
                moment,
                f"the conversation ends without what was asked for: {self.expression.text}",
                turn=moment.turn,
                rule=next(iter(self.expression.rules), None),
                evidence=subject.evidence,
            )
        ]


def _build(spec: CheckSpec, scenario: Scenario) -> LostGoal:
    return LostGoal(
        spec=spec,
        expression=given_expression(spec, scenario),
        options=read_options(LostGoalOptions, spec),
    )


KIND = CheckKind(
    build=_build,
    failure="lost_goal",
    scopes=("end",),
    expression="needed",
    options=LostGoalOptions,
)
