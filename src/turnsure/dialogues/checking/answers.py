"""Whether the accepted answers can be matched, and not by everything."""

from __future__ import annotations

import re
from collections.abc import Iterator

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.checking.finding import Finding, Rules
from turnsure.dialogues.english import plain
from turnsure.dialogues.english_lists import NO, YES

_WILDCARD = re.compile(
    r"\s*(?:\.?\*+|\[?(?:any|anything|everything|whatever)\]?)\s*", re.IGNORECASE
)
_ANY_ANSWER = re.compile(r"(?:accept )?(?:any|every|all) (?:answers?|repl(?:y|ies)|responses?)")
_PLACEHOLDER = re.compile(r"(?i:n/a|nan|null|tbd|todo|unknown|#n/a|undefined)|None|NONE|NA")
_INSTRUCTION = re.compile(
    r"[(\[][^()\[\]]*\b(?:(?:do not |don't )?(?:accept|prompt)|anti-?prompt|reject)\b|"
    r"\b(?:accept|prompt on|do not accept)\b[^()\[\]]*[)\]]",
    re.IGNORECASE,
)


def find_bad_answers(dialogue: Dialogue, rules: Rules) -> Iterator[Finding]:
    """Find accepted answers that nothing matches, that everything matches, or that are none."""
    empty: list[int] = []
    for place, answer in enumerate(dialogue.gold):
        field = f"gold[{place}]"
        if _accepts_anything(answer):
            yield Finding(
                kind="answer_accepts_anything",
                evidence=f"{answer!r} stands for any reply",
                dialogue=dialogue.id,
                field=field,
            )
        elif not rules.normalise(answer):
            empty.append(place)
        elif _PLACEHOLDER.fullmatch(answer.strip()):
            yield Finding(
                kind="answer_placeholder",
                evidence=repr(answer),
                dialogue=dialogue.id,
                field=field,
            )
        elif _INSTRUCTION.search(answer):
            yield Finding(
                kind="answer_instruction",
                evidence=f"{answer!r} is compared as it stands",
                dialogue=dialogue.id,
                field=field,
            )
    yield from _empty_answers(dialogue, empty)
    yield from _all_accepted(dialogue, rules)


def _accepts_anything(answer: str) -> bool:
    return bool(_WILDCARD.fullmatch(answer) or _ANY_ANSWER.fullmatch(plain(answer)))


def _empty_answers(dialogue: Dialogue, empty: list[int]) -> Iterator[Finding]:
    if not empty:
        return
    all_empty = len(empty) == len(dialogue.gold)
    yield Finding(
        kind="answer_matches_nothing" if all_empty else "alias_matches_nothing",
        evidence=", ".join(repr(dialogue.gold[place]) for place in empty),
        dialogue=dialogue.id,
        field=f"gold[{empty[0]}]",
    )


def _all_accepted(dialogue: Dialogue, rules: Rules) -> Iterator[Finding]:
    """Find answers that together leave no way to be wrong."""
    accepted = {rules.normalise(answer) for answer in dialogue.gold}
    candidates = {rules.normalise(name) for name in dialogue.candidates}
    if accepted & YES and accepted & NO:
        evidence = "both yes and no are accepted"
    elif len(candidates) > 1 and candidates <= accepted:
        evidence = f"all {len(candidates)} candidates are accepted"
    else:
        return
    yield Finding(
        kind="answer_accepts_anything", evidence=evidence, dialogue=dialogue.id, field="gold"
    )
