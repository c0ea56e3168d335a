"""Reading an answer that is a number: separators, fractions, signs, units.

``1,000``, ``1 000``, ``1000.0`` and ``1 thousand`` are one number; ``0.5``, ``0,5``, ``1/2`` and
``½`` another.  A comma or a blank before exactly three digits groups thousands, any other comma is
a decimal comma, and a single full stop is a decimal point.  Digits that begin with a needless zero
(``007``) are a code, and a number within a longer text is no number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from turnsure.grading.normalise import CACHED, fold

MAX_LENGTH = 60
"""Longer texts are no numbers."""

_WHOLE = (
    r"[1-9]\d{0,2}(?:,\d{3})+(?!,)|[1-9]\d{0,2}(?:\ \d{3})+"
    r"|[1-9]\d{0,2}(?:\.\d{3}){2,}|[1-9]\d{0,2}(?:\.\d{3})+(?=,)|0|[1-9]\d*"
)
_SIGN = r"[%$¢-¥฿₠-⃀]|°(?:\ ?[cfk]\b)?"
_QUANTITY = re.compile(
    rf"""(?P<minus>-\ ?)?(?P<before>{_SIGN})?\ ?(?P<inner_minus>-)?
    (?: (?:(?P<mixed>{_WHOLE})\ )? (?P<top>{_WHOLE})\ ?/\ ?(?P<bottom>[1-9]\d*)
      | (?P<whole>{_WHOLE})?(?:[.,](?P<decimals>\d+))? )
    (?P<after>\ ?(?:{_SIGN}))?
    (?P<unit>\ ?[^\W\d_]+(?:\^?[23])?(?:[ /-][^\W\d_]+(?:\^?[23])?){{0,2}})?""",
    re.VERBOSE,
)
_POWERS = {
    "dozen": 12,
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_SIGN_WORDS = {
    "percent": "%",
    "dollar": "$",
    "dollars": "$",
    "usd": "$",
    "euro": "€",
    "euros": "€",
    "eur": "€",
    "gbp": "£",
}
_ATTACHED = re.compile("[kcm]?m|[km]?g|m?l|h|s|min|mi|ft|in|lbs?|oz|mph")
# After a number these change which number is meant.
_NO_UNIT = re.compile(
    r"and|or|to|not|plus|minus|less|more|fewer|than|at|point|times|pairs?|scores?|gross|half|halves"
    r"|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|tenths?|hundredths?"
    r"|dozens|hundreds|thousands|millions|billions"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number as an answer gives it.

    Attributes
    ----------
    value
        Exact; ``50%`` has the value 50.
    sign
        ``"%"``, a currency sign or a degree sign, None without one.
    unit
        Up to three words after the number, ``""`` without any.
    """

    value: Fraction
    sign: str | None
    unit: str


@lru_cache(maxsize=CACHED)
def read_quantity(text: str) -> Quantity | None:
    """Read ``text`` when it is a number and at most a sign and a unit, else give None."""
    if len(text) > MAX_LENGTH:
        return None
    match = _QUANTITY.fullmatch(" ".join(fold(text).split()).rstrip(" .,;:!"))
    if match is None or not (match["whole"] or match["decimals"] or match["top"]):
        return None
    signs = [sign.replace(" ", "") for sign in (match["before"], match["after"]) if sign]
    value = _value(match)
    words = (match["unit"] or "").split()
    if match["unit"] and not match["unit"].startswith(" ") and not match["after"]:
        attached = re.split(r"[/^\d]", words[0])[0]
        if not _ATTACHED.fullmatch(attached) or signs:
            return None
    if words and words[0] in _POWERS:
        value *= _POWERS[words.pop(0)]
    if words and words[0] in _SIGN_WORDS:
        signs.append(_SIGN_WORDS[words.pop(0)])
    if len(set(signs)) > 1 or any(map(_NO_UNIT.fullmatch, words)) or _is_title(text, words):
        return None
    return Quantity(value=value, sign=signs[0] if signs else None, unit=" ".join(words))


def same_number(answer: Quantity, accepted: Quantity) -> bool:
    """Whether ``answer`` gives the number ``accepted``, which has no unit of its own.

    A sign may be missing on either side; two signs must agree, and a unit does not stand for a
    missing sign (``50 apples`` is not ``50%``).
    """
    if accepted.unit or answer.value != accepted.value:
        return False
    if accepted.sign is None:
        return True
    return answer.sign == accepted.sign or (answer.sign is None and not answer.unit)


def _value(match: re.Match[str]) -> Fraction:
    if match["top"]:
        value = _integer(match["mixed"]) + Fraction(_integer(match["top"]), int(match["bottom"]))
    else:
        decimals = match["decimals"] or ""
        value = _integer(match["whole"]) + Fraction(int(decimals or "0"), 10 ** len(decimals))
    return -value if match["minus"] or match["inner_minus"] else value


def _integer(digits: str | None) -> Fraction:
    return Fraction(re.sub(r"\D", "", digits or "") or "0")


def _is_title(text: str, words: list[str]) -> bool:
    """Whether a number with capitalised words after it is a name, such as "21 Jump Street"."""
    return len(words) > 1 and text.lstrip("-0123456789., ").istitle()
