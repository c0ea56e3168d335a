"""At which turn the user makes what known."""

from __future__ import annotations

from turnsure.core.scenario import Reveal, Scenario

Schedule = tuple[tuple[Reveal, ...], ...]
"""For each turn the reveals made at it; none at a turn at which the user only reacts."""


def schedule(scenario: Scenario, *, one_a_turn: bool = False) -> Schedule:
    """The reveals of every turn, up to the last turn that has one.

    They are made in their order.  A reveal without a turn follows at the turn after the one before
    it; so does one whose turn has passed by then.

    Parameters
    ----------
    one_a_turn
        Of several reveals with the same turn, move all but the first to the turns after it.
    """
    placed: dict[int, list[Reveal]] = {}
    last = 0
    for reveal in scenario.reveals:
        earliest = last + 1 if one_a_turn or reveal.turn is None else max(last, 1)
        last = max(earliest, reveal.turn or 1)
        placed.setdefault(last, []).append(reveal)
    return tuple(tuple(placed.get(turn, ())) for turn in range(1, last + 1))
