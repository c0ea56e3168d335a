"""A slip that can be mended: the Hinter's question calls the secret by its name instead of "it"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from turnsure.core.dialogue import Hint


def say_it(hint: Hint, names: Sequence[str]) -> Hint:
    """The hint with "it" (or "its") for every name of the secret in its question.

    "What is Peru's capital?" becomes "What is its capital?", which tells as much.  Names in the
    answer, derived words and other spellings stay, and are for the guards to refuse.

    Returns
    -------
    Hint
        The same object where there is nothing to mend.
    """
    if hint.question is None:
        return hint
    longest_first = sorted(names, key=len, reverse=True)
    either = "|".join(r"\s+".join(map(re.escape, name.split())) for name in longest_first)
    pattern = rf"(?<!\w)(?:(?:the|an?)\s+)?(?:{either})(?P<of>['’]s)?(?![\w'’])"
    question = re.sub(pattern, _pronoun, hint.question, flags=re.IGNORECASE)
    return hint if question == hint.question else replace(hint, question=question)


def _pronoun(name: re.Match[str]) -> str:
    pronoun = "it" if name["of"] is None else "its"
    return pronoun.capitalize() if name.start() == 0 else pronoun
