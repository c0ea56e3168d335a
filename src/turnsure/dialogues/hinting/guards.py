"""The guards of a hint: rules that code can check, so that the Hinter need not be believed.

What no rule can see is whether a hint is true, and whether it helps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from turnsure.core.built import Game, RefusalReason, Refused
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.checking.finding import Kind, Rules
from turnsure.dialogues.checking.repeats import content_words, find_repeats
from turnsure.dialogues.english import plain, related, same_name, tokens
from turnsure.dialogues.english_lists import NO, NUMBER_WORDS, YES
from turnsure.dialogues.hinting.leaks import find_leak
from turnsure.dialogues.hinting.scripts import foreign_words, scripts_in
from turnsure.dialogues.hinting.words import OPENERS, PLACING, QUESTION_WORDS
from turnsure.dialogues.summary import statement_of

ALIKE = 0.75
"""Share of the words of content of two texts that are the same when the texts are."""

HALF_ALIKE = 0.5
"""The same for questions with one and the same answer."""

_LONG_ANSWER = 2
"""Words of content from which on an answer given twice is one fact, whatever was asked."""

_N_OPENING = 3
"""Words among which a question word makes an open question: "On which continent …"."""

_REPEATS: Mapping[Kind, RefusalReason] = {
    "hint_repeats": "repeated_hint",
    "hint_nearly_repeats": "repeated_hint",
    "hints_contradict": "contradicting_hint",
    "hints_may_contradict": "contradicting_hint",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What a hint is checked against.

    Attributes
    ----------
    names
        Accepted names of the secret, at least one.
    task
        What the Guesser is asked; a word of it tells nothing new.
    game
        Whether hints are yes-or-no questions.
    earlier
        The hints given so far.
    normalise
        The normal form in which names are looked for, best that of the grader.
    """

    names: tuple[str, ...]
    task: str
    game: Game
    earlier: tuple[Hint, ...] = ()
    normalise: Callable[[str], str] = plain


Guard = Callable[[Hint, Position], Refused | None]
"""The shape of every guard."""


def keeps_secret(hint: Hint, position: Position) -> Refused | None:
    """Refuse a hint that gives the secret away (:mod:`turnsure.dialogues.hinting.leaks`)."""
    leak = find_leak(statement_of(hint), position.names, position.normalise)
    return None if leak is None else Refused(reason="leaked_secret", evidence=leak)


def is_readable(hint: Hint, position: Position) -> Refused | None:
    """Refuse words in a script in which neither the secret's names nor the task are written."""
    known = scripts_in((*position.names, position.task))
    foreign = foreign_words(statement_of(hint), known=known)
    if not foreign:
        return None
    return Refused(reason="other_script", evidence=", ".join(map(repr, foreign)))


def asks_yes_or_no(hint: Hint, position: Position) -> Refused | None:
    """In ``"20q"``, refuse what is no question that yes or no answers, or is answered otherwise."""
    if position.game != "20q":
        return None
    answer = plain(hint.answer)
    if answer not in YES | NO:
        return Refused(reason="not_yes_no", evidence=f"the answer is {hint.answer!r}")
    question = hint.question or ""
    words = plain(question).split()
    if words[:1] and words[0] not in OPENERS and QUESTION_WORDS.intersection(words[:_N_OPENING]):
        return Refused(reason="not_yes_no", evidence=f"{question!r} is an open question")
    # "In winter, does it snow there?" asks after its comma.
    if not any(plain(part).partition(" ")[0] in OPENERS for part in question.split(",")):
        return Refused(reason="not_yes_no", evidence=f"{question!r} is no question")
    return None


def says_something_new(hint: Hint, position: Position) -> Refused | None:
    """Refuse a hint that says an earlier one again, or the contrary of it.

    Beside what a check of dialogues finds, two hints are one when most of their words of content
    are the same in any order.
    """
    carrier = Dialogue(
        id="hints", task=position.task, hints=(*position.earlier, hint), gold=position.names
    )
    for finding in find_repeats(carrier, Rules(normalise=position.normalise)):
        if finding.turn == carrier.n_turns:
            return Refused(reason=_REPEATS[finding.kind], evidence=finding.evidence)
    telling = _telling(statement_of(hint), position)
    if not telling:
        return Refused(
            reason="repeated_hint", evidence=f"{statement_of(hint)!r} adds nothing to the task"
        )
    for earlier in reversed(position.earlier):
        reason = _reworded(earlier, hint, position)
        if reason is not None:
            return Refused(
                reason=reason, evidence=f"{statement_of(earlier)} / {statement_of(hint)}"
            )
    return None


GUARDS: tuple[Guard, ...] = (keeps_secret, is_readable, asks_yes_or_no, says_something_new)
"""In the order in which they look; the first that refuses gives the reason."""


def check_hint(hint: Hint, position: Position) -> Refused | None:
    """Why a hint cannot be taken; None when every guard lets it through."""
    for guard in GUARDS:
        refused = guard(hint, position)
        if refused is not None:
            return refused
    return None


def _reworded(earlier: Hint, hint: Hint, position: Position) -> RefusalReason | None:
    """Whether two hints say one thing, or answer one question in two ways."""
    if hint.question is None or earlier.question is None:
        same = _alike(statement_of(earlier), statement_of(hint), position) >= ALIKE
        return "repeated_hint" if same else None
    asked = _alike(earlier.question, hint.question, position)
    answers = {plain(earlier.answer), plain(hint.answer)}
    if answers <= YES | NO:
        if asked < ALIKE:
            return None
        opposed = bool(answers & YES) and bool(answers & NO)
        return "contradicting_hint" if opposed else "repeated_hint"
    if plain(earlier.question) == plain(hint.question):
        # Of a question without content, such as "What else?", two answers need not contradict.
        return "repeated_hint"
    same_answer = len(answers) == 1 or _alike(earlier.answer, hint.answer, position) >= ALIKE
    long_answer = len(_telling(hint.answer, position)) >= _LONG_ANSWER
    if same_answer and (asked >= HALF_ALIKE or long_answer):
        return "repeated_hint"
    return (
        "repeated_hint"
        if _alike(statement_of(earlier), statement_of(hint), position) >= ALIKE
        else None
    )


def _alike(left: str, right: str, position: Position) -> float:
    """Jaccard's index of the words of content of two texts, in [0, 1]; 0 when a number differs.

    Words of one stem are one word; without any word of content the index is 0.
    """
    if _numbers(left) != _numbers(right):
        return 0.0
    here, there = _telling(left, position), list(_telling(right, position))
    n_here, n_there, shared = len(here), len(there), 0
    for word in here:
        twin = next((one for one in there if _is_one(word, one)), None)
        if twin is not None:
            there.remove(twin)
            shared += 1
    return shared / (n_here + n_there - shared) if shared else 0.0


def _is_one(left: str, right: str) -> bool:
    return left == right or same_name(left, right) or related(left, right)


def _telling(text: str, position: Position) -> Sequence[str]:
    """Words of content that the task does not say already, each once."""
    known = {*content_words(position.task), *PLACING, *YES, *NO}
    return tuple(dict.fromkeys(word for word in content_words(text) if word not in known))


def _numbers(text: str) -> frozenset[str]:
    return frozenset(
        form
        for token in tokens(text)
        for form in token.forms
        if token.is_number or form in NUMBER_WORDS
    )
