"""JSON schemas of tool arguments, in the words that the house can check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from turnsure.calibration import schema
from turnsure.core.errors import InputError

_INFORMS = frozenset({"default", "examples", "format", "deprecated", "readOnly", "writeOnly"})
"""Words that ask for nothing; a format is a hint (JSON Schema 2020-12, validation, section 7)."""


def checkable(written: Mapping[str, Any], *, field: str) -> dict[str, Any]:
    """A schema without the words that only inform.

    Raises
    ------
    InputError
        It uses a word that cannot be checked, so that calls would pass unseen.
    """
    kept: dict[str, Any] = {}
    for word, wanted in written.items():
        if word in _INFORMS:
            continue
        if not _is_known(word, wanted):
            raise InputError(
                f"the schema word {word!r} cannot be checked",
                field=field,
                expected="a schema without it, and an `expression` for what it says",
            )
        kept[word] = _inner(word, wanted, field=field)
    return kept


def _inner(word: str, wanted: Any, *, field: str) -> Any:
    if word == "properties" and isinstance(wanted, Mapping):
        properties = cast("Mapping[str, Any]", wanted)
        return {
            name: checkable(cast("Mapping[str, Any]", one), field=f"{field}.{name}")
            if isinstance(one, Mapping)
            else one
            for name, one in properties.items()
        }
    if word in {"items", "additionalProperties"} and isinstance(wanted, Mapping):
        return checkable(cast("Mapping[str, Any]", wanted), field=f"{field}.{word}")
    # Additional properties are welcome unless they are refused, which is the meaning of true.
    return {} if word == "additionalProperties" and wanted is True else wanted


def _is_known(word: str, wanted: Any) -> bool:
    try:
        schema.check(None, {word: wanted})
    except KeyError:
        return False
    except InputError:
        pass
    return True
