"""What the assistant states about an id must not change from one turn to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field

from turnsure.core.conversation import Item
from turnsure.core.scenario import CheckSpec, Finding, Scenario
from turnsure.scenarios.checks.base import CheckKind, Options, found, read_options, said_as
from turnsure.scenarios.ledger import same
from turnsure.scenarios.moments import Moment, shown_as


class ContradictionOptions(Options):
    """Which facts are compared."""

    id: str = Field(default="id", description="The field that names an item.")
    fields: list[str] = Field(
        default_factory=list[str],
        description="The fields that must not change; all, where none is named.",
    )
    except_fields: list[str] = Field(
        default_factory=list[str],
        alias="except",
        description="Fields that may change, such as a rank.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Compares every item with the last time that the same id was shown."""

    spec: CheckSpec
    options: ContradictionOptions

    def look(self, moment: Moment) -> Sequence[Finding] | None:
        if moment.is_end:
            return None
        known: dict[tuple[str, str], tuple[object, int]] = {}
        for exchange in moment.so_far[:-1]:
            for name, field, value in self._facts(exchange.items):
                known[name, field] = value, exchange.turn
        looked = False
        findings: list[Finding] = []
        for item in moment.exchange.items:
            moment.values.set("item", dict(item))
            for name, field, value in self._facts((item,)):
                looked = True
                before, turn = known.get((name, field), (value, moment.turn))
                if not same(before, value):
                    findings.append(
                        found(
                            self.spec,
                            moment,
                            f"{name} has {field} {said_as(value)} now and had {said_as(before)} "
                            f"at turn {turn}",
                            evidence=shown_as(dict(item)),
                        )
                    )
                known[name, field] = value, moment.turn
        return findings if looked else None

    def _facts(self, items: Sequence[Item]) -> Iterator[tuple[str, str, object]]:
        """Id, field and value of everything that items state."""
        key = self.options.id
        left_out = {key, *self.options.except_fields}
        for item in items:
            if key not in item:
                continue
            for field in self.options.fields or item:
                if field in item and field not in left_out:
                    yield str(item[key]), field, item[field]


def _build(spec: CheckSpec, scenario: Scenario) -> Contradiction:
    del scenario
    return Contradiction(spec=spec, options=read_options(ContradictionOptions, spec))


KIND = CheckKind(
    build=_build, failure="contradiction", scopes=("item",), options=ContradictionOptions
)
