"""Dialogues as values: a task, hints that arrive one a turn, and the accepted answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from turnsure.core.errors import InputError

MessageRole = Literal["system", "user", "assistant", "tool"]

NOTE = "control."
"""Names in meta that begin so are a control's notes of a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call that an assistant message makes: tool name and arguments as JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message.

    Attributes
    ----------
    role, content
        Who speaks, and the text.
    tool_calls
        What an assistant's message calls.
    tool_call_id
        For a tool's message, the call that it answers; None where only their order tells.
    """

    role: MessageRole
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """One turn's information.

    Attributes
    ----------
    question
        What was asked, or None for a plain clue.
    answer
        What was answered, or the clue itself.
    corrects
        The earlier turn, counted from 1, whose hint was false and is put right here; None for
        most.  The words of the hint say so themselves: a model is never shown this mark.
    """

    answer: str
    question: str | None = None
    corrects: int | None = None

    def __post_init__(self) -> None:
        if not self.answer.strip():
            raise InputError("a hint says nothing", field="answer", expected="non-empty text")
        if self.question is not None and not self.question.strip():
            raise InputError(
                "the question is blank", field="question", expected="text, or null for a plain clue"
            )
        if self.corrects is not None and self.corrects < 1:
            raise InputError(
                f"there is no turn {self.corrects}", field="corrects", expected="1 or more"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """What a model may see at one turn: the task and the hints so far.

    It holds neither later hints, nor how many there will be, nor the accepted answers, so nothing
    built from a prefix can leak them.

    Attributes
    ----------
    dialogue
        Id of the dialogue.
    task
        What is to be answered.
    hints
        Hints 1..turn.
    turn
        Counts from 1.
    closing
        What the dialogue itself says after the last hint, None for the usual words.
    """

    dialogue: str
    task: str
    hints: tuple[Hint, ...]
    turn: int
    closing: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """A dialogue in which information accumulates.

    Attributes
    ----------
    id
        Unique within a data set.
    task
        What is to be answered.
    hints
        At least one; turn i reveals hint i.
    gold
        Accepted answers, at least one; the first is the canonical one.
    meta
        Strings for slicing, such as a category.
    closing
        What to say after the last hint ("Now name the country."), None for the usual words.
    candidates
        For dialogues of a closed world, every answer that it knows; empty for others.
    remaining
        For each turn, the places in ``candidates`` of those that fit all hints so far, each hint
        as it was last said; empty without candidates.  Only a correction brings any back.
    """

    id: str
    task: str
    hints: tuple[Hint, ...]
    gold: tuple[str, ...]
    meta: Mapping[str, str] = field(default_factory=dict[str, str])
    closing: str | None = None
    candidates: tuple[str, ...] = ()
    remaining: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        if not self.id.strip():
            raise InputError("the id is blank", field="id", expected="non-empty text")
        if not self.task.strip():
            raise InputError("there is no task", field="task", expected="non-empty text")
        if self.closing is not None and not self.closing.strip():
            raise InputError("the closing is blank", field="closing", expected="text, or none")
        if not self.hints:
            raise InputError("there are no hints", field="hints", expected="one hint or more")
        if not self.gold or not all(answer.strip() for answer in self.gold):
            raise InputError(
                "there is no accepted answer", field="gold", expected="one non-blank text or more"
            )
        for turn, hint in enumerate(self.hints, start=1):
            if hint.corrects is not None and hint.corrects >= turn:
                raise InputError(
                    f"the hint of turn {turn} corrects turn {hint.corrects}",
                    field=f"hints[{turn - 1}].corrects",
                    expected="an earlier turn",
                )
        reserved = next((name for name in self.meta if name.startswith(NOTE)), None)
        if reserved is not None:
            raise InputError(
                f"names that begin with {NOTE!r} are kept for controls",
                field=f"meta.{reserved}",
                expected="another name",
            )
        self._check_candidates()

    def _check_candidates(self) -> None:
        if not self.candidates and not self.remaining:
            return
        if len(self.remaining) != len(self.hints):
            raise InputError(
                f"there are {len(self.remaining)} lists for {len(self.hints)} hints",
                field="remaining",
                expected="one list of candidates a hint",
            )
        n = len(self.candidates)
        before = all_places = frozenset(range(n))
        for turn, places in enumerate(self.remaining, start=1):
            now = frozenset(places)
            if len(now) < len(places) or not all_places >= now:
                raise InputError(
                    f"the list of turn {turn} does not fit",
                    field="remaining",
                    expected=f"different places in candidates, 0 to {n - 1}",
                )
            if self.hints[turn - 1].corrects is None and not now <= before:
                raise InputError(
                    f"a candidate is back at turn {turn}, whose hint corrects none",
                    field="remaining",
                    expected="candidates of the turn before, or a hint that has `corrects`",
                )
            before = now

    def candidates_at(self, turn: int) -> tuple[str, ...]:
        """The candidates that fit the hints up to ``turn``; empty without a closed world."""
        if not self.remaining:
            return ()
        return tuple(self.candidates[place] for place in self.remaining[turn - 1])

    def ideal_confidence(self, turn: int, candidate: str) -> float:
        """The confidence in one answer that the hints up to a turn justify, in [0, 1].

        The hints are taken at their word and all candidates that fit them are alike: 1/n for
        each of the n that remain, 0 for every other.

        Parameters
        ----------
        turn
            From 1 to n_turns.
        candidate
            As ``candidates`` spells it.

        Raises
        ------
        InputError
            The dialogue has no closed world or no such turn, or its world has no such candidate.
        """
        places = self._places(turn)
        if candidate not in self.candidates:
            raise InputError(
                f"the world of dialogue {self.id!r} has no {candidate!r}",
                field="candidate",
                expected="one of the dialogue's candidates",
            )
        return 1 / len(places) if self.candidates.index(candidate) in places else 0.0

    def is_identified(self, turn: int) -> bool:
        """Whether the hints up to a turn leave one candidate.

        Raises
        ------
        InputError
            The dialogue has no closed world, or no such turn.
        """
        return len(self._places(turn)) == 1

    def _places(self, turn: int) -> tuple[int, ...]:
        if not self.remaining:
            raise InputError(
                f"dialogue {self.id!r} has no closed world",
                field="candidates",
                expected="a dialogue with candidates",
            )
        self._check_turn(turn)
        return self.remaining[turn - 1]

    @property
    def n_turns(self) -> int:
        """L, the number of turns."""
        return len(self.hints)

    def prefix(self, turn: int) -> Prefix:
        """What may be seen at ``turn`` (1..n_turns)."""
        self._check_turn(turn)
        return Prefix(
            dialogue=self.id,
            task=self.task,
            hints=self.hints[:turn],
            turn=turn,
            closing=self.closing,
        )

    def _check_turn(self, turn: int) -> None:
        if not 1 <= turn <= self.n_turns:
            raise InputError(
                f"dialogue {self.id!r} has no turn {turn}",
                field="turn",
                expected=f"1 to {self.n_turns}",
            )
