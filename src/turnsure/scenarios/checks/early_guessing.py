"""The assistant answers before it can know enough.

Enough is a set of rules that the user has to have given, or a confidence that someone measured at
the turn, such as P(Sufficient) (see ``docs/methods.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from turnsure.core.errors import InputError
from turnsure.core.scenario import CheckSpec, Finding, Scenario
from turnsure.scenarios.checks.asking import Subject, unreadable
from turnsure.scenarios.checks.base import (
    CheckKind,
    Options,
    compiled,
    found,
    read_options,
    refuse_unknown_rules,
)
from turnsure.scenarios.expressions import Expression
from turnsure.scenarios.moments import Moment, shown_as


class EarlyGuessingOptions(Options):
    """When an answer comes too early."""

    needs: list[str] = Field(
        default_factory=list[str], description="Rules that have to be known before an answer."
    )
    confidence_below: float | None = Field(
        default=None,
        gt=0.0,
        le=1.0,
        description="An answer at a turn with a lower confidence than this is a guess.",
    )
    answers: str = Field(
        default="size(items) > 0",
        description="An expression that is true of a turn at which the assistant answers.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyGuessing:
    """Looks at each turn at which the assistant answers."""

    spec: CheckSpec
    options: EarlyGuessingOptions
    answers: Expression

    def look(self, moment: Moment) -> Sequence[Finding] | None:
        if moment.is_end:
            return None
        least, sure = self.options.confidence_below, moment.confidence
        # What was never measured was never asked, whatever the rules say.
        quiet = None if least is not None and sure is None else ()
        missing = [
            name
            for name in self.options.needs
            if name not in moment.ledger.rules and name not in moment.ledger.withdrawn
        ]
        is_unsure = least is not None and sure is not None and sure < least
        if not missing and not is_unsure:
            return quiet
        try:
            if not self.answers.ask(moment.values):
                return quiet
        except InputError as error:
            subject = Subject(name="the reply", shown=moment.exchange.text)
            return [unreadable(self.spec, moment, error, subject)]
        why = (
            f"before the user has said {' and '.join(missing)}"
            if missing
            else f"at a confidence of {sure:.2f}, which is under {least:g}"
        )
        return [
            found(
                self.spec,
                moment,
                f"the assistant answers {why}",
                rule=missing[0] if missing else None,
                evidence=shown_as(moment.exchange.text),
            )
        ]


def _build(spec: CheckSpec, scenario: Scenario) -> EarlyGuessing:
    options = read_options(EarlyGuessingOptions, spec)
    if not options.needs and options.confidence_below is None:
        raise InputError(
            "nothing says when an answer is early", expected="`needs` or `confidence_below`"
        )
    refuse_unknown_rules(options.needs, scenario, field="needs")
    answers = compiled(options.answers, spec, scenario, scope="turn")
    return EarlyGuessing(spec=spec, options=options, answers=answers)


KIND = CheckKind(
    build=_build, failure="early_guessing", scopes=("turn",), options=EarlyGuessingOptions
)
