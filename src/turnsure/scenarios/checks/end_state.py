"""The fixture database at the end is not as it should be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import Field

from turnsure.core.errors import InputError
from turnsure.core.scenario import CheckSpec, Finding, Scenario
from turnsure.scenarios.checks.asking import Subject, unreadable
from turnsure.scenarios.checks.base import CheckKind, Options, found, read_options, said_as
from turnsure.scenarios.ledger import same
from turnsure.scenarios.moments import Moment


class EndStateOptions(Options):
    """What the tables hold at the end."""

    expected: dict[str, Any] = Field(
        description=(
            "Tables by name: rows by id, or a list of rows. Tables, rows and fields that are not "
            "named may be anything."
        )
    )
    id: str = Field(default="id", description="The field that names a row in a list of rows.")
    exact: bool = Field(
        default=False,
        description="Whether the tables named may hold nothing besides what is expected.",
    )


_ABSENT = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class EndState:
    """Compares the tables with what is expected of them."""

    spec: CheckSpec
    options: EndStateOptions

    def look(self, moment: Moment) -> Sequence[Finding] | None:
        if not moment.is_end:
            return None
        state = moment.transcript.state
        if state is None:
            error = InputError("the transcript holds no state of the database")
            subject = Subject(name="the end state", shown="")
            return [unreadable(self.spec, moment, error, subject)]
        return [
            found(
                self.spec,
                moment,
                f"{path} is {_said(actual)} at the end, and not {_said(expected)}",
                evidence=f"{path}: {_said(actual)}",
            )
            for table, rows in self.options.expected.items()
            for path, expected, actual in self._differences(table, rows, state.get(table, _ABSENT))
        ]

    def _differences(
        self, path: str, expected: Any, actual: Any
    ) -> Iterator[tuple[str, object, object]]:
        """Path, expected and actual value of everything that differs."""
        wanted, given = self._by_id(expected), self._by_id(actual)
        if wanted is None or given is None:
            if not same(expected, actual):
                yield path, expected, actual
            return
        for name, value in wanted.items():
            yield from self._differences(f"{path}.{name}", value, given.get(name, _ABSENT))
        if self.options.exact:
            for name in given:
                if name not in wanted:
                    yield f"{path}.{name}", _ABSENT, given[name]

    def _by_id(self, value: Any) -> Mapping[str, Any] | None:
        """A mapping, or a list of rows by their ids; None for anything else."""
        if isinstance(value, Mapping):
            return {str(name): one for name, one in cast("Mapping[Any, Any]", value).items()}
        if not isinstance(value, list) or not value:
            return None
        by_id: dict[str, Any] = {}
        for one in cast("list[Any]", value):
            if not isinstance(one, Mapping):
                return None
            row = cast("Mapping[str, Any]", one)
            if self.options.id not in row or str(row[self.options.id]) in by_id:
                return None
            by_id[str(row[self.options.id])] = row
        return by_id


def _said(value: object) -> str:
    return "absent" if value is _ABSENT else said_as(value)


def _build(spec: CheckSpec, scenario: Scenario) -> EndState:
    options = read_options(EndStateOptions, spec)
    if not options.expected:
        raise InputError("nothing is expected", field="expected", expected="a table or more")
    unknown = [name for name in options.expected if name not in scenario.fixtures]
    if unknown and scenario.fixtures:
        raise InputError(
            f"the fixtures have no table {unknown[0]!r}",
            field="expected",
            expected=", ".join(scenario.fixtures),
        )
    return EndState(spec=spec, options=options)


KIND = CheckKind(build=_build, failure="wrong_end_state", scopes=("end",), options=EndStateOptions)
