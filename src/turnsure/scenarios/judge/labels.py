"""Labels of people and of a judge, read from a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnsure.core.errors import InputError
from turnsure.core.judge_audit import LabelKind
from turnsure.store.scores_file import RawColumns, read_columns

NEEDED = ("id", "human", "judge")

_VERDICTS: Mapping[str, str | None] = {
    "pass": "pass",
    "yes": "pass",
    "true": "pass",
    "1": "pass",
    "fail": "fail",
    "no": "fail",
    "false": "fail",
    "0": "fail",
    "inconclusive": None,
    "cannot tell": None,
    "cannot_tell": None,
    "": None,
}
_PREFERENCES: Mapping[str, str | None] = {
    "a": "a",
    "left": "a",
    "b": "b",
    "right": "b",
    "tie": "tie",
    "inconclusive": None,
    "": None,
}
_WORDS: Mapping[LabelKind, Mapping[str, str | None]] = {
    "verdict": _VERDICTS,
    "preference": _PREFERENCES,
}
_FIRST: Mapping[str, str | None] = {
    "a": "a",
    "left": "a",
    "1": "a",
    "b": "b",
    "right": "b",
    "2": "b",
    "": None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTable:
    """Labels, all columns of one length.

    Attributes
    ----------
    kind
        What the labels are.
    cluster
        What rows belong to: the column ``cluster``, else ``id``.
    human, judge
        None where blank or inconclusive.
    rater2
        Of a second person; None without the column.
    first
        Which side was shown first, ``a`` or ``b``; None without the column ``position``.
    length_a, length_b
        Of either side, in any unit; None without the columns.
    judge_model
        The judge's model; None without the column.
    author, author_a, author_b
        Which model wrote the transcript, or either side; None without the columns.
    """

    kind: LabelKind
    cluster: Sequence[str]
    human: Sequence[str | None]
    judge: Sequence[str | None]
    rater2: Sequence[str | None] | None = None
    first: Sequence[str | None] | None = None
    length_a: Sequence[float | None] | None = None
    length_b: Sequence[float | None] | None = None
    judge_model: Sequence[str | None] | None = None
    author: Sequence[str | None] | None = None
    author_a: Sequence[str | None] | None = None
    author_b: Sequence[str | None] | None = None


def read_labels(path: str | Path) -> LabelTable:
    """Read a table of labels (CSV, JSON Lines or Parquet).

    Columns are ``id``, ``human`` and ``judge``; and, where they are there, ``cluster`` (rows that
    belong together, else those of one id), ``rater2``, ``position`` (``a`` or ``b``, whichever was
    shown first; or the place of a, 1 or 2), ``length_a``, ``length_b``, ``judge_model`` and
    ``author``, or ``author_a`` and ``author_b``.  Labels are verdicts (pass or fail, also yes, no,
    1, 0, true, false) or preferences (a, b or tie), one kind a file; blank and ``inconclusive``
    mean none.

    Raises
    ------
    InputError
        The file cannot be read, lacks a column, or a value does not fit: names line and field.
    """
    raw = read_columns(path)
    columns = {name.strip().casefold(): name for name in raw.columns}
    for name in NEEDED:
        if name not in columns:
            raise InputError(
                f"there is no column {name!r}",
                file=raw.file,
                field=name,
                expected=f"columns {', '.join(NEEDED)}",
            )
    table = _Table(raw=raw, columns=columns)
    kind = _kind(table)
    words = _WORDS[kind]
    ids = table.required("id")
    groups = table.texts("cluster")
    return LabelTable(
        kind=kind,
        cluster=ids
        if groups is None
        else [own if group is None else group for group, own in zip(groups, ids, strict=True)],
        human=table.words("human", words) or (),
        judge=table.words("judge", words) or (),
        rater2=table.words("rater2", words),
        first=table.words("position", _FIRST),
        length_a=table.lengths("length_a"),
        length_b=table.lengths("length_b"),
        judge_model=table.texts("judge_model"),
        author=table.texts("author"),
        author_a=table.texts("author_a"),
        author_b=table.texts("author_b"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """A file's columns by their names in small letters."""

    raw: RawColumns
    columns: Mapping[str, str]

    def plain(self, name: str) -> list[str] | None:
        """A column as texts, blank where there is nothing; None without the column."""
        if name not in self.columns:
            return None
        return [_text(value) for value in self.raw.columns[self.columns[name]]]

    def texts(self, name: str) -> list[str | None] | None:
        return self._read(name, lambda text: text or None, expected="text")

    def required(self, name: str) -> list[str]:
        values = self.plain(name) or []
        blank = next((row for row, value in enumerate(values) if not value), None)
        if blank is not None:
            raise self.raw.error(blank, name, "it is blank", expected="text")
        return values

    def words(self, name: str, known: Mapping[str, str | None]) -> list[str | None] | None:
        expected = ", ".join(word for word in known if word)
        return self._read(name, lambda text: known[text.casefold()], expected=expected)

    def lengths(self, name: str) -> list[float | None] | None:
        return self._read(name, _length, expected="a number of 0 or more")

    def _read(self, name: str, read: Callable[[str], Any], *, expected: str) -> list[Any] | None:
        column = self.plain(name)
        if column is None:
            return None
        values: list[Any] = []
        for row, text in enumerate(column):
            try:
                values.append(read(text))
            except (KeyError, ValueError):
                raise self.raw.error(row, name, f"it is {text!r}", expected=expected) from None
        return values


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _length(text: str) -> float | None:
    if not text:
        return None
    value = float(text)
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(text)
    return value


def _kind(table: _Table) -> LabelKind:
    """What most labels are; one that does not fit is then named where it stands."""
    given = [
        text.casefold() for name in ("human", "judge") for text in table.plain(name) or [] if text
    ]
    n_verdicts = sum(word in _VERDICTS for word in given)
    n_preferences = sum(word in _PREFERENCES for word in given)
    return "preference" if n_preferences > n_verdicts else "verdict"
