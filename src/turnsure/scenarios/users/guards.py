"""The guards of a simulated user's message: rules that code can check.

Each guard is a small pure function ``(text, position) -> what shows the fault, or None``.  They
know English; what they cannot see is whether a message sounds like a person.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from turnsure.core.conversation import Slip
from turnsure.core.scenario import Reveal
from turnsure.dialogues.checking.repeats import content_words
from turnsure.dialogues.english import plain
from turnsure.scenarios.users.facts import known_numbers, missing_part, numbers_in, told_part

_LEAST_LIST = 2
"""Lines of a list from which on a message offers something, as an assistant does."""

_ROLE_LABEL = re.compile(r"^\s*(?:user|customer|me|you)\s*:\s*", re.IGNORECASE)
_QUOTES = (('"', '"'), ("“", "”"), ("'", "'"))

_FOURTH_WALL = re.compile(
    r"""\b(?:as\s+an?\s+(?:ai|artificial|language|large|simulated|virtual|chat)\b|language\s+models?
        |simulat(?:ed|ing|ion)|role[\s-]?play(?:ing)?|scenario|persona|system\s+prompt|test\s+case
        |my\s+(?:instructions|prompt|script|character)|(?:the|this)\s+(?:card|script|prompt)\b
        |(?:i\s+was|i\s+am|i'm)\s+(?:told|instructed|asked|supposed)\s+to
        |in\s+character|next\s+message|the\s+(?:customer|user)\s+(?:would|should|is|wants|says)
        |i\s+(?:can(?:no|')t|am\s+unable\s+to)\s+(?:play|pretend|continue\s+this))""",
    re.IGNORECASE | re.VERBOSE,
)
_SCRATCHPAD = re.compile(
    r"""</?\w*think\w*>|```|\[/?\w+\]|^\s*(?:thought|thinking|reasoning|analysis|note|plan|step\s+\d+
        |message|next\s+message|response|reply|answer|output|final)\s*:|\((?:note|internal|thinking)\b
        |\#{2,}\s*\w+\s*\#{2,}|^\s*\*(?!\*)[^*\n]+\*|\((?:smil|nod|paus|laugh|sigh|shrug)\w*[^()\n]*\)
        |"\w+"\s*:|\bmy\s+(?:next\s+)?message\s+(?:is|would\s+be)\b|^\s*here(?:'s|\s+is)\s+(?:the|my)
        \s+(?:next\s+)?message""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_AS_ASSISTANT = re.compile(
    r"""\b(?:how\s+(?:can|may)\s+i\s+(?:help|assist)|(?:can|may)\s+i\s+(?:help|assist)\s+you
        |(?:i(?:'d|'m|\s+would|\s+am)|i'll)\s+(?:be\s+)?(?:happy|glad|delighted)\s+to\s+(?:help|assist)
        |i\s+can\s+(?:help|assist)\s+you|anything\s+else\s+i\s+can|(?:i|we)\s+(?:have\s+)?found\s+
        (?:you\s+)?(?:\w+\s+){0,3}(?:options|listings|results|matches|for\s+you)
        |here\s+are\s+(?:some|the|a\s+few|\w+)\s+(?:\w+\s+)?(?:options|listings|results|choices)
        |thank\s+you\s+for\s+(?:contacting|reaching\s+out|your\s+(?:patience|inquiry|enquiry))
        |(?:i|we)(?:'d|\s+would|\s+can)?\s+(?:recommend|suggest)\b|as\s+your\s+(?:assistant|agent)
        |let\s+me\s+(?:check|search|look\s+(?:that|it|for\s+you))|what\s+(?:is|are)\s+your\s+(?:budget
        |requirements|preferences)|feel\s+free\s+to\s+(?:ask|reach))""",
    re.IGNORECASE | re.VERBOSE,
)
_OTHER_SPEAKER = re.compile(r"^\s*(?:assistant|agent|bot|ai)\s*:", re.IGNORECASE | re.MULTILINE)
_LIST_LINE = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+\S", re.MULTILINE)
_PARTING = re.compile(
    r"""\b(?:thanks?|thank\s+you|thx|cheers|bye|good\s*bye|have\s+a\s+(?:\w+\s+)?(?:day|one|evening)
        |you\s+too|take\s+care|you(?:'re|\s+are)\s+welcome|appreciate\s+(?:it|that|your\s+\w+)
        |see\s+you|no\s+problem)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_POLITE = frozenset(
    word
    for line in (
        "great perfect nice wonderful good okay ok much lot really help helping day all very",
        "everything welcome so best luck again look forward hear soon amazing awesome excellent",
        "kind lovely time today assistance",
    )
    for word in line.split()
)
"""Words that a goodbye may have without saying anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What a message is checked against.

    Attributes
    ----------
    reveal
        What it has to make known, None where it only reacts.
    later
        What must not be known yet.
    said
        The user's earlier messages.
    heard
        The assistant's texts so far.
    card
        Other texts of the card from which a user may speak: persona and answers.
    cut
        Whether the message ends because it reached its limit.
    """

    reveal: Reveal | None = None
    later: tuple[Reveal, ...] = ()
    said: tuple[str, ...] = ()
    heard: tuple[str, ...] = ()
    card: tuple[str, ...] = ()
    cut: bool = False

    @property
    def known(self) -> str:
        """Everything from which the user may take a word now."""
        now = () if self.reveal is None else (self.reveal.say, *self.reveal.facts)
        return "\n".join((*self.said, *self.heard, *self.card, *now))


Guard = Callable[[str, Position], str | None]
"""The shape of every guard."""


def says_something(text: str, position: Position) -> str | None:
    """Refuse a message without a word."""
    del position
    return None if plain(text) else "no word in it"


def is_whole(text: str, position: Position) -> str | None:
    """Refuse a message that was cut at its limit."""
    return f"it breaks off: …{text[-40:]}" if position.cut else None


def keeps_notes_out(text: str, position: Position) -> str | None:
    """Refuse notes, JSON, code and labels in place of a bare message."""
    del position
    found = _SCRATCHPAD.search(text)
    if found is not None:
        return repr(found[0].strip())
    if text.lstrip()[:1] in "{[":
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return None
        return "it is JSON"
    return None


def stays_in_character(text: str, position: Position) -> str | None:
    """Refuse talk of models and instructions, unless card or conversation brought it up."""
    for found in _FOURTH_WALL.finditer(text):
        if found[0].lower() not in position.known.lower():
            return repr(found[0])
    return None


def keeps_its_role(text: str, position: Position) -> str | None:
    """Refuse a message that speaks as the assistant, for it, or after it."""
    for pattern in (_OTHER_SPEAKER, _AS_ASSISTANT):
        found = pattern.search(text)
        if found is not None and not _is_own(found[0], position):
            return repr(found[0].strip())
    lines = _LIST_LINE.findall(text)
    if len(lines) >= _LEAST_LIST and not _is_own(lines[0], position):
        return f"a list of {len(lines)}"
    if position.heard and plain(text) == plain(position.heard[-1]):
        return "it repeats the assistant"
    return None


def tells_its_fact(text: str, position: Position) -> str | None:
    """Refuse a message without what it has to make known."""
    return None if position.reveal is None else missing_part(text, position.reveal)


def keeps_later_facts(text: str, position: Position) -> str | None:
    """Refuse a message that makes known what a later turn is for."""
    for reveal in position.later:
        part = told_part(text, reveal, known=position.known)
        if part is not None:
            return f"{part!r} of the later reveal {reveal.id!r}"
    return None


def invents_no_number(text: str, position: Position) -> str | None:
    """Refuse a number that neither the card gave for this turn nor anybody said."""
    known = known_numbers(position.known)
    return next(
        (repr(written) for number, written in numbers_in(text) if number not in known), None
    )


def parts_once(text: str, position: Position) -> str | None:
    """Refuse thanks and goodbyes without content, where the message before was nothing else."""
    if not _is_parting(text) or not position.said or not _is_parting(position.said[-1]):
        return None
    return repr(text[:60])


GUARDS: Mapping[str, Guard] = MappingProxyType(
    {
        "empty_reply": says_something,
        "cut_off": is_whole,
        "scratchpad": keeps_notes_out,
        "fourth_wall": stays_in_character,
        "role_swap": keeps_its_role,
        "missing_fact": tells_its_fact,
        "leaked_reveal": keeps_later_facts,
        "invented_number": invents_no_number,
        "thanks_loop": parts_once,
    }
)
"""By what their refusal is called, in the order in which they look."""


def check_message(text: str, position: Position) -> Slip | None:
    """Why a message cannot be taken; None when every guard lets it through."""
    for name, guard in GUARDS.items():
        evidence = guard(text, position)
        if evidence is not None:
            return Slip(guard=name, evidence=evidence, text=text)
    return None


def tidied(text: str) -> str:
    """A message without what is only around it: a label of the speaker, quotation marks, blanks."""
    text = _ROLE_LABEL.sub("", text.strip(), count=1).strip()
    for first, last in _QUOTES:
        inner = text[1:-1]
        if len(text) > 1 and text[0] == first and text[-1] == last and first not in inner:
            return inner.strip()
    return text


def _is_own(words: str, position: Position) -> bool:
    """Whether the card itself has the user speak so."""
    now = () if position.reveal is None else (position.reveal.say,)
    return any(words.strip().lower() in one.lower() for one in (*now, *position.card))


def _is_parting(text: str) -> bool:
    if _PARTING.search(text) is None or "?" in text:
        return False
    rest = content_words(_PARTING.sub(" ", text))
    return not [word for word in rest if word not in _POLITE]
