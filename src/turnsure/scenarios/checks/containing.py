"""Whether a text says a value: a name in any spelling of the grader, or a number.

As in tau-bench, commas in numbers and letter case do not count (Yao et al. 2024, the outputs of a
task).  Other than there, whole words and whole numbers are compared: 5 is not in "1,500".
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from turnsure.grading.normalise import normal

_NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?")


def contains_value(text: str, value: Any) -> bool:
    """Whether ``text`` says ``value``.

    Parameters
    ----------
    text
        What was said.
    value
        A number, or a text; a text that is a number counts as one.
    """
    number = _number(value)
    if number is not None:
        return any(_number(found) == number for found in _NUMBER.findall(text))
    wanted = normal(str(value)) or str(value).strip()
    return f" {wanted} " in f" {normal(text)} " or (not normal(str(value)) and wanted in text)


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = str(value).replace(",", "").replace("−", "-").strip()
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
