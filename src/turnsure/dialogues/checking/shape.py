"""Whether a dialogue has a usable number of turns."""

from __future__ import annotations

from collections.abc import Iterator

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.checking.finding import Finding, Rules


def find_odd_lengths(dialogue: Dialogue, rules: Rules) -> Iterator[Finding]:
    """Find dialogues of one turn, and of more turns than the rules call usual.

    Kendall τ needs two turns, and a placebo takes the place of a hint after the first.
    """
    if dialogue.n_turns == 1:
        yield Finding(
            kind="one_turn", evidence="there is 1 hint", dialogue=dialogue.id, field="hints"
        )
    elif dialogue.n_turns > rules.most_turns:
        yield Finding(
            kind="many_turns",
            evidence=f"there are {dialogue.n_turns} hints, over {rules.most_turns}",
            dialogue=dialogue.id,
            field="hints",
        )
