"""What every check is, and what they share: options, subjects, words of a finding."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from turnsure.core.errors import InputError
from turnsure.core.scenario import CheckSpec, FailureType, Finding, Scenario, Scope
from turnsure.scenarios.expressions import Expression, Values
from turnsure.scenarios.moments import OF_SCOPE, VARIABLES, Moment, shown_as
from turnsure.scenarios.wording import expected_of, problem_of

PLACE = re.compile(r"\{([A-Za-z_]\w*(?:\.\w+)*)\}")
"""A place in the words of a finding that is filled in."""


class Check(Protocol):
    """Looks at every turn of a conversation, and at its end."""

    def look(self, moment: Moment) -> Sequence[Finding] | None:
        """What is wrong at this moment; None where there is nothing to look at."""
        ...


class Options(BaseModel):
    """Options of a check: unknown ones are refused, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class NoOptions(Options):
    """For a check without options."""


OptionsT = TypeVar("OptionsT", bound=Options)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckKind:
    """A kind of check, as the registry names it.

    Attributes
    ----------
    build
        Makes the check of a scenario; raises InputError where something does not fit.
    failure
        What its findings are called unless the card says otherwise.
    scopes
        What it can be asked about, the usual one first.
    expression
        Whether a card has to give an expression, may, or must not.
    options
        What else a card can say.
    """

    build: Callable[[CheckSpec, Scenario], Check]
    failure: FailureType
    scopes: tuple[Scope, ...]
    expression: Literal["needed", "allowed", "refused"] = "refused"
    options: type[Options] = NoOptions


def read_options(model: type[OptionsT], spec: CheckSpec) -> OptionsT:
    """Check the options of a check.

    Raises
    ------
    InputError
        One is unknown, missing or does not fit.
    """
    try:
        return model.model_validate(dict(spec.options))
    except ValidationError as error:
        first = min(
            error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden"
        )
        path = ".".join(map(str, first["loc"]))
        if first["type"] == "extra_forbidden":
            known = [one.alias or name for name, one in model.model_fields.items()]
            # Below a tool, the names that are known are those of tools, not of this model.
            known = known if len(first["loc"]) == 1 else []
            near = difflib.get_close_matches(str(first["loc"][-1]), known, n=1)
            hint = f", did you mean {near[0]!r}?" if near else ""
            expected = ", ".join(known) or "no such option"
            raise InputError(f"unknown option{hint}", field=path, expected=expected) from None
        raise InputError(
            problem_of(first), field=path or None, expected=expected_of(first)
        ) from None


def compiled(text: str, spec: CheckSpec, scenario: Scenario, *, scope: Scope) -> Expression:
    """Compile an expression of a check, and refuse variables that it could never read.

    Raises
    ------
    InputError
        It is no expression, or reads what is not there in this scope.
    """
    expression = Expression.of(text, where=f"scenario {scenario.id!r}, check {spec.name!r}")
    known = {**VARIABLES, **OF_SCOPE[scope]}
    unknown = sorted(expression.names - set(known))
    if unknown:
        near = difflib.get_close_matches(unknown[0], known, n=1)
        hint = f", did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"{text!r} reads {unknown[0]!r}, which is unknown in the scope {scope!r}{hint}",
            expected=", ".join(known),
        )
    refuse_unknown_rules(expression.mentioned, scenario)
    return expression


def refuse_unknown_rules(
    names: Sequence[str], scenario: Scenario, *, field: str | None = None
) -> None:
    """Refuse rules that no reveal sets.

    Raises
    ------
    InputError
        Names the first one, and those that are set.
    """
    known = tuple(dict.fromkeys(name for one in scenario.reveals for name in one.sets))
    unknown = [name for name in names if name not in known]
    if unknown:
        near = difflib.get_close_matches(unknown[0], known, n=1)
        hint = f", did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"no reveal sets the rule {unknown[0]!r}{hint}",
            field=field,
            expected=", ".join(known) or "a reveal that has `sets`",
        )


def given_expression(spec: CheckSpec, scenario: Scenario) -> Expression:
    """The expression of a check that needs one."""
    if spec.expression is None:
        raise InputError(
            f"a check of the kind {spec.kind!r} needs an expression", field="expression"
        )
    refuse_unknown_rules(spec.rules, scenario, field="rules")
    return compiled(spec.expression, spec, scenario, scope=spec.scope)


def found(
    spec: CheckSpec,
    moment: Moment,
    message: str,
    *,
    failure: FailureType | None = None,
    turn: int | None = None,
    rule: str | None = None,
    evidence: str = "",
) -> Finding:
    """A finding at a moment; the card's own words win over ``message``.

    Parameters
    ----------
    turn
        Where it is another one than the moment's; at the end there is none.
    """
    of_moment = None if moment.is_end else moment.turn
    return Finding(
        check=spec.name,
        failure=spec.failure if failure is None else failure,
        turn=of_moment if turn is None else turn,
        rule=rule,
        evidence=evidence,
        message=message if spec.say is None else filled(spec.say, moment.values),
    )


def filled(words: str, values: Values) -> str:
    """The words of a finding with its places filled in; a place that leads nowhere says so."""

    def value_at(place: re.Match[str]) -> str:
        try:
            value = values.find(place[1].split("."))
        except KeyError:
            return f"(no {place[1]})"
        return value if isinstance(value, str) else shown_as(value)

    return PLACE.sub(value_at, words)


def said_as(value: Any) -> str:
    """A value within a sentence."""
    return value if isinstance(value, str) else shown_as(value)
