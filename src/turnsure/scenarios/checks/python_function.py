"""A check that a user wrote in Python, for what expressions cannot say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic import Field

from turnsure.core.errors import InputError
from turnsure.core.scenario import CheckSpec, Finding, Scenario
from turnsure.scenarios.checks.asking import Subject, unreadable
from turnsure.scenarios.checks.base import CheckKind, Options, found, read_options
from turnsure.scenarios.functions import call_function, function_of
from turnsure.scenarios.moments import Moment, shown_as


class PythonOptions(Options):
    """Which function."""

    function: str = Field(
        description=(
            "`module:function`, called as function(ledger, exchange, transcript) at every turn, or "
            "once at the end with `scope: end`; returns what is wrong: texts or Findings, or none."
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonCheck:
    """Calls a function at every turn, with the conversation up to it, or at the end."""

    spec: CheckSpec
    name: str
    function: Callable[..., Any]

    def look(self, moment: Moment) -> Sequence[Finding] | None:
        if (self.spec.scope == "end") is not moment.is_end:
            return None
        transcript = moment.transcript
        if not moment.is_end:
            transcript = replace(transcript, exchanges=tuple(moment.so_far), state=None)
        try:
            given = call_function(
                self.function, self.name, moment.ledger, moment.exchange, transcript
            )
            return [self._finding(one, moment) for one in _several(given, self.name)]
        except InputError as error:
            subject = Subject(
                name="the conversation" if moment.is_end else "the reply",
                shown=moment.exchange.text,
            )
            return [unreadable(self.spec, moment, error, subject)]

    def _finding(self, one: object, moment: Moment) -> Finding:
        if isinstance(one, Finding):
            return one
        if isinstance(one, str) and one.strip():
            return found(self.spec, moment, one, evidence=shown_as(moment.exchange.text))
        raise InputError(f"{self.name} gives {one!r:.60}", expected="texts or Findings")


def _several(given: object, name: str) -> Iterable[object]:
    """What a function gave, as a list."""
    if given is None:
        return ()
    if isinstance(given, str | Finding):
        return (given,)
    if isinstance(given, bool) or not isinstance(given, Iterable):
        raise InputError(f"{name} gives {given!r:.60}", expected="texts or Findings")
    # A generator of the user's raises only while it is read.
    return cast("list[object]", call_function(list, name, given))


def _build(spec: CheckSpec, scenario: Scenario) -> PythonCheck:
    del scenario
    name = read_options(PythonOptions, spec).function
    return PythonCheck(spec=spec, name=name, function=function_of(name))


KIND = CheckKind(build=_build, failure="other", scopes=("turn", "end"), options=PythonOptions)
