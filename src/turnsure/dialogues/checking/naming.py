"""Whether hints give the answer away by naming it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.checking.finding import Finding, Kind, Rules, hint_field
from turnsure.dialogues.english import (
    CACHED,
    REMARK,
    accepted_names,
    clean,
    names_any,
    plain,
    related,
    same_name,
)
from turnsure.dialogues.english_lists import NAMES_OF_PEOPLES, NO, YES

_LEAST_DERIVED = 5
"""Letters from which on a word of the same stem is taken for the answer's ("car" has "care")."""

_EDITS = ((12, 2), (7, 1))
"""How many slips of the pen make a misspelling, from how many letters on; "horse" is no "house"."""

_NUMBER = re.compile(r"[\d\s.,:/%#$€£+-]*\d[\d\s.,:/%#$€£+-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """That a text names an answer: the kind of finding, and how it is named."""

    kind: Kind
    how: str


def find_naming(dialogue: Dialogue, rules: Rules) -> Iterator[Finding]:
    """Find the hints, and the closing, that name an accepted answer or nearly do.

    A hint gives one finding, the gravest.  Answers that the task names, "yes" and "no", and single
    letters are not looked for.
    """
    answers = _sought(dialogue, rules.normalise)
    if not answers:
        return
    others = _others(dialogue, rules.normalise)
    for turn, hint in enumerate(dialogue.hints, start=1):
        parts = (("answer", hint.answer), ("question", hint.question))
        texts = [(part, text) for part, text in parts if text is not None]
        found = [
            (named, part, text)
            for part, text in texts
            if (named := _named(text, answers, others, rules.normalise)) is not None
        ]
        if found:
            named, part, text = min(found, key=lambda one: _GRAVEST.index(one[0].kind))
            at_once = turn == 1 and named.kind == "answer_named"
            yield Finding(
                kind="first_turn_names_answer" if at_once else named.kind,
                evidence=f"{named.how}: {text}",
                dialogue=dialogue.id,
                turn=turn,
                field=hint_field(turn, part),
            )
    if dialogue.closing is not None:
        named = _named(dialogue.closing, answers, others, rules.normalise)
        if named is not None:
            yield Finding(
                kind=named.kind,
                evidence=f"{named.how}: {dialogue.closing}",
                dialogue=dialogue.id,
                field="closing",
            )


_GRAVEST: tuple[Kind, ...] = ("answer_named", "number_named", "answer_almost_named")


def _sought(dialogue: Dialogue, normalise: Callable[[str], str]) -> tuple[str, ...]:
    """The answers that are secret and can be told from other words."""
    in_task = names_any(dialogue.task, _names(dialogue.gold, normalise), normalise)
    return tuple(
        answer
        for answer in dialogue.gold
        if answer not in in_task
        and len(normalise(answer).replace(" ", "")) > 1
        and normalise(answer) not in YES | NO
    )


def _others(dialogue: Dialogue, normalise: Callable[[str], str]) -> frozenset[str]:
    """The names of other candidates as one word: Niger is no misspelt Nigeria."""
    return _squeezed(dialogue.candidates, normalise) - _squeezed(dialogue.gold, normalise)


@lru_cache(maxsize=CACHED)
def _squeezed(names: tuple[str, ...], normalise: Callable[[str], str]) -> frozenset[str]:
    return frozenset(normalise(name).replace(" ", "") for name in names)


@lru_cache(maxsize=CACHED)
def _names(
    answers: tuple[str, ...], normalise: Callable[[str], str]
) -> tuple[tuple[str, frozenset[str]], ...]:
    return accepted_names(answers, normalise)


def _named(
    text: str,
    answers: tuple[str, ...],
    others: frozenset[str],
    normalise: Callable[[str], str],
) -> _Named | None:
    """How a text names one of the answers; None when it does not."""
    exact = [answer for answer in answers if _is_in(answer.casefold(), text.casefold())]
    if exact:
        kind: Kind = "number_named" if _NUMBER.fullmatch(exact[0]) else "answer_named"
        return _Named(kind=kind, how=f"{exact[0]!r} as it is written")
    found = names_any(text, _names(answers, normalise), normalise)
    if found:
        plainly = [answer for answer in found if _names_plainly(text, answer, normalise)]
        if not plainly:
            return _Named(kind="answer_almost_named", how=f"a word for {found[0]!r}, or like it")
        kind = "number_named" if _NUMBER.fullmatch(plainly[0]) else "answer_named"
        return _Named(kind=kind, how=f"{plainly[0]!r} in another spelling or inflection")
    words = normalise(text).split()
    for answer in answers:
        how = _almost(words, tuple(normalise(answer).split()), others)
        if how is not None:
            return _Named(kind="answer_almost_named", how=f"{how} {answer!r}")
    return None


def _names_plainly(text: str, answer: str, normalise: Callable[[str], str]) -> bool:
    """Whether what stands in the text is the answer or its plural, no more distant relation.

    Distant are: people and languages ("Polish" and Poland), the singular of a proper name ("Lao"
    and Laos), and the plural of a country's other name ("Americas" and the United States).
    """
    bare = " ".join("people" if plain(word) in NAMES_OF_PEOPLES else word for word in text.split())
    variants = [normalise(clean(one)) for one in (answer, REMARK.sub(" ", answer))]
    if any(_is_in(one, normalise(clean(bare))) for one in variants):
        return True
    if answer[:1].islower():
        return bool(names_any(bare, _names((answer,), normalise), normalise))
    if variants[0] != normalise(answer):
        return False
    unstripped = frozenset(one.replace(" ", "") for one in variants)
    return bool(names_any(bare, [(answer, unstripped)], normalise))


def _is_in(name: str, text: str) -> bool:
    """Whether ``name`` stands in ``text`` as whole words."""
    pattern = r"\s+".join(re.escape(word) for word in name.split())
    return bool(pattern) and re.search(rf"(?<!\w){pattern}(?!\w)", text) is not None


def _almost(words: list[str], name: tuple[str, ...], others: frozenset[str]) -> str | None:
    """Which words of the text are derived from a name or a misspelling of it."""
    whole = "".join(name)
    for start in range(len(words) - len(name) + 1):
        window = words[start : start + len(name)]
        if window[0][0] != name[0][0] or "".join(window) in others:
            continue
        differing = [(w, n) for w, n in zip(window, name, strict=True) if w != n]
        if len(differing) == 1 and _is_derived(*differing[0]):
            return f"{' '.join(window)!r} is derived from"
        if _is_misspelt("".join(window), whole):
            return f"{' '.join(window)!r} is nearly"
    return None


def _is_derived(word: str, of: str) -> bool:
    return (
        min(len(word), len(of)) >= _LEAST_DERIVED
        and not any(letter.isdigit() for letter in word + of)
        and (same_name(word, of) or related(word, of))
    )


def _is_misspelt(word: str, of: str) -> bool:
    most = next((edits for length, edits in _EDITS if len(of) >= length), 0)
    if abs(len(word) - len(of)) > most or any(letter.isdigit() for letter in word + of):
        return False
    return _edits(word, of) <= most


def _edits(left: str, right: str) -> int:
    """Letters to put in, take out, change or swap with the next.

    The optimal string alignment distance; B. J. Oommen and R. K. S. Loke (1997), Pattern
    recognition of strings with substitutions, insertions, deletions and generalized
    transpositions.
    """
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        earlier, before, row = before, row, [i]
        for j, b in enumerate(right, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]
