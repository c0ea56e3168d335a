"""Taking personal data out of a conversation before it becomes a test.

Each address, phone number or card number gets a stand-in with a number of its own, the same
wherever it comes back, so that tool calls still find their results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from turnsure.core.errors import InputError
from turnsure.scenarios.functions import call_function, function_of

Redact = Callable[[str], str]

_EMAIL = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
_CARD = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w])")
_PHONE = re.compile(r"(?<![\w.,/-])(?:\+|\()?\d[\d ().-]{6,22}\d(?![\w])")
_NO_PHONE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[.-]\d{1,2}[.-]\d{2,4}|\d+\.\d+$|1\d+$")
"""Dates, decimal fractions, and bare digits that begin with 1, as times in seconds do."""

_PHONE_DIGITS = range(9, 16)
_LUHN_TEN = 10


class Redactor:
    """Replaces personal data, remembering what stands for what.

    Parameters
    ----------
    hook
        A function text → text of the user's, or its name ``module:function``; it comes first.
    builtin
        Whether e-mail addresses, phone numbers and card numbers are replaced.

    Raises
    ------
    InputError
        The hook cannot be imported.
    """

    def __init__(self, hook: Redact | str | None = None, *, builtin: bool = True) -> None:
        self._hook = function_of(hook) if isinstance(hook, str) else hook
        self._name = hook if isinstance(hook, str) else "the redaction hook"
        self._builtin = builtin
        self._known: dict[str, dict[str, str]] = {"e-mail": {}, "card": {}, "phone": {}}

    @property
    def n_replaced(self) -> Mapping[str, int]:
        """Different values that got a stand-in, by kind; what a hook replaces is not counted."""
        return {kind: len(known) for kind, known in self._known.items()}

    def text(self, text: str) -> str:
        """The text without personal data.

        Raises
        ------
        InputError
            The hook raises, or gives no text.
        """
        if self._hook is not None:
            given: object = call_function(self._hook, self._name, text)
            if not isinstance(given, str):
                raise InputError(f"{self._name} gives {given!r:.60}", expected="a text")
            text = given
        if not self._builtin:
            return text
        text = _EMAIL.sub(lambda found: self._stand_in("e-mail", found[0].casefold()), text)
        text = _CARD.sub(self._card, text)
        return _PHONE.sub(self._phone, text)

    def value(self, value: Any) -> Any:
        """A JSON value with all of its texts, names and long numbers redacted."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            fields = cast("Mapping[str, Any]", value)
            return {self.text(name): self.value(one) for name, one in fields.items()}
        if isinstance(value, list):
            return [self.value(one) for one in cast("list[Any]", value)]
        if isinstance(value, int) and not isinstance(value, bool):
            written = str(value)
            redacted = self.text(written)
            return value if redacted == written else redacted
        return value

    def _card(self, found: re.Match[str]) -> str:
        digits = _digits(found[0])
        return self._stand_in("card", digits) if _passes_luhn(digits) else found[0]

    def _phone(self, found: re.Match[str]) -> str:
        digits = _digits(found[0])
        if len(digits) not in _PHONE_DIGITS or _NO_PHONE.match(found[0]):
            return found[0]
        return self._stand_in("phone", digits)

    def _stand_in(self, kind: str, value: str) -> str:
        known = self._known[kind]
        return known.setdefault(value, f"[{kind} {len(known) + 1}]")


def _digits(text: str) -> str:
    return "".join(letter for letter in text if letter.isdecimal())


def _passes_luhn(digits: str) -> bool:
    """The check digit of card numbers (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % _LUHN_TEN == 0
