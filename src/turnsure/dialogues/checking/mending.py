"""Leaving out what is broken: hints where that changes nothing else, else dialogues."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.checking.check import check_dialogue, check_files
from turnsure.dialogues.checking.finding import Finding, Kind, Place, Placed, Rules
from turnsure.dialogues.checking.reading import CheckedFile
from turnsure.dialogues.summary import statement_of

DROPPABLE: frozenset[Kind] = frozenset(
    {"answer_named", "first_turn_names_answer", "hint_repeats", "hint_empty"}
)
"""Errors of one hint: without it, the others still say the same."""

LEAST_TURNS = 2
"""A dialogue that would keep fewer is left out: there is no course of confidence in one turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Something that was left out.

    Attributes
    ----------
    place
        File and line.
    dialogue
        The id; None for a line that is no dialogue.
    turn
        The turn of the hint in the file as it was; None when all of the dialogue is left out.
    because
        The errors that led to it.
    text
        What the hint said; None when all of the dialogue is left out.
    remark
        Why the dialogue went where a hint alone is at fault; None where that is no question.
    """

    place: Place
    dialogue: str | None
    turn: int | None
    because: tuple[Kind, ...]
    text: str | None = None
    remark: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """What is left of a file, without any error, and what is not.

    Attributes
    ----------
    kept
        Dialogues with the place that they had in the file.
    dropped
        What was left out, by place.
    """

    kept: tuple[Placed, ...]
    dropped: tuple[Dropped, ...]

    @property
    def dialogues(self) -> tuple[Dialogue, ...]:
        """What is left."""
        return tuple(placed.dialogue for placed in self.kept)

    def without(self, findings: Iterable[Finding]) -> Mended:
        """The same without the dialogues that some findings are about."""
        because: defaultdict[Place | None, list[Finding]] = defaultdict(list)
        for finding in findings:
            because[finding.place].append(finding)
        gone = [one for one in self.kept if one.place in because]
        dropped = [_whole(one.place, one.dialogue.id, because[one.place]) for one in gone]
        return Mended(
            kept=tuple(one for one in self.kept if one.place not in because),
            dropped=_in_order([*self.dropped, *dropped]),
        )


def mend(files: Sequence[CheckedFile], findings: Iterable[Finding], rules: Rules) -> Mended:
    """Leave out what is broken in the first of some files.

    Parameters
    ----------
    files
        As they were checked together.
    findings
        Of :func:`~turnsure.dialogues.checking.check.check_files` for them, by the same rules.
    rules
        By which the outcome is checked again; what still has an error is left out too.
    """
    first, others = files[0], files[1:]
    errors = _errors(findings, first.name)
    readable = {placed.place for placed in first.dialogues}
    dropped = [_whole(at, None, found) for at, found in errors.items() if at not in readable]
    kept: list[Placed] = []
    for placed in first.dialogues:
        mended, gone = _mended(placed, errors.get(placed.place, []), rules)
        dropped += gone
        if mended is not None:
            kept.append(replace(placed, dialogue=mended))
    rest = CheckedFile(name=first.name, dialogues=tuple(kept))
    broken = _errors(check_files([rest, *others], rules), first.name)
    dropped += [
        _whole(placed.place, placed.dialogue.id, broken[placed.place])
        for placed in kept
        if placed.place in broken
    ]
    return Mended(
        kept=tuple(placed for placed in kept if placed.place not in broken),
        dropped=_in_order(dropped),
    )


def _in_order(dropped: Iterable[Dropped]) -> tuple[Dropped, ...]:
    return tuple(sorted(dropped, key=lambda one: (one.place.line, one.turn or 0)))


def _errors(findings: Iterable[Finding], file: str) -> dict[Place, list[Finding]]:
    """The errors in a file, by their place."""
    errors: defaultdict[Place, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.is_error and finding.place is not None and finding.place.file == file:
            errors[finding.place].append(finding)
    return dict(errors)


def _mended(
    placed: Placed, errors: Sequence[Finding], rules: Rules
) -> tuple[Dialogue | None, list[Dropped]]:
    """The dialogue without its broken hints, or None; and what is left out."""
    dialogue, place = placed.dialogue, placed.place
    if not errors:
        return dialogue, []
    kinds: defaultdict[int, list[Kind]] = defaultdict(list)
    for error in errors:
        if error.turn is None or error.kind not in DROPPABLE:
            return None, [_whole(place, dialogue.id, errors)]
        kinds[error.turn].append(error.kind)
    rest = _without(dialogue, frozenset(kinds))
    if isinstance(rest, str):
        return None, [replace(_whole(place, dialogue.id, errors), remark=rest)]
    still = [finding for finding in check_dialogue(rest, rules) if finding.is_error]
    if still:
        return None, [_whole(place, dialogue.id, [*errors, *still])]
    return rest, [
        Dropped(
            place=place,
            dialogue=dialogue.id,
            turn=turn,
            because=tuple(because),
            text=statement_of(dialogue.hints[turn - 1]),
        )
        for turn, because in sorted(kinds.items())
    ]


def _whole(place: Place, dialogue: str | None, errors: Sequence[Finding]) -> Dropped:
    kinds: list[Kind] = [error.kind for error in errors]
    because = tuple(dict.fromkeys(kinds))
    return Dropped(place=place, dialogue=dialogue, turn=None, because=because)


def _without(dialogue: Dialogue, turns: frozenset[int]) -> Dialogue | str:
    """The dialogue without some turns, or why it would not be true or of use any more."""
    left = [turn for turn in range(1, dialogue.n_turns + 1) if turn not in turns]
    if len(left) < LEAST_TURNS:
        return f"fewer than {LEAST_TURNS} hints would be left"
    if not _changes_nothing(dialogue, turns, last=left[-1]):
        return "later turns build on the hint"
    return replace(
        dialogue,
        hints=tuple(dialogue.hints[turn - 1] for turn in left),
        remaining=tuple(dialogue.remaining[turn - 1] for turn in left if dialogue.remaining),
    )


def _changes_nothing(dialogue: Dialogue, turns: frozenset[int], *, last: int) -> bool:
    """Whether what is known of the other turns stays true without these.

    The candidates of a turn hold what all hints before it ruled out, so that a hint before the
    last one kept can go only if it ruled nothing out; corrections name turns by their number.
    """
    inner = [turn for turn in turns if turn < last]
    if inner and any(hint.corrects is not None for hint in dialogue.hints):
        return False
    if not dialogue.remaining:
        return True
    everything = tuple(range(len(dialogue.candidates)))
    states = [set(places) for places in (everything, *dialogue.remaining)]
    return all(states[turn] == states[turn - 1] for turn in inner)
