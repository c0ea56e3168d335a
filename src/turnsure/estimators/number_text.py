"""Finding the numbers of a short text on a scale from 0 to 100, whatever their spelling."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

from turnsure.core.boxed import unwrap

MAX_DIGITS = 40
"""A longer number is nothing that a person or a model means as a confidence."""

RATIO_WHOLES = (5, 10, 100)
"""What a ratio may be out of; 50/50 or 3/4 need not be a confidence."""

_HUNDRED = 100

_SPELLINGS = (
    (re.compile(r"\\(?:approx|sim)\b|[~∼≈〜]"), "~"),
    (re.compile(r"\\(?:geq?|gt)\b|[≥≧⩾]"), ">"),
    (re.compile(r"\\(?:leq?|lt)\b|[≤≦⩽]"), "<"),
    (re.compile("[\u2010-\u2015\u2212]"), "-"),
    (re.compile("\u066a|\\b(?:percent|per cent|pct)\\b\\.?"), "%"),
    (re.compile("\u066b"), "."),
    (re.compile("\u066c"), ","),
    (re.compile(r"\bapprox\."), "about"),
    (re.compile(r"(?:\\+|\b)(?:boxed|fbox|framebox)\b|\\[()\[\]]|[*_`#\"“”]"), ""),
    (re.compile(r"\$([^$\n]*)\$"), r"\1"),
)
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {
    "zero": 0,
    "a": 1,
    **{word: i for i, word in enumerate((*_ONES, *_TEENS), start=1)},
    **{word: 10 * i for i, word in enumerate(_TENS, start=2)},
}
_NUMBER_WORDS = re.compile(
    rf"""\b(?:
        (?:(?P<hundreds>a|{"|".join(_ONES)})[ -])?(?P<hundred>hundred)
      | (?P<tens>{"|".join(_TENS)})(?:[ -]?(?P<ones>{"|".join(_ONES)}))?
      | (?P<small>zero|{"|".join((*_TEENS, *_ONES))})
    )\b""",
    re.VERBOSE,
)
_ONE_AS_A_NUMBER = re.compile(r"(?:confidence)?\W*one\W*|.*\bone\s*(?:%|/|out of\b).*", re.DOTALL)

_N = r"(?:\d+(?:[.,]\d+)*|\.\d+)"
_EXPRESSION = re.compile(
    rf"""(?<![\w.,/])(?:
        (?P<between>between\s+)?
        (?P<low>-?{_N})\s*(?P<low_percent>%)?\s*(?P<joint>-|~|to\b|and\b)\s*
        (?P<high>-?{_N})\s*(?P<high_percent>%)?
      | (?P<part>-?{_N})\s*%?\s*(?:/|(?:out\s+)?of\b)\s*(?P<whole>{_N})(?:\s*%)?
      | (?P<single>[+-]?{_N})\s*(?P<percent>%)?
    )(?![\w/]|[.,]\d)""",
    re.VERBOSE,
)
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_DECIMAL = re.compile(r"(?P<whole>0|[1-9]\d*)?(?:[.,](?P<decimals>\d+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberText:
    """One number, ratio or range in a text.

    Attributes
    ----------
    start, end
        Where it stands.
    rule
        How it was read (see :mod:`turnsure.estimators.verbal_number`).
    value
        In [0, 1], exact; None when it cannot be read.
    problem
        Why not: a failure kind.
    has_unit
        True when it says itself what it is a share of (a percent sign, a ratio).
    """

    start: int
    end: int
    rule: str
    value: Fraction | None
    problem: str | None
    has_unit: bool


def plain(text: str) -> str:
    """Give one spelling to every digit, dash and sign, in small letters, without typesetting.

    Fractions such as ½ and raised digits become a character that nothing reads, since their
    compatible form would glue them to the digits before.
    """
    text = "".join("\ufffd" if unicodedata.category(c) == "No" else c for c in unwrap(text))
    text = unicodedata.normalize("NFKC", text).casefold()
    text = "".join(
        str(unicodedata.digit(c)) if unicodedata.category(c) == "Nd" else c for c in text
    )
    for pattern, spelling in _SPELLINGS:
        text = pattern.sub(spelling, text)
    return text


def with_digits(text: str) -> str:
    """Write number words from zero to nine hundred as digits; "one" only where it is a number."""
    reads_one = _ONE_AS_A_NUMBER.fullmatch(text) is not None

    def digits(match: re.Match[str]) -> str:
        if match["hundred"]:
            return str(_HUNDRED * _VALUES[match["hundreds"] or "one"])
        if match["tens"]:
            return str(_VALUES[match["tens"]] + _VALUES.get(match["ones"], 0))
        return match[0] if match[0] == "one" and not reads_one else str(_VALUES[match[0]])

    return _NUMBER_WORDS.sub(digits, text)


def find_numbers(text: str) -> list[NumberText]:
    """Every number, ratio and range of a text in the spelling of :func:`plain`."""
    return [_read(match) for match in _EXPRESSION.finditer(text)]


def _read(match: re.Match[str]) -> NumberText:
    has_unit = True
    if match["low"]:
        rule = "range"
        has_unit = bool(match["low_percent"] or match["high_percent"])
        value = _range(match, percent=has_unit)
    elif match["part"]:
        rule = "ratio"
        value = _ratio(match["part"], match["whole"])
    else:
        has_unit = bool(match["percent"])
        rule, value = _single(match["single"], percent=has_unit)
    if isinstance(value, Fraction) and not 0 <= value <= 1:
        value = "out_of_range"
    return NumberText(
        start=match.start(),
        end=match.end(),
        rule=rule,
        value=value if isinstance(value, Fraction) else None,
        problem=value if isinstance(value, str) else None,
        has_unit=has_unit,
    )


def _single(digits: str, *, percent: bool) -> tuple[str, Fraction | str]:
    number = _number(digits)
    if number is None:
        return "integer", "unparsable"
    if percent:
        return "percent", number / _HUNDRED
    if not re.search("[.,]", digits):
        return "integer", number / _HUNDRED
    if 0 < number < 1:
        return "fraction", number
    return "decimal", "ambiguous" if number == 1 else number / _HUNDRED


def _ratio(part: str, whole: str) -> Fraction | str:
    number, out_of = _number(part), _number(whole)
    if number is None or out_of is None:
        return "unparsable"
    return number / out_of if out_of in RATIO_WHOLES else "ambiguous"


def _range(match: re.Match[str], *, percent: bool) -> Fraction | str:
    low_rule, low = _single(match["low"], percent=percent)
    high_rule, high = _single(match["high"], percent=percent)
    if isinstance(low, str):
        return low
    if isinstance(high, str):
        return high
    if not (0 <= low <= 1 and 0 <= high <= 1):
        return "out_of_range"
    one_scale = (low_rule == "fraction") == (high_rule == "fraction")
    joined = match["joint"] != "and" or match["between"] is not None
    return (low + high) / 2 if one_scale and joined and low <= high else "ambiguous"


def _number(digits: str) -> Fraction | None:
    """The number as written, None when it is too long or written like a code."""
    unsigned = digits.lstrip("+-")
    if len(unsigned) > MAX_DIGITS:
        return None
    if _GROUPED.fullmatch(unsigned):
        number = Fraction(unsigned.replace(",", ""))
    else:
        match = _DECIMAL.fullmatch(unsigned)
        if match is None:
            return None
        decimals = match["decimals"] or ""
        number = Fraction(int((match["whole"] or "") + decimals), 10 ** len(decimals))
    return -number if digits.startswith("-") else number
