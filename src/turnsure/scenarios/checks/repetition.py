"""An item that the user turned down comes back, or the same items are shown again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from turnsure.core.conversation import Item
from turnsure.core.scenario import CheckSpec, Finding, Scenario
from turnsure.scenarios.checks.base import CheckKind, Options, found, read_options
from turnsure.scenarios.moments import Moment, shown_as


class RepetitionOptions(Options):
    """What counts as a repetition."""

    id: str = Field(default="id", description="The field that names an item.")
    same_set: int | None = Field(
        default=None,
        ge=2,
        description=(
            "At how many turns the same set of items may not be shown: 3 allows two; none allows "
            "any number."
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """Looks at the ids of the items shown."""

    spec: CheckSpec
    options: RepetitionOptions

    def look(self, moment: Moment) -> Sequence[Finding] | None:
        if moment.is_end:
            return None
        now = self._ids(moment.exchange.items)
        if not now:
            return None
        findings = [
            self._rejected(moment, item, moment.ledger.rejected[name])
            for item in moment.exchange.items
            if (name := str(item.get(self.options.id))) in moment.ledger.rejected
        ]
        n_times = sum(self._ids(one.items) == now for one in moment.so_far)
        if self.options.same_set is not None and n_times >= self.options.same_set:
            names = ", ".join(sorted(now))
            findings.append(
                found(
                    self.spec,
                    moment,
                    f"the same items are shown at {n_times} turns by now: {names}",
                    evidence=shown_as(names),
                )
            )
        return findings

    def _rejected(self, moment: Moment, item: Item, turn: int) -> Finding:
        moment.values.set("item", dict(item))
        return found(
            self.spec,
            moment,
            f"{item[self.options.id]} is shown again, which the user turned down at turn {turn}",
            evidence=shown_as(dict(item)),
        )

    def _ids(self, items: Sequence[Item]) -> frozenset[str]:
        return frozenset(str(one[self.options.id]) for one in items if self.options.id in one)


def _build(spec: CheckSpec, scenario: Scenario) -> Repetition:
    del scenario
    return Repetition(spec=spec, options=read_options(RepetitionOptions, spec))


KIND = CheckKind(build=_build, failure="repetition", scopes=("item",), options=RepetitionOptions)
