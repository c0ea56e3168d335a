"""A run's settings from a file: TOML, YAML, or the ``run.json`` of an earlier run."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import InputError
from turnsure.core.spec import RunSpec
from turnsure.experiment.run_folder import RUN_FORMAT

_NUMBERS = frozenset(
    one.name for one in fields(RunSpec) if str(one.type).split(" ")[0] in {"int", "float"}
)
_NAMES = tuple(one.name for one in fields(RunSpec))


def read_config(path: Path) -> dict[str, Any]:
    """The settings in a file, by name; dashes in names are taken as underscores.

    Raises
    ------
    InputError
        The file is missing, cannot be parsed, or names an unknown setting.
    """
    body = _parse(path)
    if path.suffix == ".json" and isinstance(body, dict):
        run = cast("dict[str, Any]", body)
        if run.get("format") != RUN_FORMAT:
            raise InputError("this is no run.json", file=path, expected=f"format {RUN_FORMAT}")
        body = run.get("spec")
    if not isinstance(body, dict):
        raise InputError("there are no settings here", file=path, expected="names and values")
    settings: dict[str, Any] = {}
    for name, value in cast("dict[str, Any]", body).items():
        key = str(name).replace("-", "_")
        if key not in _NAMES:
            near = difflib.get_close_matches(key, _NAMES, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise InputError(
                f"unknown setting {name!r}{hint}", file=path, field=name, expected=", ".join(_NAMES)
            )
        settings[key] = value
    return settings


def make_spec(settings: Mapping[str, Any], *, file: Path | None = None) -> RunSpec:
    """Check the settings' types and ranges.

    Raises
    ------
    InputError
        A value has the wrong type or is out of range; names the setting.
    """
    from pydantic import TypeAdapter, ValidationError

    for name, value in settings.items():
        if _is_converted(name, value):
            raise InputError(
                f"{value!r} does not fit", file=file, field=name, expected="a number, unquoted"
            )
    try:
        return TypeAdapter(RunSpec).validate_python(dict(settings))
    except ValidationError as error:
        raise _first(error.errors()[0], file) from None


def _is_converted(name: str, value: Any) -> bool:
    """Whether a number is wanted and something else would be made into one."""
    return name in _NUMBERS and isinstance(value, (bool, str))


def _first(error: Mapping[str, Any], file: Path | None) -> InputError:
    inner = error.get("ctx", {}).get("error")
    if isinstance(inner, InputError):
        return inner.at(file=file)
    place = ".".join(str(part) for part in error["loc"])
    return InputError(
        f"{error['input']!r} does not fit", file=file, field=place, expected=error["msg"]
    )


def _parse(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError("no such file", file=path, expected="TOML, YAML or run.json") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", file=path) from error
    parse = _PARSERS.get(path.suffix)
    if parse is None:
        raise InputError(
            f"the ending {path.suffix!r} is unknown", file=path, expected=".toml, .yaml or .json"
        )
    try:
        return parse(text)
    except InputError as error:
        raise error.at(file=path) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot be parsed ({error})", file=path) from error


def _yaml(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = None if error.problem_mark is None else error.problem_mark.line + 1
        raise InputError(
            f"cannot be parsed ({error.problem})", line=line, expected="YAML"
        ) from error
    except yaml.YAMLError as error:
        raise InputError("cannot be parsed", expected="YAML") from error


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    ".toml": tomllib.loads,
    ".json": json.loads,
    ".yaml": _yaml,
    ".yml": _yaml,
}
