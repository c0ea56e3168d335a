"""What the controls showed to the model: placebo hints, single-turn texts, supplied answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from turnsure.core.confidence import Confidence
from turnsure.core.dialogue import NOTE
from turnsure.core.outcome import Failure
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.report.text import printable

SAME = "same_as_the_turn"
"""Kind of the failure of a turn that reads the same whichever way the hints are told."""

MOST_SHOWN = 30
MOST_SUMMARIES = 10
_MOST_FLAGGED = 5
"""So many of the summaries listed are ones with problems, where there are that many."""

_HINT, _POOL, _TEXT, _PROBLEMS, _SOURCE = (
    f"{NOTE}{name}" for name in ("hint", "pool", "text", "problems", "source")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownText:
    """One text at one turn.

    Attributes
    ----------
    dialogue, turn
        Where.
    text
        What was shown, or would have been.
    kind
        The pool or the source; empty for summaries.
    problems
        What the guard found, with commas; empty for nothing.
    left_out
        Whether the turn was not measured because of them.
    """

    dialogue: str
    turn: int
    text: str
    kind: str = ""
    problems: str = ""
    left_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTexts:
    """Some of the texts, in the order of the data, and how many there are; no text is blank."""

    entries: tuple[ShownText, ...]
    total: int


def placebo_hints(controlled: TurnsTable) -> ShownTexts:
    """The hints that stood in place of real ones."""
    return _listed(
        [
            ShownText(
                dialogue=row.dialogue,
                turn=row.turn,
                text=row.meta[_HINT],
                kind=row.meta.get(_POOL, ""),
            )
            for row in _states(controlled, "placebo")
            if _HINT in row.meta
        ],
        MOST_SHOWN,
    )


def single_turn_texts(controlled: TurnsTable, condition: str) -> ShownTexts:
    """Summaries or joined hints, some of those with problems among them."""
    texts = _not_blank(
        ShownText(
            dialogue=row.dialogue,
            turn=row.turn,
            text=text,
            problems=row.meta.get(_PROBLEMS, ""),
            left_out=_is_flagged(row),
        )
        for row in _states(controlled, condition)
        if (text := _single_turn_text(row)) is not None
    )
    flagged = _evenly([k for k, one in enumerate(texts) if one.problems], _MOST_FLAGGED)
    sound = [k for k, one in enumerate(texts) if not one.problems]
    kept = sorted([*flagged, *_evenly(sound, MOST_SUMMARIES - len(flagged))])
    return ShownTexts(entries=tuple(texts[k] for k in kept), total=len(texts))


def supplied_answers(controlled: TurnsTable) -> ShownTexts:
    """The wrong answers that were judged."""
    return _listed(
        [
            ShownText(
                dialogue=row.dialogue,
                turn=row.turn,
                text=row.answer,
                kind=row.meta.get(_SOURCE, ""),
            )
            for row in _states(controlled, "supplied:")
            if row.answer is not None
        ],
        MOST_SHOWN,
    )


def _states(controlled: TurnsTable, condition: str) -> list[TurnRow]:
    """One row for each dialogue, turn and condition; a condition that ends in ``:`` has parts."""
    rows: Mapping[tuple[str, int, str], TurnRow] = {
        (row.dialogue, row.turn, row.condition): row
        for row in reversed(controlled.rows)
        if row.condition == condition
        or (condition.endswith(":") and row.condition.startswith(condition))
    }
    return list(reversed(rows.values()))


def _single_turn_text(row: TurnRow) -> str | None:
    """The text that was shown, or the one that the guard held back.

    None where the format would have shown what the turn shows, which was not asked again.
    """
    if not isinstance(row.confidence, Failure) or row.confidence.stage != "control":
        return row.meta.get(_TEXT)
    return None if row.confidence.kind == SAME else row.confidence.raw


def _is_flagged(row: TurnRow) -> bool:
    found = row.confidence
    return not isinstance(found, Confidence) and found.stage == "control"


def _not_blank(texts: Iterable[ShownText]) -> list[ShownText]:
    """Those with something to read."""
    return [one for one in texts if printable(one.text).strip()]


def _listed(found: Iterable[ShownText], most: int) -> ShownTexts:
    texts = _not_blank(found)
    kept = _evenly(range(len(texts)), most)
    return ShownTexts(entries=tuple(texts[k] for k in kept), total=len(texts))


def _evenly(places: Sequence[int], most: int) -> list[int]:
    """At most ``most`` of the places, evenly spaced."""
    n = min(len(places), most)
    return [places[k * len(places) // n] for k in range(n)]
