"""The replies have to contain given information."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from turnsure.core.errors import InputError
from turnsure.core.scenario import CheckSpec, Finding, Scenario
from turnsure.scenarios.checks.base import CheckKind, Options, found, read_options, said_as
from turnsure.scenarios.checks.containing import contains_value
from turnsure.scenarios.moments import Moment, shown_as


class MustSayOptions(Options):
    """What has to be said, in whichever reply."""

    values: list[str | int | float] = Field(
        description=(
            "Texts and numbers, each in some reply; letter case, punctuation and the commas of "
            "numbers do not count."
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MustSay:
    """Looks through all replies once the conversation is over."""

    spec: CheckSpec
    values: tuple[str | int | float, ...]

    def look(self, moment: Moment) -> Sequence[Finding] | None:
        if not moment.is_end:
            return None
        replies = [one.text for one in moment.so_far]
        return [
            found(
                self.spec,
                moment,
                f"no reply says {said_as(value)}",
                evidence=shown_as(replies[-1]),
            )
            for value in self.values
            if not any(contains_value(text, value) for text in replies)
        ]


def _build(spec: CheckSpec, scenario: Scenario) -> MustSay:
    del scenario
    values = tuple(read_options(MustSayOptions, spec).values)
    if not values or any(isinstance(one, bool) or not str(one).strip() for one in values):
        raise InputError(
            "nothing is to be said", field="values", expected="texts that are not blank, or numbers"
        )
    return MustSay(spec=spec, values=values)


KIND = CheckKind(
    build=_build, failure="missing_information", scopes=("end",), options=MustSayOptions
)
