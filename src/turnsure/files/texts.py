"""Wordings in TOML: the built-in texts, and a user's file that replaces some of them."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, cast

from turnsure.core.digest import digest
from turnsure.core.errors import InputError

_FORMAT = 1
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """Texts by ``section.field``.

    Attributes
    ----------
    texts
        All of them.
    """

    texts: Mapping[str, str]

    def __getitem__(self, place: str) -> str:
        return self.texts[place]

    def filled(self, place: str, **values: str) -> str:
        """A text with its slots filled in, in one pass: a slot inside a value stays as it is."""
        return _SLOT.sub(lambda slot: values.get(slot[1], slot[0]), self.texts[place])

    @property
    def digest(self) -> str:
        """Of all texts."""
        return digest(dict(self.texts))


def load_texts(
    package: str, name: str, *, needed: Mapping[str, tuple[str, ...]], file: Path | None = None
) -> Texts:
    """The texts of a package, with those of a file in their place.

    Parameters
    ----------
    package, name
        Where the built-in file is.
    needed
        For each ``section.field`` the slots that its text must have.
    file
        A user's file; it may hold any part of the built-in one.

    Raises
    ------
    InputError
        The user's file is missing or no TOML, names an unknown section or field, or a text lacks a
        slot.
    """
    texts = {place: str(text) for place, text in builtin_fields(package, name).items()}
    if file is not None:
        for place, value in own_fields(file).items():
            require_known(place, texts, file)
            texts[place] = text_with(place, value, needed.get(place, ()), file)
    return Texts(texts={place: text.strip("\n") for place, text in texts.items()})


def builtin_fields(package: str, name: str) -> dict[str, object]:
    """The fields of a package's file, by ``section.field``."""
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    return _fields(tomllib.loads(text), None)


def own_fields(file: Path) -> dict[str, object]:
    """The fields of a user's file, by ``section.field``; nothing is said of their values yet.

    Raises
    ------
    InputError
        The file is missing, no TOML, of another format, or a field stands outside any section.
    """
    try:
        body = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise InputError("no such file", file=file, expected="a TOML file of texts") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"cannot be read ({error})", file=file, expected="TOML") from error
    return _fields(body, file)


def require_known(place: str, known: Iterable[str], file: Path) -> None:
    """Refuse a field that the built-in texts do not have; the nearest one is suggested."""
    names = [*known]
    if place in names:
        return
    near = difflib.get_close_matches(place, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise InputError(f"unknown wording{hint}", file=file, field=place, expected=", ".join(names))


def text_with(place: str, value: object, slots: Iterable[str], file: Path) -> str:
    """A user's text, which has to hold some slots, by name.

    Raises
    ------
    InputError
        It is no text, or a slot is missing.
    """
    if not isinstance(value, str) or not value.strip():
        raise InputError("this is no text", file=file, field=place, expected="a text in quotes")
    for slot in slots:
        if f"{{{slot}}}" not in value:
            raise InputError(
                f"the text has no {{{slot}}}", file=file, field=place, expected=f"{{{slot}}}"
            )
    return value


def _fields(body: Mapping[str, Any], file: Path | None) -> dict[str, object]:
    """Sections and fields as one mapping."""
    version = body.get("format", _FORMAT)
    if type(version) is not int or version != _FORMAT:
        raise InputError(
            f"format {version!r} is unknown", file=file, field="format", expected=str(_FORMAT)
        )
    fields: dict[str, object] = {}
    for section, content in body.items():
        if section == "format":
            continue
        if not isinstance(content, dict):
            raise InputError(
                "this stands outside any section",
                file=file,
                field=section,
                expected="[section] first",
            )
        for name, value in cast("dict[str, object]", content).items():
            fields[f"{section}.{name}"] = value
    return fields
