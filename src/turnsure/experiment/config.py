"""A run's settings from a file: TOML, YAML, or the ``run.json`` of an earlier run."""

from __future__ import annotations

import difflib
import functools
import json
import reprlib
import tomllib
import types
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from turnsure.core.errors import InputError
from turnsure.core.spec import RunSpec
from turnsure.dialogues.jsonl import without_doubles
from turnsure.experiment.run_folder import RUN_FORMAT

_NUMBERS = frozenset(
    one.name for one in fields(RunSpec) if str(one.type).split(" ")[0] in {"int", "float"}
)
_NAMES = tuple(one.name for one in fields(RunSpec))
_MAY_BE_BLANK = frozenset({"task"})
"""A blank task stands for the default one."""

_WORDS: Mapping[object, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text in quotes",
    tuple: "a list of texts",
}


def read_config(path: Path) -> dict[str, Any]:
    """The settings in a file, by name; dashes in names are taken as underscores.

    Raises
    ------
    InputError
        The file is missing, cannot be parsed, or names an unknown setting or one setting twice.
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
        if key in settings:
            raise _doubled(str(name)).at(file=path)
        settings[key] = value
    return settings


def make_spec(settings: Mapping[str, Any], *, file: Path | None = None) -> RunSpec:
    """Check the settings' types and ranges.

    Raises
    ------
    InputError
        A value is empty, has the wrong type or is out of range; names the setting.
    """
    from pydantic import TypeAdapter, ValidationError

    for name, value in settings.items():
        if _is_converted(name, value):
            raise InputError(
                f"{_shown(value)} does not fit",
                file=file,
                field=name,
                expected="a number, unquoted",
            )
        if isinstance(value, str) and not value.strip() and name not in _MAY_BE_BLANK:
            raise InputError(f"{name} is empty", file=file, field=name, expected="a value")
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
    # What follows the name of the setting is a place in a list, or the branch of a union.
    name, *rest = error["loc"]
    place = "".join(f"[{part}]" for part in rest if isinstance(part, int))
    return InputError(
        f"{_shown(error['input'])} does not fit",
        file=file,
        field=f"{name}{place}",
        expected=_WORDS[str] if place else _expected(str(name)),
    )


def _shown(value: object) -> str:
    """The value as written, shortened."""
    return reprlib.repr(value)


@functools.cache
def _expected(name: str) -> str:
    """What a setting takes, in words; absence needs no word, since leaving it out says it."""
    kind = get_type_hints(RunSpec)[name]
    kinds = get_args(kind) if get_origin(kind) is types.UnionType else (kind,)
    return " or ".join(_in_words(one) for one in kinds if one is not types.NoneType)


def _in_words(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " or ".join(get_args(kind))
    return _WORDS[get_origin(kind) or kind]


def _doubled(name: str, *, line: int | None = None) -> InputError:
    return InputError(
        "the setting stands here twice", line=line, field=name, expected="each name once"
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


def _json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=without_doubles)


def _yaml(text: str) -> Any:
    import yaml

    try:
        _refuse_doubles(yaml.SafeLoader(text).get_single_node())
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = None if error.problem_mark is None else error.problem_mark.line + 1
        raise InputError(
            f"cannot be parsed ({error.problem})", line=line, expected="YAML"
        ) from error
    except yaml.YAMLError as error:
        raise InputError("cannot be parsed", expected="YAML") from error


def _refuse_doubles(node: Any) -> None:
    """Refuse a setting that stands twice in YAML, of which the parser would keep the last."""
    import yaml

    if not isinstance(node, yaml.MappingNode):
        return
    pairs = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
    names: set[str] = set()
    for key, _ in pairs:
        name = str(cast("object", key.value))
        if name in names:
            raise _doubled(name, line=key.start_mark.line + 1)
        names.add(name)


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    ".toml": tomllib.loads,
    ".json": _json,
    ".yaml": _yaml,
    ".yml": _yaml,
}
