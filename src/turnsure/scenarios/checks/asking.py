"""Asking an expression about everything that it is meant for, and the rules that it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from turnsure.core.errors import InputError
from turnsure.core.scenario import CheckSpec, Finding, Scope
from turnsure.scenarios.calls import Call
from turnsure.scenarios.expressions import Expression
from turnsure.scenarios.moments import Moment, name_of, shown_as


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What an expression is asked about.

    Attributes
    ----------
    name
        What a message calls it.
    shown
        What shows it: a text or JSON values.
    """

    name: str
    shown: object

    @property
    def evidence(self) -> str:
        """What shows it, as a finding keeps it."""
        return shown_as(self.shown)


def subjects(scope: Scope, moment: Moment) -> Iterator[Subject]:
    """Everything to ask about at a moment; the variable of each is set while it is its turn."""
    if (scope == "end") is not moment.is_end:
        return
    match scope:
        case "item":
            for item in moment.exchange.items:
                whole = dict(item)
                moment.values.set("item", whole)
                yield Subject(name=name_of(item), shown=whole)
        case "tool_call":
            for call in moment.calls:
                moment.values.set("call", call.values)
                yield call_subject(call)
        case "turn" | "end":
            name = "the reply" if scope == "turn" else "the conversation"
            yield Subject(name=name, shown=moment.exchange.text)


def call_subject(call: Call) -> Subject:
    """A tool call as a subject."""
    return Subject(name=f"the call of {call.name}", shown=f"{call.name}({call.written})")


def unreadable(spec: CheckSpec, moment: Moment, error: InputError, subject: Subject) -> Finding:
    """A finding that a check could not be evaluated, so that it never passes in silence."""
    return Finding(
        check=spec.name,
        failure=spec.failure if spec.unreadable == "finding" else "other",
        turn=None if moment.is_end else moment.turn,
        evidence=subject.evidence,
        message=f"{subject.name} cannot be checked: {error.problem}",
        standing="broken" if spec.unreadable == "finding" else "unreadable",
    )


def in_force(names: Iterable[str], moment: Moment) -> bool:
    """Whether all these rules hold."""
    return all(name in moment.ledger.rules for name in names)


def ask_each(
    spec: CheckSpec,
    expression: Expression,
    moment: Moment,
    broken: Callable[[Subject], Finding],
) -> Sequence[Finding] | None:
    """Ask about each subject of the check's scope, while the rules that it needs hold.

    Parameters
    ----------
    broken
        Makes the finding of a subject for which the expression is false.

    Returns
    -------
    The findings; None where nothing was asked.
    """
    if not in_force(needed_rules(spec, expression), moment):
        return None
    findings: list[Finding] = []
    n_asked = 0
    for subject in subjects(spec.scope, moment):
        n_asked += 1
        try:
            if not expression.ask(moment.values):
                findings.append(broken(subject))
        except InputError as error:
            findings.append(unreadable(spec, moment, error, subject))
    # A turn without tool calls keeps every rule about calls, while a turn without items may be one
    # whose items nobody could read.
    keeps_all = spec.scope == "tool_call" and not moment.is_end
    return findings if n_asked or keeps_all else None


def needed_rules(spec: CheckSpec, expression: Expression) -> tuple[str, ...]:
    """Rules without which a check has nothing to say, those of its expression first."""
    return tuple(dict.fromkeys((*expression.rules, *spec.rules)))
