"""Whether what the user says next has anything to do with what it was asked."""

from __future__ import annotations

import re
from collections.abc import Mapping

from turnsure.dialogues.checking.repeats import content_words
from turnsure.dialogues.english import related, same_name

_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]|[^.!?\n]+$")
_COURTESY = re.compile(
    r"""\b(?:(?:any|some)thing\s+else|(?:how|what)\s+(?:else\s+)?(?:can|may|could)\s+i|
        (?:can|may|could|shall|should)\s+i\s+(?:help|assist|do)|
        (?:would|do)\s+you\s+(?:like|want)\s+(?:me\s+)?to\b|
        any\s+(?:other\s+|more\s+)?questions|does\s+(?:that|this)\s+(?:help|work|sound|suit)|
        sounds?\s+good|is\s+that\s+(?:ok|okay|alright|fine))""",
    re.IGNORECASE | re.VERBOSE,
)
"""Questions that a next message need not answer."""

_OF_NUMBERS = re.compile(
    r"\b(?:how\s+(?:much|many|big|large|long|old|far)|budget|price|cost|rent|when|dates?|number|id)\b",
    re.IGNORECASE,
)
"""Questions that a number answers, in words of its own."""


def last_question(text: str) -> str | None:
    """The last sentence, where it is a question that wants an answer; None otherwise."""
    sentences = [one.strip() for one in _SENTENCE.findall(text) if re.search(r"\w", one)]
    if not sentences or not sentences[-1].endswith("?"):
        return None
    return None if _COURTESY.search(sentences[-1]) else sentences[-1]


def unanswered(question: str, say: str, answers: Mapping[str, str]) -> str | None:
    """Why a message does not answer a question; None where it seems to.

    It seems to where the two share a word of content, or where a number is asked for and it has
    one.

    Parameters
    ----------
    question
        From :func:`last_question`.
    say
        What the user says next, best with the names of what that is about.
    answers
        The card's answers by topic, so that a person is told what the card would have said.
    """
    asked = set(content_words(question))
    if not asked or any(_is_one(one, other) for one in asked for other in content_words(say)):
        return None
    if _OF_NUMBERS.search(question) and re.search(r"\d", say):
        return None
    told = f"the assistant asked {question!r}, which the script does not answer"
    topic = next((one for one in answers if _about(one, asked)), None)
    if topic is None:
        return told
    return f"{told}; the card's answer would be: {topic}: {answers[topic]}"


def _about(topic: str, asked: set[str]) -> bool:
    words = content_words(topic)
    return any(_is_one(one, other) for one in words for other in asked)


def _is_one(left: str, right: str) -> bool:
    return left == right or same_name(left, right) or related(left, right)
