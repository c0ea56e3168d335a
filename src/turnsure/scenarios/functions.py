"""Python functions that a card names as ``module:function``."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from turnsure.core.errors import InputError

_TOLD = 400
"""Characters of an error's own text."""

_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def function_of(name: str) -> Callable[..., Any]:
    """Import what ``module:function`` names.

    Raises
    ------
    InputError
        The name has another form, the module cannot be imported, or has no such function.
    """
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} names no function", expected="module:function")
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except ImportError as error:
        raise InputError(
            f"{name!r} cannot be imported ({error})", expected="a module on the Python path"
        ) from None
    except AttributeError:
        raise InputError(
            f"the module {module!r} has no {attribute!r}", expected="module:function"
        ) from None
    except Exception as error:
        raise InputError(f"importing {module!r} raises {error_line(error)}") from error
    if not callable(found):
        raise InputError(f"{name!r} is no function", expected="module:function")
    return found


def call_function(function: Callable[..., Any], name: str, *arguments: Any) -> Any:
    """Call a function that a user wrote.

    Raises
    ------
    InputError
        It raises anything; the message names it and says what.
    """
    try:
        return function(*arguments)
    except Exception as error:
        raise InputError(f"{name} raises {error_line(error)}") from error


def error_line(error: BaseException) -> str:
    """The kind of an error, and what it says of itself on one line, shortened."""
    said = ""
    with suppress(Exception):  # the text is made by the user's code as well
        said = " ".join(str(error).split())
    said = said if len(said) <= _TOLD else f"{said[:_TOLD]}…"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
