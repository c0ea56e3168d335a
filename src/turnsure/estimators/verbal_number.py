r"""Reading a confidence that a model wrote when asked for a number from 0 to 100.

Where it is looked for, first hit wins: the last box that the word "confidence" announces; the text
after the last ``Confidence:`` (else after the last "confidence"); the last box that nothing
announces; a reply of at most :data:`MAX_WORDS` words.  A box or a number that is announced as the
answer is never read.

===============  ==================================  ===========================================
rule             reads                               as
===============  ==================================  ===========================================
``integer``      ``85``, ``1``, ``0``                0.85, 0.01, 0: the scale that was asked for
``decimal``      ``85.5``, ``85,5``, ``1.5``         0.855, 0.855, 0.015
``fraction``     ``0.85`` (strictly in (0, 1))       0.85
``percent``      ``85%``, ``0.5 %``, ``85 percent``  0.85, 0.005, 0.85
``ratio``        ``8/10``, ``85 out of 100``         0.8, 0.85 (out of 5, 10 or 100)
``range``        ``80-90``, ``80 to 90%``            the midpoint, 0.85
``words``        ``eighty-five percent``             0.85
``approximate``  ``~90``, ``about 90``               0.9
===============  ==================================  ===========================================

What cannot be read for sure is a failure of stage ``"confidence"``:

================  ========================================================================
kind              for example
================  ========================================================================
``empty``         nothing was written
``placeholder``   an echo of the instruction: ``0-100``, ``your confidence``, an empty box
``bound``         ``>95``, ``at least 90``, ``less than 10``, ``90+``
``out_of_range``  ``150``, ``-5``, ``120%``, ``1,000``, ``11/10``
``ambiguous``     ``1.0`` (all, or one in a hundred?), numbers that differ, ``50/50``,
                  ``100% sure it is wrong``, ``8 on a scale of 10``
``unparsable``    ``high``, ``N/A``, ``½``, a number that may count something else
================  ========================================================================

``0-100``, ``1-100``, ``0-10``, ``1-10``, ``0-5``, ``1-5`` and ``0-1`` name a scale, not a range; a
percent sign makes a range of all but the first two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from turnsure.core.boxed import MOST_CHARACTERS, Box, find_boxes, innermost
from turnsure.core.outcome import Failure
from turnsure.estimators.number_text import NumberText, find_numbers, plain, with_digits

MAX_WORDS = 25
"""Longer replies need a box or a label."""

_MESSAGES = {
    "empty": "the reply is empty",
    "placeholder": "the reply only repeats the instruction",
    "bound": "the reply gives a bound and no confidence",
    "out_of_range": "the number is not on the scale from 0 to 100",
    "ambiguous": "the reply can be read in more than one way",
    "unparsable": "the reply holds no number that is clearly a confidence",
}

_CONFIDENCE = re.compile(r"\bconfidence\b")
_LABEL = re.compile(
    r"""\bconfidence(?:\s+(?:score|level|rating|value))?\s*(?:\([^()\n]*\)\s*)?[:=]
        | ^\W*(?:(?:my|your|final)\s+)?confidence(?:\s+(?:score|level|rating))?[^\w\n]*$""",
    re.MULTILINE | re.VERBOSE,
)
_ANSWER_NEXT = re.compile(r"\b(?:answer|guess)\W*(?:(?:is|was)\b|[:=])?\W*$")
_ANSWER_NUMBER = re.compile(
    r"\b(?:answer|guess)\W*(?:(?:is|was)\b|[:=])?\W*\d"
    r"|\d\W*\bis\s+(?:the|my)\s+(?:\w+\s+)?(?:answer|guess)\b"
)
_CONFIDENCE_IN = re.compile(r"\bconfidence(?:\s+\w+)?\s+(?:in|of|about|for|that)\b")
_UNIT = re.compile(r"[\s$*]*(%|percent\b|/\s*\d+|out\s+of\s+\d+)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\banswer\s*[:=]")
_CLAUSE_END = re.compile(r"[,;(]|\s-\s|\b(?:because|since|as|given|due|based)\b")
_UP_TO_COLON = re.compile(r"^[^:=\d\n]*[:=]")

_SCALE = re.compile(
    r"""(?<![\d.,-])(?P<low>0(?:\.0)?|1)\s*%?\s*(?:\([^()]*\)\s*)?(?:-|~|,|to\b|and\b|\.\.+)\s*
        (?P<high>100|10|5|1(?:\.0)?)(?![\d/]|[.,]\d)(?P<percent>\s*%)?(?:\s*\([^()]*\))?
      | \bscale\s+of\s+(?P<of>100|10|5|1)\b(?!\s*(?:-|to\b))
      | (?<![\d%])(?<![\d%]\s)\bout\s+of\s+(?P<out_of>100|10)\b""",
    re.VERBOSE,
)
_APPROXIMATE_BEFORE = re.compile(
    r"(?:~|\b(?:about|around|approximately|roughly|nearly|almost|circa|near|some|maybe|perhaps"
    r"|close to))\s*(?:an?\s+)?$"
)
_APPROXIMATE_AFTER = re.compile(r"\s*or so\b")
_BOUND_BEFORE = re.compile(
    r"(?:(?<![=-])[<>]\s*=?|\b(?:at (?:least|most)|over|under|above|below|up to|beyond"
    r"|(?:more|less|greater|fewer|higher|lower|better) than|exceed(?:s|ing)|(?:min|max)imum(?: of)?"
    r"))\s*(?:an?\s+)?$"
)
_BOUND_AFTER = re.compile(
    r"\s*(?:\+|(?:or|and)\s+(?:more|less|higher|lower|greater|above|below|over|under|up)\b|plus\b"
    r"|at (?:least|most)\b|(?:min|max)imum\b)"
)
_DENIAL = re.compile(
    r"\b(?:not|no|never|cannot|doubt|unsure|uncertain|uncertainty|unlikely)\b|n['’]t\b"
)
_WRONG = re.compile(r"\b(?:wrong|incorrect|false|mistaken)\b")
_SURE = re.compile(
    r"\b(?:sure|certain|confident|confidence|certainty|likely|likelihood|probability|chance)\b"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NEITHER_WORD_NOR_MARK = re.compile(r"""[^\w\s.,:;!?'’"()\[\]{}/=%~+<>\\-]""")


def _vocabulary(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words that may stand around a number without making it a number of something else.
_ABOUT_CONFIDENCE = _vocabulary("""
    a absolutely almost am an and answer answers approximately are around as at about be believe
    between certain certainty chance chances circa close completely confidence confident correct
    estimate estimated extremely fairly final for from give given have highly i i'd i'm i’d i’m in
    is it it's it’s level likelihood likely maybe me my near nearly number of on or our out perhaps
    points pretty probability proposed quite rate rather rating right roughly say scale score so
    some sure that the there think this to totally true value very we with would you your
""")
# These change what the number says; they are looked at on their own.
_TURNING = _vocabulary("""
    above below better beyond exceeding exceeds fewer greater higher least less lower maximum
    minimum more most over plus than under up
    can't can’t cannot doubt don't don’t false incorrect isn't isn’t mistaken never no not
    uncertain uncertainty unlikely unsure wrong
""")
_ECHO = _vocabulary("""
    a an and any at between confidence enter from here in insert integer is it level number of on
    percentage rate rating score scale the to value with x xx your
""")
_ECHO_NAMES = _vocabulary("confidence integer number percentage rating score value x xx your")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A confidence in [0, 1] and the rule that read it (see the module's table)."""

    value: float
    rule: str


def read_confidence(text: str) -> Reading | Failure:
    """Read the confidence that ``text`` states on a scale from 0 to 100.

    Never raises and never guesses: a reply that can be read in two ways is a
    :class:`~turnsure.core.outcome.Failure` that holds the whole reply.
    """
    outcome: Reading | str = "unparsable" if text.strip() else "empty"
    readable = text.strip() and len(text) <= MOST_CHARACTERS
    for place in _places(text) if readable else ():
        outcome = _read(place)
        if outcome != "unparsable":
            break
    if isinstance(outcome, Reading):
        return outcome
    return Failure(stage="confidence", kind=outcome, message=_MESSAGES[outcome], raw=text)


def _places(text: str) -> Iterator[str]:
    """The parts of ``text`` that may hold the confidence, the most certain first."""
    boxes = innermost(find_boxes(text))
    starts = [0, *(box.end for box in boxes)]
    announced = [
        (_announces(text[start : box.start]), box)
        for start, box in zip(starts, boxes, strict=False)
    ]
    yield from _last_filled(text, [box for what, box in announced if what == "confidence"])
    whole = plain(text)
    yield from _after_label(whole)
    yield from _last_filled(text, [box for what, box in announced if what == "nothing"])
    if len(whole.split()) <= MAX_WORDS and not _ANSWER_NUMBER.search(whole):
        yield whole


def _announces(before: str) -> Literal["answer", "confidence", "nothing"]:
    """What the words between one box and the next say about the next."""
    before = _without_scales(plain(before))[0]
    sentence = re.split(r"[\n.!?]", before)[-1]
    if _ANSWER_NEXT.search(before) and not _CONFIDENCE_IN.search(sentence):
        return "answer"
    announced = list(_CONFIDENCE.finditer(before))
    if announced and not re.search(r"\d", before[announced[-1].end() :]):
        return "confidence"
    return "nothing"


def _last_filled(text: str, boxes: Sequence[Box]) -> Iterator[str]:
    """The last content that is no echo of the instruction; when there is none, the last echo.

    A unit right behind a box belongs to the number in it.
    """
    contents = [plain(box.content) + _unit_after(text[box.end :]) for box in boxes]
    filled = [content for content in contents if _read(content) != "placeholder"]
    yield from (filled or contents)[-1:]


def _unit_after(rest: str) -> str:
    unit = _UNIT.match(plain(rest.split("\n", 1)[0]))
    return f" {unit[1]}" if unit else ""


def _after_label(text: str) -> Iterator[str]:
    """The sentence after the last label, which stays in front so that the number has a meaning."""
    labels = list(_LABEL.finditer(text))
    for found in (labels or list(_CONFIDENCE.finditer(text)))[-1:]:
        rest = text[found.end() :]
        line = (rest.lstrip() if labels else rest).split("\n", 1)[0]
        sentence = _SENTENCE_END.split(_UP_TO_COLON.sub("", line), maxsplit=1)[0]
        if sentence.strip():
            yield f"confidence {sentence}"


def _without_scales(text: str) -> tuple[str, set[str]]:
    """``text`` without its mentions of scales, and where these scales end."""
    ends: set[str] = set()

    def blank(match: re.Match[str]) -> str:
        end = (match["high"] or match["of"] or match["out_of"]).removesuffix(".0")
        is_range = match["percent"] is not None and end != "100"
        if is_range or (end == "1" and match["low"] == "1"):
            return match[0]
        ends.add(end)
        return " "

    return _SCALE.sub(blank, text), ends


def _read(place: str) -> Reading | str:
    """Read one part of a reply, in the spelling of ``plain``; a failure kind when it cannot be."""
    text, scales = _without_scales(with_digits(place))
    numbers = find_numbers(text)
    if not numbers:
        return "placeholder" if _is_echo(text, has_scale=bool(scales)) else "unparsable"
    first = numbers[0]
    clause_end = _CLAUSE_END.search(text, first.end)
    clause = text[: clause_end.start()] if clause_end else text
    if not _is_about_confidence(clause, first):
        return "unparsable"
    before, after = text[: first.start], text[first.end :]
    if _BOUND_BEFORE.search(before) or _BOUND_AFTER.match(after):
        return "bound"
    if _DENIAL.search(clause) or _WRONG.search(text) or _has_other_digits(text, numbers):
        return "ambiguous"
    for number in numbers:
        if number.problem is not None:
            return number.problem
    rule, value = first.rule, first.value
    one_value = all(number.value == value for number in numbers)
    if value is None or not one_value or not _fits_scale(first, scales):
        return "ambiguous"
    if rule != "range" and (_APPROXIMATE_BEFORE.search(before) or _APPROXIMATE_AFTER.match(after)):
        rule = "approximate"
    elif rule in {"integer", "percent"} and not re.search(r"\d", place):
        rule = "words"
    return Reading(value=float(value), rule=rule)


def _is_echo(text: str, *, has_scale: bool) -> bool:
    """Whether a text without a number is the instruction's own, or a blank to be filled in."""
    words = set(_WORD.findall(text))
    if re.search(r"\d", text) or _NEITHER_WORD_NOR_MARK.search(text) or not words <= _ECHO:
        return False
    return has_scale or not words or bool(words & _ECHO_NAMES)


def _is_about_confidence(clause: str, number: NumberText) -> bool:
    """Whether nothing else in the clause could be what ``number`` counts.

    A percentage or ratio next to a word such as "sure" needs no further proof.
    """
    around = clause[: number.start] + " " + clause[number.end :]
    if number.has_unit and _SURE.search(around):
        return True
    words = set(_WORD.findall(around))
    return words <= _ABOUT_CONFIDENCE | _TURNING and not _NEITHER_WORD_NOR_MARK.search(around)


def _has_other_digits(text: str, numbers: Sequence[NumberText]) -> bool:
    rest = list(text)
    for number in numbers:
        rest[number.start : number.end] = " " * (number.end - number.start)
    return any(letter.isdigit() for letter in rest)


def _fits_scale(number: NumberText, scales: set[str]) -> bool:
    """Whether the scales that the reply names leave only one meaning to ``number``."""
    others = scales - {"100"}
    return number.has_unit or not others or (others == {"1"} and number.rule == "fraction")
