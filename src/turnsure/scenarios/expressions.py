"""The expressions of cards: a small safe language, CEL, compiled once and asked many times.

An expression only reads the values that it is given: there are no assignments, no loops without an
end, no files and no calls into Python.  The language is the `Common Expression Language
<https://cel.dev>`_ with its standard functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from turnsure.core.errors import InputError

if TYPE_CHECKING:
    from cel import Context, Program

LONGEST = 2000
"""Characters of an expression."""

RULES = "rules"
"""The variable that holds the rules in force."""

_WENT_WRONG = (ValueError, TypeError, RuntimeError, LookupError, ArithmeticError)
_BOUND = re.compile(r"\.(?:all|exists|exists_one|map|filter)\(\s*(\w+)\s*,")
_STRINGS = re.compile(r"""r?"(?:\\.|[^"\\])*"|r?'(?:\\.|[^'\\])*'""")
_ASKED_FOR = re.compile(rf"\bhas\(\s*{RULES}\.(\w+)\s*\)|\"(\w+)\"\s+in\s+{RULES}\b")
_RULE = re.compile(rf"(?<![\w.]){RULES}(?:\.(\w+)|\[\s*[\"'](\w+)[\"']\s*\])")
_FUNCTIONS = frozenset(
    {
        *("all", "bool", "bytes", "contains", "double", "duration", "dyn", "endsWith", "exists"),
        *("exists_one", "filter", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear"),
        *("getFullYear", "getHours", "getMilliseconds", "getMinutes", "getMonth", "getSeconds"),
        *("has", "int", "map", "matches", "max", "min", "size", "startsWith", "string"),
        *("timestamp", "type", "uint"),
    }
)


class Values:
    """The values that expressions read, handed to the language only when one asks for them.

    Handing a value over costs more than asking an expression, so the expressions of a turn share
    one of these.

    Parameters
    ----------
    values
        Plain JSON values by the name of the variable.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        self._context: Context | None = None
        self._given: set[str] = set()

    def set(self, name: str, value: Any) -> None:
        """Let a variable have another value from now on."""
        self._values[name] = value
        self._given.discard(name)

    def context(self, names: Iterable[str]) -> Context:
        """The language's own form of the values, which holds these variables at least."""
        from cel import Context

        if self._context is None:
            self._context = Context()
        for name in names:
            if name in self._values and name not in self._given:
                self._context.add_variable(name, self._values[name])
                self._given.add(name)
        return self._context

    def replaced(self, name: str, value: Any) -> Values:
        """The same values but for one."""
        return Values({**self._values, name: value})

    def find(self, names: Iterable[str]) -> Any:
        """What ``item.owner.name`` leads to.

        Raises
        ------
        KeyError
            It leads nowhere.
        """
        found: object = self._values
        for name in names:
            if not isinstance(found, Mapping):
                raise KeyError(name)
            found = cast("Mapping[str, object]", found)[name]
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A compiled expression.

    Attributes
    ----------
    text
        As the card writes it.
    where
        The card and the check, for messages.
    names
        The variables that it reads.
    rules
        Names of the rules without which it cannot be asked: all ``rules.x`` that it reads, but
        for those that it asks for itself, by ``has(rules.x)``.
    mentioned
        All rules that it names.
    """

    text: str
    where: str
    names: frozenset[str]
    rules: tuple[str, ...]
    mentioned: tuple[str, ...]
    program: Program

    @classmethod
    def of(cls, text: str, *, where: str = "") -> Expression:
        """Compile a text.

        Raises
        ------
        InputError
            It is no expression, or calls a function that the language does not have.
        """
        program, references = _compiled(text, where)
        unknown = [
            name
            for name in references["functions"]
            if re.fullmatch(r"\w+", name) and name not in _FUNCTIONS
        ]
        if unknown:
            raise InputError(
                f"{where_text(where)}{text!r} calls {unknown[0]}(), which there is not",
                expected=f"the functions of CEL, such as {', '.join(_COMMON)}",
            )
        mentioned = tuple(dict.fromkeys(_rules_of(text)))
        optional = {one for pair in _ASKED_FOR.findall(text) for one in pair if one}
        return cls(
            text=text,
            where=where,
            names=frozenset(references["variables"]) - set(_BOUND.findall(text)),
            rules=tuple(name for name in mentioned if name not in optional),
            mentioned=mentioned,
            program=program,
        )

    def ask(self, values: Mapping[str, Any] | Values) -> bool:
        """Whether the expression is true of these values.

        Raises
        ------
        InputError
            It cannot be evaluated, as a field is missing or types do not fit, or its result is
            no truth value.
        """
        given = values if isinstance(values, Values) else Values(values)
        try:
            result = self.program.execute(given.context(self.names))
        except _WENT_WRONG as error:
            raise InputError(
                f"{where_text(self.where)}{self.text!r} cannot be evaluated: {_reason(error)}"
            ) from None
        if not isinstance(result, bool):
            raise InputError(
                f"{where_text(self.where)}{self.text!r} gives {result!r}",
                expected="an expression that is true or false",
            )
        return result


_COMMON = ("has", "size", "contains", "startsWith", "matches", "all", "exists", "double")


def where_text(where: str) -> str:
    """The beginning of a message."""
    return f"{where}: " if where else ""


@lru_cache(maxsize=1024)
def _compiled(text: str, where: str) -> tuple[Program, dict[str, list[str]]]:
    import cel

    if len(text) > LONGEST:
        raise InputError(
            f"{where_text(where)}the expression has {len(text):,} characters",
            expected=f"at most {LONGEST:,}; a Python check can say more",
        )
    try:
        program = cel.compile(text)
    except ValueError as error:
        raise InputError(
            f"{where_text(where)}{text!r} is no expression: {_syntax(error)}",
            expected="CEL, such as item.rent <= rules.max_rent",
        ) from None
    return program, program.references()


def _syntax(error: ValueError) -> str:
    """The first problem that the parser names, on one line."""
    found = re.search(r"<input>:\d+:(\d+): ([^\n]*)", str(error))
    if found is None:
        return "it cannot be parsed"
    what = found[2].removeprefix("Syntax error: ").partition(" expecting ")[0]
    return f"{what}, at its character {found[1]}"


def _reason(error: Exception) -> str:
    """What went wrong, in words of a card."""
    if isinstance(error, KeyError):
        return f"there is no field {str(error.args[0])!r}"
    if isinstance(error, ZeroDivisionError):
        return "it divides by zero"
    if isinstance(error, OverflowError):
        return "a number is too large"
    text = str(error)
    undefined = re.match(r"Undefined variable or function: '(\w+)'", text)
    if undefined:
        name = undefined[1]
        if name in _FUNCTIONS:
            return f"{name}() does not take values of these types"
        return f"{name!r} has no value here"
    if isinstance(error, TypeError):
        return (
            "the types do not fit; a text is no number, a null has no size, and 1 * 2.5 has to be "
            "written double(1) * 2.5"
        )
    return text.splitlines()[0].removesuffix(".").partition(". Check function")[0]


def _rules_of(text: str) -> Iterator[str]:
    """Names of rules in the order in which they stand, outside of quoted texts."""
    quoted = [found.span() for found in _STRINGS.finditer(text)]
    for found in _RULE.finditer(text):
        if not any(start <= found.start() < end for start, end in quoted):
            yield found[1] or found[2]
