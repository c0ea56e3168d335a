"""A rule that the user gave is broken although it is in force.

What a violation is called depends on the ledger.  Where the reply would have been right under a
value that a twist has replaced, the assistant clings to the old value: ``ignored_correction``.
Otherwise a rule that the user gave at an earlier turn is a ``forgotten_constraint``; one that was
given at this very turn was not forgotten but never kept: ``other``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnsure.core.errors import InputError
from turnsure.core.scenario import CheckSpec, FailureType, Finding, Scenario
from turnsure.scenarios.checks.asking import Subject, ask_each, needed_rules
from turnsure.scenarios.checks.base import (
    CheckKind,
    NoOptions,
    found,
    given_expression,
    read_options,
    said_as,
)
from turnsure.scenarios.expressions import RULES, Expression
from turnsure.scenarios.ledger import same
from turnsure.scenarios.moments import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenConstraint:
    """Asks an expression about rules, and tells forgetting from clinging to an old value."""

    spec: CheckSpec
    expression: Expression

    def look(self, moment: Moment) -> Sequence[Finding] | None:
        def broken(subject: Subject) -> Finding:
            failure, rule, why = self._failure(moment)
            return found(
                self.spec,
                moment,
                f"{subject.name} breaks {self.expression.text}{why}",
                failure=failure,
                rule=rule,
                evidence=subject.evidence,
            )

        return ask_each(self.spec, self.expression, moment, broken)

    def _failure(self, moment: Moment) -> tuple[FailureType, str | None, str]:
        """What the violation is called, the rule, and the end of a message."""
        ledger = moment.ledger
        names = dict.fromkeys(
            (*needed_rules(self.spec, self.expression), *self.expression.mentioned)
        )
        rules = [name for name in names if name in ledger.rules]
        if not rules:
            return self.spec.failure, None, ""
        for change in reversed(ledger.replaced):
            if change.rule in rules and self._fits(moment, change.rule, change.old):
                why = (
                    f", but fits {change.rule} {said_as(change.old)} of before turn {change.since}"
                )
                return self._called("ignored_correction"), change.rule, why
        earlier = [
            name
            for name in rules
            if ledger.since[name] < moment.turn or ledger.last_change(name) is not None
        ]
        rule = (earlier or rules)[0]
        why = f" ({rule} {said_as(ledger.rules[rule])} since turn {ledger.since[rule]})"
        return self._called("forgotten_constraint" if earlier else "other"), rule, why

    def _called(self, failure: FailureType) -> FailureType:
        """The type found, unless the card gives this check another one."""
        return failure if self.spec.failure == KIND.failure else self.spec.failure

    def _fits(self, moment: Moment, rule: str, old: object) -> bool:
        """Whether all would be well if the rule still had an old value."""
        if same(old, moment.ledger.rules[rule]):
            return False
        before = {**moment.ledger.rules, rule: old}
        try:
            return self.expression.ask(moment.values.replaced(RULES, before))
        except InputError:
            return False


def _build(spec: CheckSpec, scenario: Scenario) -> ForgottenConstraint:
    read_options(NoOptions, spec)
    expression = given_expression(spec, scenario)
    if not needed_rules(spec, expression) and not expression.mentioned:
        raise InputError(
            f"{expression.text!r} reads no rule",
            field="expression",
            expected="rules.NAME in the expression, or the kind `expression`",
        )
    return ForgottenConstraint(spec=spec, expression=expression)


KIND = CheckKind(
    build=_build,
    failure="forgotten_constraint",
    scopes=("item", "turn", "tool_call", "end"),
    expression="needed",
)
