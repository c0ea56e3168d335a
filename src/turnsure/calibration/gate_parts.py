"""What a gate is limited to: whatever the score, and by its evidence."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field

from turnsure.core.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLimits:
    """What holds whatever the score.

    Attributes
    ----------
    most_turns
        From this turn on, 1-based, nothing is asked any more; None for no limit.
    irreversible
        Names of acts that a person has to approve.
    expires
        The last day on which the gate answers, ``YYYY-MM-DD``; None for no end.

    Raises
    ------
    InputError
        One of them is not so.
    """

    most_turns: int | None = None
    irreversible: tuple[str, ...] = ()
    expires: str | None = None

    def __post_init__(self) -> None:
        if self.most_turns is not None and self.most_turns < 1:
            raise InputError(
                f"it is {self.most_turns}", field="most_turns", expected="a whole number from 1 on"
            )
        if not all(act.strip() for act in self.irreversible):
            raise InputError("an act has no name", field="irreversible", expected="names")
        if self.expires is not None and not _is_day(self.expires):
            raise InputError(
                f"it is {self.expires!r}", field="expires", expected="a day as YYYY-MM-DD"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class GateValidity:
    """What the evidence covers.

    Attributes
    ----------
    turns
        First and last turn; None where the scores have no turns.
    most_characters
        Of a rendered dialogue; None where it is not known.
    task
        The one task of all dialogues, None where they have several.
    closing
        What all dialogues say after the last hint, None for the usual words.
    slices
        By name, the values that were measured.
    """

    turns: tuple[int, int] | None = None
    most_characters: int | None = None
    task: str | None = None
    closing: str | None = None
    slices: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


def _is_day(text: str) -> bool:
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return day.isoformat() == text
