"""What a check finds, and by which rules it looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.english import plain

Severity = Literal["error", "warning"]

Kind = Literal[
    "line_unreadable",
    "answer_missing",
    "answer_named",
    "first_turn_names_answer",
    "one_candidate_at_first",
    "hint_repeats",
    "hint_empty",
    "hints_contradict",
    "answer_matches_nothing",
    "answer_accepts_anything",
    "answer_no_candidate",
    "answer_ruled_out",
    "candidates_unfit",
    "id_twice",
    "hints_twice",
    "set_guessable",
    "answer_almost_named",
    "number_named",
    "hint_nearly_repeats",
    "hints_may_contradict",
    "hint_blank",
    "hint_narrows_nothing",
    "one_turn",
    "many_turns",
    "alias_matches_nothing",
    "answer_placeholder",
    "answer_instruction",
    "entity_twice",
    "odd_characters",
    "guessable",
    "answers_do_not_rise",
]

ERRORS: Mapping[Kind, str] = MappingProxyType(
    {
        "line_unreadable": "the line is no dialogue",
        "answer_missing": "there is no accepted answer",
        "answer_named": "a hint names an accepted answer",
        "first_turn_names_answer": "the first hint names an accepted answer",
        "one_candidate_at_first": "one candidate is left at turn 1",
        "hint_repeats": "a hint says again what an earlier one said",
        "hint_empty": "a hint holds punctuation only",
        "hints_contradict": "the same question is answered yes and no",
        "answer_matches_nothing": "no accepted answer has a letter or digit",
        "answer_accepts_anything": "the accepted answers admit every reply",
        "answer_no_candidate": "no accepted answer is among the candidates",
        "answer_ruled_out": "the right candidate is ruled out",
        "candidates_unfit": "the lists of candidates do not fit the hints",
        "id_twice": "an id is used twice",
        "hints_twice": "two dialogues have the same hints",
        "set_guessable": "more answers than allowed are guessed without hints",
    }
)
"""Kinds after which a dialogue is not fit to be measured, and what they say."""

WARNINGS: Mapping[Kind, str] = MappingProxyType(
    {
        "answer_almost_named": "a hint has a word very like the answer",
        "number_named": "a hint holds the number that is the answer",
        "hint_nearly_repeats": "a hint says nearly what an earlier one said",
        "hints_may_contradict": "answers to one question differ",
        "hint_blank": "a blank clue is left out",
        "hint_narrows_nothing": "a hint rules no candidate out",
        "one_turn": "one turn only: no Kendall τ, no placebo",
        "many_turns": "more turns than usual",
        "alias_matches_nothing": "a further answer has no letter or digit",
        "answer_placeholder": "an accepted answer looks like a missing value",
        "answer_instruction": "an accepted answer holds words to a grader",
        "entity_twice": "several dialogues have the same answer",
        "odd_characters": "a text holds damaged or invisible characters",
        "guessable": "the model guesses the answer without any hint",
        "answers_do_not_rise": "hints do not make answers right more often",
    }
)
"""Kinds that a person should look at, and what they say."""

FROM_ANSWERS: frozenset[Kind] = frozenset({"set_guessable", "guessable", "answers_do_not_rise"})
"""Kinds that only a model's answers show; no check of the dialogues alone finds them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a dialogue stands: a file as the user named it, and a line, counted from 1."""

    file: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that is wrong with a dialogue, or may be.

    Attributes
    ----------
    kind
        One of :data:`ERRORS` or :data:`WARNINGS`.
    evidence
        What shows it, with the words of the dialogue.
    dialogue
        The id; None for a line that is no dialogue, and for the dialogues as a whole.
    turn
        Counted from 1; None where it is not about one turn.
    field
        Path in the file's line, such as ``hints[2].answer``; None for the dialogue as a whole.
    place
        File and line; None for a dialogue that is not of a file, and for all of them.
    """

    kind: Kind
    evidence: str
    dialogue: str | None
    turn: int | None = None
    field: str | None = None
    place: Place | None = None

    @property
    def severity(self) -> Severity:
        """How much it matters."""
        return "error" if self.kind in ERRORS else "warning"

    @property
    def is_error(self) -> bool:
        """Whether the dialogue is not fit to be measured."""
        return self.severity == "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How texts are compared, and what is usual.

    Attributes
    ----------
    normalise
        The normal form of an answer, words parted by blanks; best the one of the grader that will
        be used.
    most_turns
        Dialogues with more turns are pointed out.
    """

    normalise: Callable[[str], str] = plain
    most_turns: int = 30


Check = Callable[[Dialogue, Rules], Iterator[Finding]]
"""The shape of every check of one dialogue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A dialogue and where it stands."""

    dialogue: Dialogue
    place: Place


def hint_field(turn: int, part: str) -> str:
    """The path of a part of a hint; turns count from 1, places in a file from 0."""
    return f"hints[{turn - 1}].{part}"
