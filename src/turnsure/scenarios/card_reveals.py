"""Reveals of a card: their turns, and the rules that they set, change and withdraw."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from turnsure.core.scenario import Reveal
from turnsure.scenarios.card_errors import Loc, Source
from turnsure.scenarios.card_models import RevealCard
from turnsure.scenarios.ledger import same


def reveals_of(
    cards: Sequence[RevealCard], loc: Loc, source: Source, *, most_turns: int
) -> tuple[Reveal, ...]:
    """The reveals, once it is certain that they fit one another.

    Raises
    ------
    InputError
        Turns are out of order or over the limit, a twist does not start from the value in force,
        or a rule is withdrawn that does not hold.
    """
    made: list[Reveal] = []
    rules: dict[str, Any] = {}
    last = 0
    turns = _turns(cards)
    for place, card in enumerate(cards):
        here = (*loc, place)
        _check_turn(turns[place], here, source, last=last, most_turns=most_turns)
        last = turns[place]
        _apply(card, here, source, rules)
        made.append(
            Reveal(
                id=card.id or f"reveal-{place + 1}",
                turn=card.turn,
                say=card.say,
                facts=tuple(card.facts),
                sets={**card.sets, **{name: one.after for name, one in card.changes.items()}},
                withdraws=tuple(card.withdraws),
                rejects=tuple(card.rejects),
            )
        )
    return tuple(made)


def _turns(cards: Sequence[RevealCard]) -> list[int]:
    """At which turn each is made: its own, or the first one that no reveal names."""
    named = {card.turn for card in cards}
    free = (turn for turn in itertools.count(1) if turn not in named)
    return [next(free) if card.turn is None else card.turn for card in cards]


def _check_turn(turn: int, here: Loc, source: Source, *, last: int, most_turns: int) -> None:
    if turn <= last:
        raise source.error(
            f"this is made at turn {turn}, and the reveal before it at turn {last}",
            (*here, "turn"),
            expected="a later turn than that of the reveal before, one reveal a turn",
        )
    if turn > most_turns:
        raise source.error(
            f"turn {turn} is over the limit",
            (*here, "turn"),
            expected=f"at most {most_turns}, the `turns` of `limits`",
        )


def _apply(card: RevealCard, here: Loc, source: Source, rules: dict[str, Any]) -> None:
    """Bring the rules to where they are after a reveal."""
    fields = {"sets": card.sets, "changes": card.changes, "withdraws": card.withdraws}
    seen: dict[str, str] = {}
    for field, names in fields.items():
        for name in names:
            if name in seen:
                raise source.error(
                    f"the rule {name!r} stands in {seen[name]} and in {field}",
                    (*here, field),
                    expected="each rule once a reveal",
                )
            seen[name] = field
    for place, name in enumerate(card.withdraws):
        if name not in rules:
            raise source.error(
                f"the rule {name!r} does not hold at this turn",
                (*here, "withdraws", place),
                expected=_in_force(rules),
            )
        del rules[name]
    for name, change in card.changes.items():
        if name not in rules:
            raise source.error(
                f"the rule {name!r} does not hold at this turn, so that it cannot change",
                (*here, "changes", name),
                expected=f"{_in_force(rules)}, or `sets` for a new rule",
            )
        if not same(rules[name], change.before):
            raise source.error(
                f"{name} is {rules[name]!r} at this turn, and not {change.before!r}",
                (*here, "changes", name, "from"),
                expected=f"the value in force, {rules[name]!r}",
            )
        if same(change.before, change.after):
            raise source.error(
                f"{name} does not change",
                (*here, "changes", name, "to"),
                expected=f"another value than {change.before!r}",
            )
        rules[name] = change.after
    rules.update(card.sets)


def _in_force(rules: dict[str, Any]) -> str:
    return (
        f"a rule that holds: {', '.join(rules)}" if rules else "a rule that an earlier reveal set"
    )
