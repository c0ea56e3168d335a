"""Whether hints repeat or contradict one another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.checking.finding import Finding, Kind, Rules, hint_field
from turnsure.dialogues.english import Token, plain, tokens
from turnsure.dialogues.english_lists import (
    COMPARING,
    FUNCTION_WORDS,
    NEGATORS,
    NO,
    SCAFFOLDING,
    YES,
)
from turnsure.dialogues.summary import statement_of

_TELLING = frozenset(
    {"only", "all", "every", "always", "both", "each", "up", "down", "off", "out", "from"}
)
_EMPTY = (FUNCTION_WORDS | SCAFFOLDING) - COMPARING - NEGATORS - _TELLING
"""Words that may differ between two hints that say the same."""

_LEAST_CONTENT = 2
"""Words of content from which on two texts can be told to say the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A hint as it is compared.

    Attributes
    ----------
    turn, hint
        As they are in the dialogue.
    question
        Normal form, empty for a plain clue.
    answer
        Normal form; ``yes`` and ``no`` for every way to begin so.
    asks, tells
        The words of content of question and answer, in order.
    """

    turn: int
    hint: Hint
    question: str
    answer: str
    asks: tuple[str, ...]
    tells: tuple[str, ...]

    @property
    def is_clue(self) -> bool:
        """Whether nothing was asked."""
        return self.hint.question is None


def find_repeats(dialogue: Dialogue, rules: Rules) -> Iterator[Finding]:
    """Find hints that say an earlier hint again, or the contrary of it.

    A hint gives one finding, at the later of two turns.  Hints that were put right meanwhile, or
    are put right by this one, count no more.  Nothing is said of questions that are
    open and without content ("What else?"), since they may have many answers.
    """
    del rules  # hints are compared as English, not as answers
    earlier: list[_Said] = []
    for turn, hint in enumerate(dialogue.hints, start=1):
        said = _said(turn, hint)
        earlier = [one for one in earlier if one.turn != hint.corrects]
        for compare in (_same, _near):
            found = _latest(earlier, said, compare)
            if found is not None:
                before, kind = found
                yield Finding(
                    kind=kind,
                    evidence=f"turn {before.turn}: {statement_of(before.hint)} "
                    f"turn {turn}: {statement_of(hint)}",
                    dialogue=dialogue.id,
                    turn=turn,
                    field=hint_field(turn, "answer"),
                )
                break
        earlier.append(said)


def _latest(
    earlier: list[_Said], said: _Said, compare: Callable[[_Said, _Said], Kind | None]
) -> tuple[_Said, Kind] | None:
    """The last of the earlier hints that a hint repeats or contradicts."""
    for before in reversed(earlier):
        kind = compare(before, said)
        if kind is not None:
            return before, kind
    return None


def find_empty_hints(dialogue: Dialogue, rules: Rules) -> Iterator[Finding]:
    """Find hints of which the answer holds neither a letter nor a digit nor a symbol."""
    del rules
    for turn, hint in enumerate(dialogue.hints, start=1):
        if not plain(hint.answer):
            yield Finding(
                kind="hint_empty",
                evidence=statement_of(hint),
                dialogue=dialogue.id,
                turn=turn,
                field=hint_field(turn, "answer"),
            )


def _said(turn: int, hint: Hint) -> _Said:
    question = hint.question or ""
    answer = plain(hint.answer)
    first = answer.partition(" ")[0]
    if question and first in YES | NO:
        answer = "yes" if first in YES else "no"
    return _Said(
        turn=turn,
        hint=hint,
        question=plain(question),
        answer=answer,
        asks=content_words(question),
        tells=content_words(hint.answer),
    )


def content_words(text: str) -> tuple[str, ...]:
    """The telling words in order, each in its shortest form."""
    return tuple(_lemma(word.forms) for word in tokens(text) if _tells(word))


def _tells(word: Token) -> bool:
    """Whether a word is one of content; a capital within a sentence is one ("begins with A")."""
    is_name = word.text[0].isupper() and not word.starts
    return is_name or not word.forms & _EMPTY


def _lemma(forms: frozenset[str]) -> str:
    return min(forms, key=lambda form: (len(form), form))


def _same(before: _Said, now: _Said) -> Kind | None:
    """What two hints are to each other, to the letter."""
    if before.is_clue != now.is_clue or before.question != now.question:
        return None
    if before.answer == now.answer:
        return "hint_repeats" if now.answer else None
    if {before.answer, now.answer} == {"yes", "no"}:
        return "hints_contradict"
    return None


def _near(before: _Said, now: _Said) -> Kind | None:
    """What two hints are to each other, by their words of content."""
    if before.is_clue != now.is_clue:
        return None
    if now.is_clue:
        return _alike(before.tells, now.tells, "hint_nearly_repeats")
    same_question = before.question == now.question and bool(now.asks)
    if not same_question and _alike(before.asks, now.asks, "hint_nearly_repeats") is None:
        return None
    if before.answer == now.answer or (before.tells and before.tells == now.tells):
        return "hint_nearly_repeats"
    signs = {"yes", "no"}
    return "hints_may_contradict" if same_question or {before.answer, now.answer} == signs else None


def _alike(before: tuple[str, ...], now: tuple[str, ...], kind: Kind) -> Kind | None:
    """The kind when two texts have the same words of content, and enough of them."""
    return kind if before == now and len(now) >= _LEAST_CONTENT else None
