"""What the quizbowl formats share: sentences as clues, and accepted answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.english_lists import ABBREVIATIONS
from turnsure.dialogues.readers.answer_line import AnswerLine
from turnsure.dialogues.readers.convert import Dropped, Kept

TASK = (
    "Name what the clues describe: a person, place, work, event or idea. If you are not sure, give "
    "your best guess. Keep the answer short."
)
BLANK = "blank clue"

_POWER_MARK = re.compile(r"\s*[(\[]\s*\*\s*[)\]]")
_CLOSERS = "\"”’'»)\\]"
_END = re.compile(
    rf"(?P<mark>[.?!…]+)[{_CLOSERS}]*(?P<gap>\s+)(?=[\"“‘'«(\[]*(?:[^\W_a-zß-öø-ÿ]|\*\)))"
    rf"|[。！？][{_CLOSERS}」』]*"
)
_LONGEST = 20
"""Letters before a full stop that are looked at: more than any abbreviation has."""
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_MORE_ABBREVIATIONS = frozenset(
    {"rev", "hon", "op", "cf", "viz", "approx", "ca", "inc", "ltd", "bros", "messrs", "mme", "mlle"}
)


def clue_text(text: str) -> str:
    """A clue on one line, without the mark that says until when an answer earns more points."""
    return " ".join(_POWER_MARK.sub(" ", text).split())


def sentences(text: str) -> list[str]:
    """Sentences of running text; joined with blanks they are the text, white space aside.

    A full stop after an initial or a common abbreviation ends none, and neither does a mark that a
    small letter follows.  The full stops of Chinese and Japanese need no blank after them.
    """
    found: list[str] = []
    begins = 0
    for end in _END.finditer(text):
        if end["mark"] == "." and text[end.start() + 1].isspace() and _is_short(text, end):
            continue
        found.append(text[begins : end.end()])
        begins = end.end()
    found.append(text[begins:])
    return [" ".join(one.split()) for one in found if one.strip()]


def _is_short(text: str, end: re.Match[str]) -> bool:
    """Whether the full stop follows an initial or an abbreviation."""
    word = _LAST_WORD.search(text, max(0, end.start() - _LONGEST), end.start())
    if word is None:
        return False
    name = word[0].lower()
    if name == "no":  # "No. 5", not "It said no."
        return text[end.end()].isdigit()
    return len(name) == 1 or name in ABBREVIATIONS or name in _MORE_ABBREVIATIONS


def tossup(
    *,
    name: str,
    task: str | None,
    clues: Iterable[str],
    answer: AnswerLine,
    page: str | None = None,
    meta: Mapping[str, str],
) -> Kept | Dropped:
    """A question whose clues come one a turn.

    Parameters
    ----------
    name
        The dialogue's id.
    task
        The task, None for :data:`TASK`.
    clues
        In their order; blank ones are left out and counted.
    answer
        The answer line.
    page
        The title of its Wikipedia page, accepted too.
    meta
        Of the question; the prompts and refusals of the answer line join it.
    """
    texts = [clue_text(clue) for clue in clues]
    hints = tuple(Hint(answer=text) for text in texts if text)
    if not hints:
        return Dropped(reason="no clue says anything")
    gold = answer.gold
    if page is not None and page not in gold:
        gold = (*gold, page)
    dialogue = Dialogue(
        id=name,
        task=task or TASK,
        hints=hints,
        gold=gold,
        meta={**meta, **answer.meta, "progressive": "yes"},
    )
    return Kept(dialogue=dialogue, left_out=(BLANK,) * (len(texts) - len(hints)))
