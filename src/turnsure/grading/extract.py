r"""Reading the answer out of a model's reply.

A box decides when there is one; the rules, in this order:

=====================  =============================================================
``boxed_unclosed``     the closing brace is missing: the rest of the line
``boxed_nested``       a box within a box: the inner one
``boxed_last``         several that differ: reasoning ends with the answer
``boxed``              one box, or several that say the same
``unboxed``            no box: what follows the last lead-in such as ``answer is``,
                       or a reply of one line that says nothing but the answer
``statement``          no box and no lead-in, but a reply of one line: the line is the answer
=====================  =============================================================

A box that only repeats the instruction (``\boxed{your answer}``) is skipped; when nothing else is
boxed, the reply is a failure.  So is everything that would have to be guessed: several lines of
prose without a lead-in, a question, an admission of not knowing.  Boxes labelled "Confidence" hold
no answer.  A statement is what small models give that do not keep to the format; it is seldom the
right answer, and where it merely mentions one it is not graded (:func:`mentions
<turnsure.grading.match.mentions>`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from turnsure.core.boxed import MOST_CHARACTERS, Box, find_boxes, innermost, unwrap
from turnsure.core.outcome import Failure

PLACEHOLDERS = (
    "answer",
    "the answer",
    "your answer",
    "your answer here",
    "final answer",
    "your final answer",
    "concise answer",
    "a concise answer",
    "short answer",
    "one short answer",
)
"""Contents that echo an instruction; compared without case, brackets and end punctuation."""

MAX_WORDS = 8
"""An unboxed answer is no longer than this."""

MAX_STATEMENT_WORDS = 60
"""A longer line is reasoning and no answer."""

MAX_ABBREVIATION = 4
"""Letters of the longest abbreviation whose dot ends no sentence, and the blank before it."""

_LEAD_IN = re.compile(
    r"""\b(?:answer|guess)\b[*_"”]*\s*
        (?: (?:is|would\ be|should\ be|must\ be)\b\s*[:=]? | [:=] )
        | \bfinal\ answer\b[*_\#\s]*\n""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENING = re.compile(
    r"""(?:so|thus|therefore|hence|well|ok|okay)\b,?\s+
        | (?:i|we)(?:['’]d|\s+would)?\s+(?:think|believe|guess|say)\b[\s:]*(?:that\s+)?
        | (?:it|that|this)(?:\s+is|['’]s|\s+must\s+be|\s+would\s+be)\b[\s:]+
        | (?-i:[Tt]he\s[a-z]+\s(?:is|must\sbe)\s+(?=[^\W\d_a-z]))""",
    re.IGNORECASE | re.VERBOSE,
)
_CLOSING = re.compile(
    r"\s+is\s+(?:the|my)\s+(?:(?:correct|right|final|best)\s+)?(?:answer|guess)$", re.IGNORECASE
)
_REASON = re.compile(
    r",?\s+because\b.*|,\s+(?:since|as|which|who|where|given)\s.*", re.IGNORECASE | re.DOTALL
)
_LABEL = (
    r"\bconfidence(?:\s+(?:score|level|rating))?[*_]*\s*(?:\([^)\n]*\)\s*)?(?:[:=]|(?:is|of)\b)"
)
_CONFIDENCE_LINE = re.compile(rf"^[^\w\n]*(?:my\s+)?{_LABEL}.*$", re.IGNORECASE | re.MULTILINE)
_CONFIDENCE = re.compile(rf"(?:\bmy\s+)?{_LABEL}", re.IGNORECASE)
_BEFORE_CONFIDENCE = re.compile(rf"{_LABEL}[^.]*$|^\W*confidence\W*$", re.IGNORECASE)
_LIST_MARK = re.compile(r"^(?:[-*•>#]+|\d{1,2}[.)])\s+")
_SENTENCE_END = re.compile(r"[.!?][\"'”’)*]*(?=\s|$)|[。！？]")
_ABBREVIATED = re.compile(r"(?:^|[\s.])(?:[^\W\d_]|st|mt|ft|mr|mrs|ms|dr|jr|sr)$", re.IGNORECASE)
_KEEPS_ITS_DOT = re.compile(r"[^\W\d_]\.[^\W\d_]$|\b(?:jr|sr|inc|co|ltd)$", re.IGNORECASE)
# In lower case these show a statement about something; titles write them with a capital.
_STATEMENT = re.compile(
    r"\b(?:is|are|was|were|has|have|had|am|could|would|should)(?:n['’]t)?\b|\bI(?:['’]|\s+[a-z])"
)
_NO_NAME = re.compile(
    r"""(?:not|no\ longer|neither|unclear)\b
        | (?-i:that|because|in|on|at|from|of|to|for|known|located)\b  # titles have a capital
        | (?:correct|right|incorrect|wrong)$
        | (?:is|are|was|do|does|did|can|could|what|which|who|where|when|why|how)\b.*\?$""",
    re.IGNORECASE | re.VERBOSE,
)
_BUT = re.compile(r",\s+but\b", re.IGNORECASE)
_OR = re.compile(r"\bor\b|\s[/|]\s", re.IGNORECASE)
_NO_IDEA = re.compile(
    r"""i\s+(?:do\s+not|don['’]?t)\s+know\b
        | i(?:\s+am|['’]?m)\s+(?:not\s+sure|unsure|sorry)\b
        | (?:i|it)\s+can(?:not|\s+not|['’]?t)\b
        | cannot\s+be\s+determined\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LINK = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)")
_MATHS_END = re.compile(r"(?:\$+|\\[)\]])\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """An answer and the rule by which it was found (see the module's table)."""

    answer: str
    rule: str


def extract_answer(text: str, *, placeholders: Iterable[str] = ()) -> Extracted | Failure:
    """Read the answer that ``text`` gives.

    Parameters
    ----------
    text
        A model's reply.
    placeholders
        Further contents of a box that only echo the instruction, beside :data:`PLACEHOLDERS`.

    Returns
    -------
    Extracted or Failure
        The failure's stage is ``"answer"`` and its kind ``"empty"`` (nothing was written),
        ``"placeholder"`` (nothing or only the instruction's own words are boxed),
        ``"too_long"`` or ``"no_answer"``.
    """
    if not text.strip():
        return _failure(text, "empty", "the reply is empty")
    if len(text) > MOST_CHARACTERS:
        return _failure(text[:MOST_CHARACTERS], "too_long", f"the reply has {len(text)} characters")
    echoes = frozenset(_plain(echo) for echo in (*PLACEHOLDERS, *placeholders))
    answers: list[Box] = []
    unboxed = text
    for box in reversed(innermost(find_boxes(text))):
        if _is_confidence(text, box):
            unboxed = unboxed[: box.start] + unboxed[box.end :]
        else:
            answers.insert(0, box)
    if answers:
        return _from_boxes(text, answers, echoes)
    candidate = _after_lead_in(unboxed)
    if candidate is None:
        candidate = _whole_reply(unboxed)
    rule = "unboxed"
    if candidate is None or not _is_name(candidate):
        candidate, rule = _statement(unboxed), "statement"
    if candidate is None:
        return _failure(text, "no_answer", "the reply has no box and no answer stands out")
    if _is_echo(candidate, echoes):
        return _failure(text, "placeholder", "the reply only repeats the instruction")
    return Extracted(answer=candidate, rule=rule)


def _failure(text: str, kind: str, message: str) -> Failure:
    return Failure(stage="answer", kind=kind, message=message, raw=text)


def _from_boxes(text: str, boxes: Sequence[Box], echoes: frozenset[str]) -> Extracted | Failure:
    read = [(box, _content(box)) for box in boxes]
    filled = [(box, answer) for box, answer in read if not _is_echo(answer, echoes)]
    if not filled:
        return _failure(text, "placeholder", "the box is empty or only repeats the instruction")
    last, answer = filled[-1]
    if _NO_IDEA.match(answer):
        return _failure(text, "no_answer", "the reply says that the answer is not known")
    if not last.closed:
        rule = "boxed_unclosed"
    elif last.depth > 0:
        rule = "boxed_nested"
    elif len({other.casefold() for _, other in filled}) > 1:
        rule = "boxed_last"
    else:
        rule = "boxed"
    return Extracted(answer=answer, rule=rule)


def _content(box: Box) -> str:
    """What the box says, without "the answer is" where the model put that inside as well."""
    written = box.content if box.closed else _MATHS_END.sub("", box.content)
    return _after_lead_in(written) or _clean(written)


def _is_confidence(text: str, box: Box) -> bool:
    """Whether the words right before the box, after any box before it, announce a confidence."""
    before = text[: box.start].rstrip(" \t\n$*_")
    return _BEFORE_CONFIDENCE.search(re.split(r"[}\n]", before)[-1]) is not None


def _is_echo(answer: str, echoes: frozenset[str]) -> bool:
    """Whether ``answer`` is the instruction's words, or has neither letter, digit nor symbol."""
    said = any(
        letter.isalnum() or unicodedata.category(letter) in {"Sm", "Sc", "So"} for letter in answer
    )
    return not said or _plain(answer) in echoes


def _plain(text: str) -> str:
    return " ".join(text.casefold().strip(" \t\n.…:;,!?[](){}<>\"'*_").split())


def _clean(text: str) -> str:
    """Without typesetting, surrounding marks and end punctuation, on one line."""
    text = _LINK.sub(r"\1", " ".join(unwrap(text).replace(r"\boxed", " ").split()))
    if text.count("**") % 2:
        text = text.replace("**", " ").strip()
    before = None
    while text != before:
        before = text
        text = unwrap(text).rstrip(" ,;:。，、")
        if text.endswith(".") and not text.endswith("..") and not _KEEPS_ITS_DOT.search(text[:-1]):
            text = text[:-1]
    return text


def _after_lead_in(text: str) -> str | None:
    """What the last lead-in announces, up to the end of its sentence; None without a lead-in."""
    found = list(_LEAD_IN.finditer(text))
    if not found:
        return None
    rest = text[found[-1].end() :].lstrip(" \t\n:")
    return _bare(_first_sentence(rest.split("\n", 1)[0]))


def _statement(text: str) -> str | None:
    """A reply of one line that states something, else None."""
    lines = [line for line in _CONFIDENCE_LINE.sub("", text).splitlines() if line.strip()]
    if len(lines) != 1:
        return None
    line = _clean(_LIST_MARK.sub("", lines[0].strip()))
    stated = not _NO_IDEA.match(line) and not line.endswith("?")
    return line if stated and len(line.split()) <= MAX_STATEMENT_WORDS else None


def _whole_reply(text: str) -> str | None:
    """A reply of one line and one sentence that is nothing but an answer, else None."""
    lines = [line for line in _CONFIDENCE_LINE.sub("", text).splitlines() if line.strip()]
    if len(lines) != 1:
        return None
    line = _without_confidence(_LIST_MARK.sub("", lines[0].strip()))
    sentence = _first_sentence(line)
    if line[len(sentence) :].strip():
        return None
    name = _CLOSING.sub("", _bare(sentence))
    return None if _STATEMENT.search(name) or _OR.search(name) else name


def _bare(sentence: str) -> str:
    """``sentence`` without what stands before and after the answer in it."""
    sentence = _clean(_REASON.sub("", _without_confidence(sentence)))
    while opening := _OPENING.match(sentence):
        sentence = sentence[opening.end() :]
    return _clean(sentence)


def _without_confidence(text: str) -> str:
    """``text`` up to where it states a confidence."""
    stated = _CONFIDENCE.search(text)
    return text[: stated.start()].rstrip(" ,;([-–—*_") if stated else text


def _first_sentence(line: str) -> str:
    """``line`` up to the first full stop that ends a sentence and no abbreviation."""
    for end in _SENTENCE_END.finditer(line):
        last_word = line[max(0, end.start() - MAX_ABBREVIATION) : end.start()]
        if not (end[0].startswith(".") and _ABBREVIATED.search(last_word)):
            return line[: end.end()]
    return line


def _is_name(candidate: str) -> bool:
    """Short, not empty, no denial, no question, and nothing that no answer begins with."""
    return (
        0 < len(candidate.split()) <= MAX_WORDS
        and not _NO_NAME.match(candidate)
        and not _NO_IDEA.match(candidate)
        and not _BUT.search(candidate)
    )
