"""Whether the candidates of a closed world go as they must: fewer, and never without the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.checking.finding import Finding, Rules

_KEPT = 64
"""Lists of candidates whose normal forms are kept; the dialogues of one world share one."""


def find_candidate_faults(dialogue: Dialogue, rules: Rules) -> Iterator[Finding]:
    """Find turns at which the remaining candidates are not what good hints leave.

    That they come back without a correction need not be looked for: no dialogue can be made so.
    """
    if not dialogue.remaining:
        return
    accepted = {rules.normalise(answer) for answer in dialogue.gold} - {""}
    names = _normal_forms(dialogue.candidates, rules.normalise)
    right = {place for place, name in enumerate(names) if name in accepted}
    if right:
        yield from _ruled_out(dialogue, right)
    else:
        yield Finding(
            kind="answer_no_candidate",
            evidence=f"{dialogue.gold[0]!r} is none of {len(names)} candidates",
            dialogue=dialogue.id,
            field="candidates",
        )
    yield from _idle_turns(dialogue)
    if len(dialogue.remaining[0]) == 1 and len(dialogue.candidates) > 1:
        yield Finding(
            kind="one_candidate_at_first",
            evidence=f"of {len(dialogue.candidates)} candidates only "
            f"{dialogue.candidates_at(1)[0]!r} is left",
            dialogue=dialogue.id,
            turn=1,
            field="remaining[0]",
        )


@lru_cache(maxsize=_KEPT)
def _normal_forms(candidates: tuple[str, ...], normalise: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(normalise(name) for name in candidates)


def _ruled_out(dialogue: Dialogue, right: set[int]) -> Iterator[Finding]:
    """The first turn at which the right candidate is gone, and no correction brings it back."""
    for turn, places in enumerate(dialogue.remaining, start=1):
        later = dialogue.hints[turn:]
        is_put_right = any(hint.corrects is not None and hint.corrects <= turn for hint in later)
        if not right & set(places) and not is_put_right:
            yield Finding(
                kind="answer_ruled_out",
                evidence=f"{dialogue.gold[0]!r} is not among the {len(places)} left",
                dialogue=dialogue.id,
                turn=turn,
                field=f"remaining[{turn - 1}]",
            )
            return


def _idle_turns(dialogue: Dialogue) -> Iterator[Finding]:
    """Turns that rule no candidate out though several are left."""
    n_before = len(dialogue.candidates)
    for turn, (hint, places) in enumerate(
        zip(dialogue.hints, dialogue.remaining, strict=True), start=1
    ):
        if len(places) == n_before > 1 and hint.corrects is None:
            yield Finding(
                kind="hint_narrows_nothing",
                evidence=f"{n_before} candidates before and after",
                dialogue=dialogue.id,
                turn=turn,
                field=f"remaining[{turn - 1}]",
            )
        n_before = len(places)
