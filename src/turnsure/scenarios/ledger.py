"""The rules that hold at a turn, which come from the scenario alone.

What the assistant says that it remembers plays no part: an assistant that misremembers the budget
would agree with itself.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnsure.core.conversation import Transcript
from turnsure.core.errors import InputError
from turnsure.core.scenario import Reveal, Scenario


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """A rule's value that another one has replaced.

    Attributes
    ----------
    rule
        Its name.
    old, new
        The value before, and the one that took its place.
    since
        The turn at which that happened.
    """

    rule: str
    old: Any
    new: Any
    since: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What holds as of one turn, the user's message of that turn included.

    Attributes
    ----------
    turn
        From 1; 0 before anything was said.
    rules
        Values of the rules in force, by name.
    since
        For each rule in force, the turn at which it got the value that it has.
    replaced
        Every value that was replaced, oldest first, also of rules that were withdrawn later.
    withdrawn
        Rules that no longer hold, and the turn at which they were withdrawn.
    rejected
        Ids of items that the user has turned down, and the turn at which.
    """

    turn: int = 0
    rules: Mapping[str, Any] = field(default_factory=dict[str, Any])
    since: Mapping[str, int] = field(default_factory=dict[str, int])
    replaced: tuple[Replaced, ...] = ()
    withdrawn: Mapping[str, int] = field(default_factory=dict[str, int])
    rejected: Mapping[str, int] = field(default_factory=dict[str, int])

    def after(self, turn: int, reveals: Sequence[Reveal]) -> Ledger:
        """The ledger once the user has made these known, in this order, at this turn."""
        if not reveals:
            return Ledger(
                turn=turn,
                rules=self.rules,
                since=self.since,
                replaced=self.replaced,
                withdrawn=self.withdrawn,
                rejected=self.rejected,
            )
        rules, since = dict(self.rules), dict(self.since)
        replaced, withdrawn = list(self.replaced), dict(self.withdrawn)
        rejected = dict(self.rejected)
        for reveal in reveals:
            for name in reveal.withdraws:
                if name in rules:
                    del rules[name], since[name]
                    withdrawn[name] = turn
            for name, value in reveal.sets.items():
                if name in rules and same(rules[name], value):
                    continue
                if name in rules:
                    replaced.append(Replaced(rule=name, old=rules[name], new=value, since=turn))
                rules[name], since[name] = value, turn
                withdrawn.pop(name, None)
            for item in reveal.rejects:
                rejected.setdefault(item, turn)
        return Ledger(
            turn=turn,
            rules=rules,
            since=since,
            replaced=tuple(replaced),
            withdrawn=withdrawn,
            rejected=rejected,
        )

    def last_change(self, rule: str) -> Replaced | None:
        """The twist that gave a rule the value in force; None where it has had only one."""
        if rule not in self.rules:
            return None
        found = [one for one in self.replaced if one.rule == rule]
        return found[-1] if found and found[-1].since == self.since[rule] else None

    @property
    def values(self) -> Mapping[str, Any]:
        """Plain values for expressions."""
        return {
            "turn": self.turn,
            "since": dict(self.since),
            "replaced": [
                {"rule": one.rule, "old": one.old, "new": one.new, "since": one.since}
                for one in self.replaced
            ],
            "withdrawn": dict(self.withdrawn),
            "rejected": dict(self.rejected),
        }


def same(one: object, other: object) -> bool:
    """Whether two JSON values are equal; ``true`` is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


def ledger_at(scenario: Scenario, transcript: Transcript, turn: int) -> Ledger:
    """The rules as of a turn.

    Parameters
    ----------
    scenario
        Says what each reveal sets, changes, withdraws and rejects.
    transcript
        Says which reveals were made at which turn.
    turn
        0 to the number of exchanges.

    Raises
    ------
    InputError
        There is no such turn, or the transcript makes a reveal that the scenario does not have.
    """
    n_turns = len(transcript.exchanges)
    if not 0 <= turn <= n_turns:
        raise InputError(f"it is {turn}", field="turn", expected=f"0 to {n_turns}")
    return ledgers(scenario, transcript)[turn]


def ledgers(scenario: Scenario, transcript: Transcript) -> list[Ledger]:
    """The ledger before anything was said, and after each turn: one more than there are turns."""
    known = {one.id: one for one in scenario.reveals}
    kept = [Ledger()]
    for exchange in transcript.exchanges:
        for name in exchange.reveals:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise InputError(
                    f"turn {exchange.turn} makes the reveal {name!r}, which scenario "
                    f"{scenario.id!r} does not have{hint}",
                    field="reveals",
                    expected=", ".join(known),
                )
        made = [known[name] for name in exchange.reveals]
        kept.append(kept[-1].after(exchange.turn, made))
    return kept
