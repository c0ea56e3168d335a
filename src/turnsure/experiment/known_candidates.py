"""What is known at every turn of dialogues of closed worlds, and what answers there name."""

from __future__ import annotations

from collections.abc import Iterable

from turnsure.core.closed_world import Ideal
from turnsure.core.dialogue import Dialogue
from turnsure.core.turns import TurnRow
from turnsure.experiment.effects.pairing import Turn
from turnsure.grading.match import MatchGrader

_Names = dict[str, str]
"""Every name of a world's candidates, and whose it is."""


class KnownCandidates:
    """The candidates of several dialogues; those without any are left out.

    A dialogue lists its candidates by one name each and accepts further names of its own answer.
    Dialogues that list the same candidates are of one world, so a name that one of them accepts
    names that candidate in all of them.
    """

    def __init__(self, dialogues: Iterable[Dialogue]) -> None:
        self.dialogues = {one.id: one for one in dialogues if one.remaining}
        self._grader = MatchGrader()
        self._names: dict[tuple[str, ...], _Names] = {}
        self._named: dict[tuple[tuple[str, ...], str], str | None] = {}
        for dialogue in self.dialogues.values():
            own = dialogue.candidates
            if own not in self._names:
                self._names[own] = dict(zip(own, own, strict=True))
        self._gold = {name: self._accepted(one) for name, one in self.dialogues.items()}
        for name, gold in self._gold.items():
            if gold is not None:
                names = self._names[self.dialogues[name].candidates]
                for alias in self.dialogues[name].gold:
                    names.setdefault(alias, gold)

    def turns(self) -> list[Turn]:
        """Every turn of every dialogue."""
        return [
            (name, turn)
            for name, one in self.dialogues.items()
            for turn in range(1, one.n_turns + 1)
        ]

    def widened(self) -> list[Turn]:
        """Turns at which more candidates remain than at the turn before."""
        return [
            (name, turn)
            for name, one in self.dialogues.items()
            for turn in range(2, one.n_turns + 1)
            if len(one.remaining[turn - 1]) > len(one.remaining[turn - 2])
        ]

    def is_identified(self, turn: Turn) -> bool:
        """Whether one candidate remains."""
        return self.dialogues[turn[0]].is_identified(turn[1])

    def can_tell(self, row: TurnRow) -> bool:
        """Whether it is known what the row's answer names: there is one, and it was graded."""
        return row.answer is not None and row.outcome.correct is not None

    def named(self, row: TurnRow) -> str | None:
        """The candidate that the row's answer names, as the graders compare; None for none.

        A right answer names the candidate that is accepted, whatever else it looks like.
        """
        if row.outcome.correct:
            return self._gold[row.dialogue]
        if row.answer is None:
            return None
        world = self.dialogues[row.dialogue].candidates
        if (world, row.answer) not in self._named:
            self._named[world, row.answer] = self._match(row.answer, self._names[world])
        return self._named[world, row.answer]

    def ideal(self, row: TurnRow, kind: Ideal) -> float | None:
        """The ideal confidence in the row's answer; None where it is not known what it names."""
        if not self.can_tell(row):
            return None
        named, dialogue = self.named(row), self.dialogues[row.dialogue]
        if named is None or (kind == "identified" and not dialogue.is_identified(row.turn)):
            return 0.0
        return dialogue.ideal_confidence(row.turn, named)

    def ideal_of_fitting(self, turn: Turn, kind: Ideal) -> float:
        """The ideal confidence in any answer that fits the hints; 0 where none does."""
        n = len(self.dialogues[turn[0]].remaining[turn[1] - 1])
        return 1 / n if n == 1 or (n and kind == "candidate") else 0.0

    def _accepted(self, dialogue: Dialogue) -> str | None:
        names = self._names[dialogue.candidates]
        found = (self._match(text, names) for text in dialogue.gold)
        return next((name for name in found if name is not None), None)

    def _match(self, answer: str, names: _Names) -> str | None:
        matched = self._grader.grade(answer, [*names]).matched
        return None if matched is None else names[matched]
