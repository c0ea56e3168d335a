"""Public data sets: where they are, and what their files hold, by digest.

A table of sets is a TOML file; the built-in one is ``public_sets.toml`` beside this module.
Nothing is downloaded here: see :mod:`turnsure.files.download`.
"""

from __future__ import annotations

import difflib
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnsure.core.errors import InputError
from turnsure.files.download import RemoteFile

if TYPE_CHECKING:
    from turnsure.dialogues.public_set_records import SetRecord

BUILT_IN = Path(__file__).with_name("public_sets.toml")
"""The table that comes with turnsure."""

SETS_FORMAT = 1
"""The version of a table that is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicSet:
    """A data set that its authors publish.

    Attributes
    ----------
    name
        What it is called on the command line.
    title
        What its authors call it.
    licence
        What was found about it; no legal advice.
    home
        Address of the page where the authors publish it.
    form
        The form its files are in: a reader's name, or ``scores``.
    use
        The command to call with the files; ``{folder}`` stands for where they are.
    note
        What a user has to know, None for nothing.
    files
        Pinned files; empty where the set has to be got by hand.
    """

    name: str
    title: str
    licence: str
    home: str
    form: str
    use: str
    note: str | None = None
    files: tuple[RemoteFile, ...] = ()

    @property
    def n_bytes(self) -> int:
        """Size of all pinned files."""
        return sum(file.n_bytes for file in self.files)


def read_public_sets(path: Path = BUILT_IN) -> tuple[PublicSet, ...]:
    """Read a table of sets.

    Raises
    ------
    InputError
        The file cannot be read, or an entry does not fit; names file and field.
    """
    try:
        body = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no such file", file=path, expected="a table of sets in TOML") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path) from error
    except ValueError as error:
        raise InputError(f"cannot be parsed ({error})", file=path, expected="TOML") from error
    try:
        return _checked(body)
    except InputError as error:
        raise error.at(file=path) from None


def find_set(name: str, sets: Sequence[PublicSet]) -> PublicSet:
    """The set of that name.

    Raises
    ------
    InputError
        There is none; the nearest name is suggested.
    """
    by_name = {one.name: one for one in sets}
    if name not in by_name:
        near = difflib.get_close_matches(name, by_name, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(f"there is no set {name!r}{hint}", expected=", ".join(by_name))
    return by_name[name]


def _checked(body: dict[str, Any]) -> tuple[PublicSet, ...]:
    from turnsure.dialogues.public_set_records import table_record

    version = body.pop("format", SETS_FORMAT)
    if type(version) is not int or version != SETS_FORMAT:
        raise InputError(
            f"format {version!r} is unknown", field="format", expected=str(SETS_FORMAT)
        )
    record = table_record(body)
    _refuse_doubles((one.name for one in record.sets), "sets")
    for place, one in enumerate(record.sets):
        _refuse_doubles((file.name for file in one.files), f"sets[{place}].files")
    return tuple(_public_set(one) for one in record.sets)


def _refuse_doubles(names: Iterable[str], field: str) -> None:
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise InputError(f"{twice[0]!r} is there twice", field=field, expected="each name once")


def _public_set(record: SetRecord) -> PublicSet:
    return PublicSet(
        name=record.name,
        title=record.title,
        licence=record.licence,
        home=record.home,
        form=record.form,
        use=record.use,
        note=record.note,
        files=tuple(
            RemoteFile(name=one.name, url=one.url, sha256=one.sha256, n_bytes=one.bytes)
            for one in record.files
        ),
    )
