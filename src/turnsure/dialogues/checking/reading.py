"""Reading files to be checked: a line that is no dialogue is a finding and stops nothing."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import InputError
from turnsure.dialogues.checking.finding import Finding, Kind, Place, Placed, hint_field
from turnsure.dialogues.jsonl import read_dialogues

_MARK = b"\xef\xbb\xbf"
_KIND_OF: Mapping[str, Kind] = {"gold": "answer_missing", "remaining": "candidates_unfit"}
"""What it means that the reader refuses a field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """A file as it was read.

    Attributes
    ----------
    name
        As the user named it.
    dialogues
        Those that can be read, in order; an id may stand twice.
    findings
        Lines that are no dialogues, and clues that the reader leaves out.
    """

    name: str
    dialogues: tuple[Placed, ...]
    findings: tuple[Finding, ...] = ()


def read_leniently(path: Path, *, task: str | None = None) -> CheckedFile:
    """Read whatever of a file is a dialogue.

    Parameters
    ----------
    path
        The file.
    task
        For dialogues that name none, as :func:`turnsure.dialogues.jsonl.read_dialogues` takes it.

    Raises
    ------
    InputError
        The file is missing, a folder, or holds no line.
    """
    try:
        read = read_dialogues(path, task=task)
    except InputError as error:
        if error.line is None:
            raise
        return _line_by_line(path, task)
    lines = _lines(path)
    placed = tuple(
        Placed(dialogue=dialogue, place=Place(file=str(path), line=number))
        for dialogue, (number, _) in zip(read, lines, strict=True)
    )
    return CheckedFile(
        name=str(path), dialogues=placed, findings=tuple(_blank_hints(placed, lines))
    )


def _lines(path: Path) -> list[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers."""
    lines = path.read_bytes().split(b"\n")
    return [
        (number, line)
        for number, line in enumerate(lines, start=1)
        if (line.removeprefix(_MARK) if number == 1 else line).strip()
    ]


def _line_by_line(path: Path, task: str | None) -> CheckedFile:
    """Give each line to the reader by itself, so that there is one judge of what a line may be."""
    placed: list[Placed] = []
    refused: list[Finding] = []
    kept: list[tuple[int, bytes]] = []
    with tempfile.TemporaryDirectory() as folder:
        alone = Path(folder) / "line.jsonl"
        for number, line in _lines(path):
            alone.write_bytes(line)
            place = Place(file=str(path), line=number)
            try:
                [dialogue] = read_dialogues(alone, task=task)
            except InputError as error:
                refused.append(_refused(error, place))
            else:
                placed.append(Placed(dialogue=dialogue, place=place))
                kept.append((number, line))
    findings = (*refused, *_blank_hints(placed, kept))
    return CheckedFile(name=str(path), dialogues=tuple(placed), findings=findings)


def _refused(error: InputError, place: Place) -> Finding:
    kind = _KIND_OF.get((error.field or "").partition("[")[0], "line_unreadable")
    bare = InputError(error.problem, expected=error.expected)
    return Finding(kind=kind, evidence=str(bare), dialogue=None, field=error.field, place=place)


def _blank_hints(
    placed: list[Placed] | tuple[Placed, ...], lines: list[tuple[int, bytes]]
) -> Iterator[Finding]:
    """The clues that the reader left out since they are blank."""
    for one, (number, line) in zip(placed, lines, strict=True):
        text = (line.removeprefix(_MARK) if number == 1 else line).decode("utf-8")
        hints = cast("list[dict[str, Any]]", json.loads(text)["hints"])
        if len(hints) == one.dialogue.n_turns:
            continue
        for turn, hint in enumerate(hints, start=1):
            if hint.get("question") is None and not hint["answer"].strip():
                yield Finding(
                    kind="hint_blank",
                    evidence=f"hint {turn} of the line says nothing and is no turn",
                    dialogue=one.dialogue.id,
                    field=hint_field(turn, "answer"),
                    place=one.place,
                )
