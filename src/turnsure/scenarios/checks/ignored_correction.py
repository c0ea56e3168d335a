"""A value that the user has replaced comes back: in items, in tool calls, or in words.

Where a rule holds a list, the old value is what the list no longer holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import Field

from turnsure.core.errors import InputError
from turnsure.core.scenario import CheckSpec, Finding, Scenario
from turnsure.scenarios.checks.asking import call_subject
from turnsure.scenarios.checks.base import CheckKind, Options, found, read_options, said_as
from turnsure.scenarios.checks.containing import contains_value
from turnsure.scenarios.ledger import Replaced, same
from turnsure.scenarios.moments import Moment, name_of, shown_as


class IgnoredCorrectionOptions(Options):
    """Where an old value is looked for."""

    rules: list[str] = Field(
        default_factory=list[str], description="The rules in question; all, where none is named."
    )
    field: str | None = Field(
        default=None, description="The field of an item that would hold the old value."
    )
    argument: str | None = Field(
        default=None,
        description="The argument of a tool call that would; the rule's own name, where none is.",
    )
    text: bool = Field(
        default=False,
        description=(
            "Look into the replies too. Not for values that a right reply may mention, as in "
            "'instead of Kharadi'."
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoredCorrection:
    """Looks for the values that twists have replaced."""

    spec: CheckSpec
    options: IgnoredCorrectionOptions

    def look(self, moment: Moment) -> Sequence[Finding] | None:
        if moment.is_end:
            return None
        looked = False
        findings: list[Finding] = []
        for change, old in self._old_values(moment):
            looked = looked or bool(
                self.options.text
                or moment.calls
                or (self.options.field is not None and moment.exchange.items)
            )
            findings += [
                found(
                    self.spec,
                    moment,
                    f"{place} has {change.rule} {said_as(old)} again, which the user replaced at "
                    f"turn {change.since}",
                    rule=change.rule,
                    evidence=evidence,
                )
                for place, evidence in self._places(change.rule, old, moment)
            ]
        return findings if looked else None

    def _old_values(self, moment: Moment) -> Iterator[tuple[Replaced, Any]]:
        """Values that no longer hold, each once, with the last change that took them away."""
        rules = moment.ledger.rules
        seen: list[tuple[str, Any]] = []
        for change in reversed(moment.ledger.replaced):
            if change.rule not in rules or (
                self.options.rules and change.rule not in self.options.rules
            ):
                continue
            for old in _gone(change.old, rules[change.rule]):
                if (change.rule, old) not in seen:
                    seen.append((change.rule, old))
                    yield change, old

    def _places(self, rule: str, old: Any, moment: Moment) -> Iterator[tuple[str, str]]:
        """What shows the old value, and the evidence."""
        field = self.options.field
        if field is not None:
            for item in moment.exchange.items:
                if _holds(item.get(field), old):
                    yield name_of(item), shown_as(dict(item))
        argument = self.options.argument or rule
        for call in moment.calls:
            if call.arguments is not None and _holds(call.arguments.get(argument), old):
                subject = call_subject(call)
                yield subject.name, subject.evidence
        if self.options.text and contains_value(moment.exchange.text, old):
            yield "the reply", shown_as(moment.exchange.text)


def _gone(old: object, new: object) -> list[Any]:
    """What of an old value the new one no longer has."""
    before = cast("list[Any]", old if isinstance(old, list) else [old])
    kept = cast("list[Any]", new if isinstance(old, list) and isinstance(new, list) else [new])
    return [one for one in before if not any(same(one, other) for other in kept)]


def _holds(value: object, old: Any) -> bool:
    values = cast("list[Any]", value if isinstance(value, list) else [value])
    return any(same(one, old) for one in values)


def _build(spec: CheckSpec, scenario: Scenario) -> IgnoredCorrection:
    options = read_options(IgnoredCorrectionOptions, spec)
    twisted = twists(scenario)
    wrong = [name for name in options.rules if name not in twisted]
    if wrong or not twisted:
        raise InputError(
            f"no reveal changes {wrong[0]!r}" if wrong else "no reveal changes any rule",
            field="rules" if wrong else None,
            expected=", ".join(twisted) or "a reveal that has `changes`",
        )
    return IgnoredCorrection(spec=spec, options=options)


def twists(scenario: Scenario) -> tuple[str, ...]:
    """Rules that some reveal sets anew."""
    seen: set[str] = set()
    twisted: dict[str, None] = {}
    for reveal in scenario.reveals:
        twisted.update((name, None) for name in reveal.sets if name in seen)
        seen.update(reveal.sets)
    return tuple(twisted)


KIND = CheckKind(
    build=_build,
    failure="ignored_correction",
    scopes=("turn",),
    options=IgnoredCorrectionOptions,
)
