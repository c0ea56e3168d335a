"""The guard of summaries: whether one says what the hints say, and not the answer.

It works by rules for English, without a model; docs/controls.md lists what it cannot see.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from turnsure.core.dialogue import Hint
from turnsure.dialogues.english import REMARK, Token, accepted_names, names_any, plain, tokens
from turnsure.dialogues.english_lists import (
    CLAUSE_WORDS,
    COMPARING,
    FUNCTION_WORDS,
    NO,
    NUMBER_WORDS,
    SCAFFOLDING,
    YES,
)
from turnsure.dialogues.summary import joined_statements, statement_of
from turnsure.dialogues.summary_polarity import Polarity, Sign, is_denial
from turnsure.dialogues.summary_values import (
    NamedValue,
    Reading,
    named_values,
    subjects_at_start,
)

ProblemKind = Literal["adds", "drops", "empty", "flips", "names_answer", "too_long"]

SPARE_WORDS = 8
"""A summary may be this much longer than the hints: a short pair needs a verb to be a sentence."""

_SHORT_ANSWER = 3
_LEAST_LETTERS = 3
_POINTS = re.compile(r"\bfor (?:10|ten) points\b[,:]?", re.IGNORECASE)
_N_OPENING = 3
_POINTING = frozenset({"the", "this", "that", "these", "those", "your"})
"""With a verb before and a noun behind, the opening of a question: "Is the city …"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryProblem:
    """One thing that is wrong with a summary.

    Attributes
    ----------
    kind
        ``names_answer``: an accepted answer is in it that the hints do not say; ``adds``: a named
        value that is in no hint; ``drops``: something of a hint is gone; ``flips``: a yes reads as
        a no, or a no as a yes; ``empty``; ``too_long``: longer than the hints.
    evidence
        The words it is about.
    hint
        Which hint, from 1, for ``drops`` and ``flips``.
    """

    kind: ProblemKind
    evidence: str
    hint: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryCheck:
    """What the guard found; no problem means that the summary may be used."""

    problems: tuple[SummaryProblem, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.problems


def check_summary(
    summary: str,
    *,
    hints: Sequence[Hint],
    gold: Sequence[str],
    task: str,
    normalise: Callable[[str], str] = plain,
) -> SummaryCheck:
    """Compare a summary with the hints it was made of.

    Parameters
    ----------
    summary
        One paragraph.
    hints
        All of them, at least one.
    gold
        Accepted answers.
    task
        What is asked; a value that stands there is not added.
    normalise
        The normal form in which accepted answers are looked for.

    Raises
    ------
    InputError
        There are no hints.
    """
    source = joined_statements(hints)
    if not tokens(summary) and (tokens(source) or not summary.strip()):
        return SummaryCheck(problems=(SummaryProblem(kind="empty", evidence=summary),))
    return SummaryCheck(
        problems=(
            *_names_answer(summary, (source, task), gold, normalise),
            *_adds(summary, f"{source}\n{task}"),
            *_loses(summary, hints),
            *_too_long(summary, source),
        )
    )


def _names_answer(
    summary: str, known: Sequence[str], gold: Sequence[str], normalise: Callable[[str], str]
) -> Iterator[SummaryProblem]:
    names = accepted_names(gold, normalise)
    said = {answer for text in known for answer in names_any(text, names, normalise)}
    for answer in names_any(summary, names, normalise):
        if answer not in said:
            yield SummaryProblem(kind="names_answer", evidence=answer)


def _adds(summary: str, source: str) -> Iterator[SummaryProblem]:
    known = Reading.of(source)
    added = [
        value.text
        for value in (*named_values(summary), *subjects_at_start(summary))
        if not known.holds(value)
    ]
    for text in dict.fromkeys(added):
        yield SummaryProblem(kind="adds", evidence=text)


def _too_long(summary: str, source: str) -> Iterator[SummaryProblem]:
    n_words, n_allowed = len(summary.split()), len(source.split()) + SPARE_WORDS
    if n_words > n_allowed:
        yield SummaryProblem(kind="too_long", evidence=f"{n_words} words, {n_allowed} allowed")


def _loses(summary: str, hints: Sequence[Hint]) -> Iterator[SummaryProblem]:
    reading, polarity = Reading.of(summary), Polarity.of(summary)
    kept_whole = f" {plain(summary)} "
    contents = [_content(hint) for hint in hints]
    for place, hint in enumerate(hints):
        if f" {plain(statement_of(hint))} " in kept_whole:
            continue
        elsewhere = frozenset[str]().union(
            *(word.forms for i, words in enumerate(contents) if i != place for word in words)
        )
        own = [word for word in contents[place] if not word.forms & elsewhere]
        for kind, evidence in _lost(hint, own or contents[place], reading, polarity):
            yield SummaryProblem(kind=kind, evidence=evidence, hint=place + 1)


def _lost(
    hint: Hint, words: Sequence[Token], reading: Reading, polarity: Polarity
) -> Iterator[tuple[ProblemKind, str]]:
    """What one hint loses; ``words`` are those that tell it from the other hints."""
    values = _values(hint)
    gone = [value for value in values if not reading.holds(value)]
    for text in dict.fromkeys(value.text for value in gone):
        yield "drops", text
    lost = {form for value in gone for one in value.words for form in one}
    for word in _answer_words(hint):
        if word.forms & lost:
            continue
        signs = polarity.signs(word.forms)
        if not signs:
            lost |= word.forms
            yield "drops", word.text
        elif not signs & {"+", "?"}:
            yield "flips", word.text
    is_kept = any(polarity.signs(word.forms) for word in words)
    if words and not is_kept and not values and not lost:
        yield "drops", " ".join(word.text for word in words)
    wanted = _wanted_sign(hint)
    if wanted is not None and is_kept:
        compared = [word for word in tokens(_question(hint)) if word.forms & COMPARING]
        if _is_flipped(wanted, [polarity.signs(word.forms) for word in (*words, *compared)]):
            yield "flips", statement_of(hint)


def _is_flipped(wanted: Sign, signs: Sequence[frozenset[Sign]]) -> bool:
    """Whether every word is plainly taken the other way; ``signs`` are empty for missing words."""
    if any(one & {wanted, "?"} for one in signs):
        return False
    # A no may be put as an opposite that is in no list ("10 kilograms at most"), in which case
    # some word of the question is missing.
    return wanted == "+" or all(signs)


def _wanted_sign(hint: Hint) -> Sign | None:
    """How the words of a plain yes–no question are to be taken; None for any other hint."""
    if hint.question is None or is_denial(hint.question):
        return None
    said = plain(hint.answer)
    if said in YES:
        return "+"
    return "-" if said in NO else None


def _values(hint: Hint) -> tuple[NamedValue, ...]:
    return tuple(
        value
        for text in (_question(hint), _POINTS.sub("", hint.answer))
        for value in named_values(text)
    )


def _question(hint: Hint) -> str:
    """The question without remarks in brackets, which explain it; blank for a plain clue."""
    return "" if hint.question is None else REMARK.sub(" ", hint.question)


def _answer_words(hint: Hint) -> tuple[Token, ...]:
    """The words of a short answer to an open question: all of them count."""
    if hint.question is None or is_denial(statement_of(hint)):
        return ()
    words = [word for word in tokens(hint.answer) if _is_content(word)]
    return tuple(words) if len(words) <= _SHORT_ANSWER else ()


def _content(hint: Hint) -> tuple[Token, ...]:
    """The words that carry a hint's meaning: a clue's, or those of an answer that is more than yes.

    For a yes or no those of the question, without its subject ("the city").
    """
    answer = tokens(_POINTS.sub("", hint.answer))
    answered = tuple(word for word in answer if _is_content(word))
    if answered or any(word.is_number for word in answer):
        return answered
    question = tokens(_question(hint))
    rest = [word for word in question[_N_OPENING:] if _is_content(word)]
    if rest and question[0].forms & CLAUSE_WORDS and question[1].forms & _POINTING:
        return tuple(rest)
    return tuple(word for word in question if _is_content(word))


def _is_content(word: Token) -> bool:
    return (
        not word.is_number
        and not word.forms & (FUNCTION_WORDS | SCAFFOLDING | YES | NO)
        and not word.forms & NUMBER_WORDS.keys()
        and len(word.text) >= _LEAST_LETTERS
    )
