"""Comparing an answer with the accepted ones.

The rules, strictest first; the first that any accepted answer meets decides:

===============  ====================================================================
``exact``        the same text, white space aside
``case``         the same but for case
``normalised``   the same normal form (:mod:`turnsure.grading.normalise`)
``number``       the same number (:mod:`turnsure.grading.quantity`)
``several``      wrong: the answer offers alternatives, such as "France or Spain"
``parenthesis``  the same once a closing remark in brackets is left out on one side
``place``        one side adds the region (:mod:`turnsure.grading.places`)
``none``         wrong: nothing of this
===============  ====================================================================

A part of a name is never the name ("Niger" is not "Nigeria", "York" not "New York"), and accepted
answers are taken literally: instructions to graders inside them are not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from turnsure.core.errors import InputError
from turnsure.core.outcome import Outcome
from turnsure.grading.normalise import normal
from turnsure.grading.places import same_place
from turnsure.grading.quantity import read_quantity, same_number

_ALTERNATIVES = re.compile(r"\b[Oo]r\b|(?<!\d)/|/(?!\d)|[|;]")  # "OR" is Oregon
_REMARK = re.compile(r"[(\[][^()\[\]]*[)\]]$")


class MatchGrader:
    """Compares texts by rules; see the module for the table."""

    name = "match"

    def grade(self, answer: str, accepted: Sequence[str]) -> Outcome:
        """Decide whether ``answer`` is one of ``accepted``.

        Raises
        ------
        InputError
            ``accepted`` is empty, holds a blank text, or is a text instead of several.
        """
        if isinstance(accepted, str) or not accepted or not all(gold.strip() for gold in accepted):
            raise InputError(
                "there is no accepted answer to compare with",
                field="accepted",
                expected="a list of one non-blank text or more",
            )
        offers_several = _ALTERNATIVES.search(answer) is not None
        for rules in (_CERTAIN, {} if offers_several else _LOOSE):
            for rule, agree in rules.items():
                for gold in accepted:
                    if agree(answer, gold):
                        return Outcome(correct=True, grader=self.name, rule=rule, matched=gold)
        refused = "several" if offers_several else "none"
        return Outcome(correct=False, grader=self.name, rule=refused)

    def same(self, left: str, right: str) -> bool:
        """Whether two answers name the same thing; symmetric, for counting agreeing samples."""
        return any(
            agree(left, right) or agree(right, left)
            for rules in (
                _CERTAIN,
                {} if _ALTERNATIVES.search(left) or _ALTERNATIVES.search(right) else _LOOSE,
            )
            for agree in rules.values()
        )


def mentions(answer: str, accepted: Sequence[str]) -> bool:
    """Whether an accepted answer stands inside ``answer`` as whole words.

    A statement that mentions the right answer may give it or deny it; no rule can tell.
    """
    words = f" {normal(answer)} "
    return any(f" {normal(gold)} " in words for gold in accepted if normal(gold))


def _is_exact(answer: str, gold: str) -> bool:
    return answer.split() == gold.split()


def _is_same_case_aside(answer: str, gold: str) -> bool:
    return answer.casefold().split() == gold.casefold().split()


def _is_same_normalised(answer: str, gold: str) -> bool:
    return normal(answer) == normal(gold) != ""


def _is_same_number(answer: str, gold: str) -> bool:
    given, wanted = read_quantity(answer), read_quantity(gold)
    return given is not None and wanted is not None and same_number(given, wanted)


def _is_same_without_remark(answer: str, gold: str) -> bool:
    short_answer, short_gold = (normal(_REMARK.sub("", text.strip())) for text in (answer, gold))
    return short_answer == normal(gold) != "" or normal(answer) == short_gold != ""


_CERTAIN: dict[str, Callable[[str, str], bool]] = {
    "exact": _is_exact,
    "case": _is_same_case_aside,
    "normalised": _is_same_normalised,
    "number": _is_same_number,
}
_LOOSE: dict[str, Callable[[str, str], bool]] = {
    "parenthesis": _is_same_without_remark,
    "place": same_place,
}
