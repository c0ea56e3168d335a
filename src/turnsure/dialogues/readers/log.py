"""What became of every record: kept, dropped with a reason, or kept without some of its parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from turnsure.core.errors import InputError

MALFORMED = "malformed"
"""The reason of a record that lacks a field or holds a value of another kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often one thing happened.

    Attributes
    ----------
    reason
        Why.
    n
        How often, at least 1.
    first
        Where it happened first, and for malformed records what is wrong there.
    """

    reason: str
    n: int
    first: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReport:
    """What became of the records read so far; ``n_records == n_dialogues + n_dropped``.

    Attributes
    ----------
    n_records
        Records: questions, games or conversations, however many lines each takes.
    n_dialogues
        Those that became dialogues.
    n_turns
        Hints in all of these.
    dropped
        Records that became none, by reason, in the order in which the reasons came up.
    left_out
        Parts (clues, messages, rows) that dialogues were kept without.
    """

    n_records: int
    n_dialogues: int
    n_turns: int
    dropped: tuple[Tally, ...]
    left_out: tuple[Tally, ...]

    @property
    def n_dropped(self) -> int:
        """Records that became no dialogue."""
        return sum(one.n for one in self.dropped)


class ReadLog:
    """Counts while a file is read; one log may go through several files.

    Parameters
    ----------
    strict
        Raise the first malformed record instead of counting it.

    Attributes
    ----------
    first_problem
        What is wrong with the first malformed record of the present file, None if there is none.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.first_problem: InputError | None = None
        self._n_records = 0
        self._n_dialogues = 0
        self._n_turns = 0
        self._dropped: dict[str, Tally] = {}
        self._left_out: dict[str, Tally] = {}

    def begin_file(self) -> None:
        """Forget the first problem, which is one of the file before; the counts go on."""
        self.first_problem = None

    def keep(self, n_turns: int, *, place: str, left_out: Iterable[str] = ()) -> None:
        """Count a record that became a dialogue, and the parts that it lost."""
        self._n_records += 1
        self._n_dialogues += 1
        self._n_turns += n_turns
        for reason in left_out:
            self.leave_out(reason, place=place)

    def drop(self, reason: str, *, place: str) -> None:
        """Count a record that cannot become a dialogue."""
        self._n_records += 1
        _count(self._dropped, reason, place)

    def leave_out(self, reason: str, *, place: str) -> None:
        """Count a part that its dialogue is kept without."""
        _count(self._left_out, reason, place)

    def malformed(self, problem: InputError) -> None:
        """Count a record that breaks the format.

        Raises
        ------
        InputError
            The log is strict.
        """
        self._refuse(problem)
        self.drop(MALFORMED, place=str(problem))

    def malformed_part(self, problem: InputError) -> None:
        """Count a part that breaks the format while the rest of its dialogue is sound.

        Raises
        ------
        InputError
            The log is strict.
        """
        self._refuse(problem)
        self.leave_out(f"{MALFORMED} row", place=str(problem))

    def _refuse(self, problem: InputError) -> None:
        if self.strict:
            raise problem
        if self.first_problem is None:
            self.first_problem = problem

    def report(self) -> ReadReport:
        """The counts so far."""
        return ReadReport(
            n_records=self._n_records,
            n_dialogues=self._n_dialogues,
            n_turns=self._n_turns,
            dropped=tuple(self._dropped.values()),
            left_out=tuple(self._left_out.values()),
        )


def _count(tallies: dict[str, Tally], reason: str, place: str) -> None:
    known = tallies.get(reason)
    tallies[reason] = (
        Tally(reason=reason, n=1, first=place)
        if known is None
        else Tally(reason=reason, n=known.n + 1, first=known.first)
    )
