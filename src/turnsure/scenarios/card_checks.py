"""Checks of a card: which kind each is, and that everything it names is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from turnsure import registry
from turnsure.core.errors import InputError
from turnsure.core.scenario import CheckSpec, Scenario
from turnsure.scenarios.card_errors import Loc, Source
from turnsure.scenarios.card_models import CheckCard, GoalCard
from turnsure.scenarios.checks.base import PLACE, CheckKind, refuse_unknown_rules
from turnsure.scenarios.expressions import RULES, Expression
from turnsure.scenarios.moments import OF_SCOPE, VARIABLES

PYTHON = "python"


def spec_of(card: CheckCard, loc: Loc, source: Source) -> CheckSpec:
    """A check, not yet tried against the scenario.

    Raises
    ------
    InputError
        Its kind is unknown, or the kind does not take what the card says.
    """
    name, options = _kind(card, loc, source)
    try:
        kind: CheckKind = registry.load("checks", name)
    except InputError as error:
        raise source.placed(error, (*loc, "check"), of_name=True) from None
    if kind.expression == "needed" and card.expression is None:
        raise source.error(
            f"a check of the kind {name!r} needs an expression", loc, expected="`expression`"
        )
    if kind.expression == "refused" and card.expression is not None:
        raise source.error(
            f"a check of the kind {name!r} takes no expression",
            (*loc, "expression"),
            expected="options of the check, or an expression without `check`",
        )
    if card.scope is not None and card.scope not in kind.scopes:
        raise source.error(
            f"a check of the kind {name!r} cannot be asked about {card.scope!r}",
            (*loc, "scope"),
            expected=", ".join(kind.scopes),
        )
    return CheckSpec(
        name=card.name,
        kind=name,
        failure=card.failure or kind.failure,
        scope=card.scope or kind.scopes[0],
        expression=card.expression,
        rules=tuple(card.rules),
        options=options,
        say=card.say,
        optional=card.optional,
        unreadable=card.unreadable,
    )


def _kind(card: CheckCard, loc: Loc, source: Source) -> tuple[str, dict[str, Any]]:
    """The name of the kind, and its options."""
    here = (*loc, "check")
    if card.check is None:
        if card.expression is None:
            raise source.error("nothing is checked", loc, expected="`expression` or `check`")
        try:
            expression = Expression.of(card.expression)
        except InputError as error:
            raise source.placed(error, (*loc, "expression")) from None
        reads_rules = bool(expression.mentioned or card.rules)
        return ("forgotten_constraint" if reads_rules else "expression"), {}
    if len(card.check) != 1:
        raise source.error(f"there are {len(card.check)} kinds of check here", here, expected="one")
    name, options = next(iter(card.check.items()))
    if name == PYTHON and isinstance(options, str):
        return name, {"function": options}
    if options is None:
        return name, {}
    if not isinstance(options, Mapping):
        raise source.error(
            f"{options!r:.60} does not fit",
            (*here, name),
            expected="`module:function`" if name == PYTHON else "options by their names",
        )
    return name, dict(cast("Mapping[str, Any]", options))


def goal_spec(card: GoalCard, place: int) -> CheckSpec:
    """A success rule as a check."""
    return CheckSpec(
        name=card.name or f"success-{place + 1}",
        kind="lost_goal",
        failure="lost_goal",
        scope="end",
        expression=card.expression,
        options={"last": card.last},
        say=card.say,
    )


def try_check(spec: CheckSpec, scenario: Scenario, loc: Loc, source: Source) -> None:
    """Make a check once, so that everything wrong with it is said before any run.

    Raises
    ------
    InputError
        An expression, option, rule, function or place in words names what is not there.
    """
    kind: CheckKind = registry.load("checks", spec.kind)
    try:
        kind.build(spec, scenario)
    except InputError as error:
        raise source.placed(error, _place(error, spec, loc, source)) from None
    if spec.say is None:
        return
    for place in PLACE.findall(spec.say):
        try:
            _refuse_unknown_place(place, spec, scenario)
        except InputError as error:
            raise source.placed(error, (*loc, "say")) from None


def _refuse_unknown_place(place: str, spec: CheckSpec, scenario: Scenario) -> None:
    known = {**VARIABLES, **OF_SCOPE[spec.scope]}
    head, _, rest = place.partition(".")
    if head not in known:
        raise InputError(
            f"{{{place}}} names nothing that there is in the scope {spec.scope!r}",
            expected=", ".join(known),
        )
    if head == RULES and rest:
        refuse_unknown_rules([rest.partition(".")[0]], scenario)


def _place(error: InputError, spec: CheckSpec, loc: Loc, source: Source) -> Loc:
    """Where in the card a problem of a check stands."""
    marks = source.document.marks
    if error.field in {"expression", "rules"} and (*loc, error.field) in marks:
        return loc
    options = (*loc, "check", spec.kind)
    if error.field is not None and options in marks:
        return options
    if spec.kind == PYTHON and (*loc, "check") in marks:
        return (*loc, "check")
    if error.field is None and (*loc, "expression") in marks:
        return (*loc, "expression")
    return loc
