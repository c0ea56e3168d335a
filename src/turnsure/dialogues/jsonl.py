"""Dialogues as JSON Lines: one object a line; the format is in ``docs/dialogue-format.md``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError

if TYPE_CHECKING:
    from turnsure.dialogues.records import HintRecord

FORMAT = 1
"""The newest version of a line that is read, and the one that is written."""

DEFAULT_TASK = (
    "Work out what the information below is about, and name it. If you are not sure, give your "
    "best guess. Keep the answer short."
)
"""The task of dialogues that name none, when the caller names none either."""


def read_dialogues(
    path: str | Path, *, task: str | None = None, limit: int | None = None
) -> list[Dialogue]:
    """Read and check a file of dialogues.

    A plain clue that is blank says nothing and is no turn: it is left out.  A blank answer to a
    question is an error.

    Parameters
    ----------
    path
        The file.
    task
        For dialogues that name none; without it :data:`DEFAULT_TASK`.
    limit
        Read only the first so many dialogues, at least 1; later lines are not looked at.

    Raises
    ------
    InputError
        The file is missing, empty or a folder, or lines of it are no dialogues (not UTF-8, not
        JSON, a wrong field, an id used twice).  It names the first such line with its field and
        counts the others.
    """
    if limit is not None and limit < 1:
        raise InputError(f"the limit is {limit}", field="limit", expected="1 or more")
    file = Path(path)
    line_of: dict[str, int] = {}
    dialogues: list[Dialogue] = []
    problems: list[InputError] = []
    for line, raw in _lines(file):
        try:
            dialogue = _dialogue(raw, task or DEFAULT_TASK)
            _refuse_known_id(dialogue.id, line_of)
        except InputError as error:
            problems.append(error.at(file=file, line=line))
            continue
        line_of[dialogue.id] = line
        dialogues.append(dialogue)
        if len(dialogues) == limit:
            break
    if problems:
        raise _first_of(problems)
    if not dialogues:
        raise InputError("the file holds no dialogue", file=file, expected="one dialogue a line")
    return dialogues


def write_dialogues(path: str | Path, dialogues: Iterable[Dialogue]) -> None:
    """Write dialogues; the file is replaced only when all of them are written.

    Raises
    ------
    InputError
        The file cannot be written, or two dialogues have one id.
    """
    file = Path(path)
    line_of: dict[str, int] = {}
    temporary = file.with_name(f".{file.name}.part")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as out:
            for line, dialogue in enumerate(dialogues, start=1):
                _refuse_known_id(dialogue.id, line_of)
                line_of[dialogue.id] = line
                out.write(dialogue_line(dialogue) + "\n")
        temporary.replace(file)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", file=file) from error
    except InputError as error:
        raise error.at(file=file) from None
    finally:
        temporary.unlink(missing_ok=True)


def dialogue_line(dialogue: Dialogue) -> str:
    """One dialogue as a line of JSON, without the line end."""
    body: dict[str, Any] = {
        "format": FORMAT,
        "id": dialogue.id,
        "task": dialogue.task,
        "gold": list(dialogue.gold),
        "hints": [_hint_body(hint) for hint in dialogue.hints],
    }
    if dialogue.closing is not None:
        body["closing"] = dialogue.closing
    if dialogue.meta:
        body["meta"] = dict(dialogue.meta)
    if dialogue.remaining:
        body["candidates"] = list(dialogue.candidates)
        body["remaining"] = [list(places) for places in dialogue.remaining]
    return json.dumps(body, ensure_ascii=False)


def _hint_body(hint: Hint) -> dict[str, Any]:
    body: dict[str, Any] = {"question": hint.question, "answer": hint.answer}
    return body if hint.corrects is None else {**body, "corrects": hint.corrects}


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers, without line end and byte order mark."""
    try:
        with file.open("rb") as source:
            for number, raw in enumerate(source, start=1):
                line = raw.rstrip(b"\r\n")
                if number == 1:
                    line = line.removeprefix(b"\xef\xbb\xbf")
                if line.strip():
                    yield number, line
    except FileNotFoundError:
        raise InputError("no such file", file=file, expected="dialogues in JSON Lines") from None
    except IsADirectoryError:
        raise InputError("this is a folder", file=file, expected="a file") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=file) from error


def _dialogue(raw: bytes, task: str) -> Dialogue:
    from turnsure.dialogues.records import dialogue_record

    fields = _json_object(raw)
    _check_format(fields.pop("format", FORMAT))
    record = dialogue_record(fields)
    return Dialogue(
        id=record.id,
        task=task if record.task is None else record.task,
        hints=tuple(
            _hint(hint, place)
            for place, hint in enumerate(record.hints)
            if hint.question is not None or hint.answer.strip()
        ),
        gold=tuple(record.gold),
        meta=record.meta,
        closing=record.closing,
        candidates=tuple(record.candidates),
        remaining=tuple(tuple(places) for places in record.remaining),
    )


def _hint(record: HintRecord, place: int) -> Hint:
    try:
        return Hint(question=record.question, answer=record.answer, corrects=record.corrects)
    except InputError as error:
        raise InputError(
            error.problem, field=f"hints[{place}].{error.field}", expected=error.expected
        ) from None


def _json_object(raw: bytes) -> dict[str, Any]:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start + 1} is not UTF-8", expected="UTF-8") from None
    try:
        body = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=without_doubles)
    except json.JSONDecodeError as error:
        raise InputError(
            f"this is not JSON: {error.msg.lower()} at column {error.colno}", expected="JSON"
        ) from None
    except RecursionError:
        raise InputError("this JSON is nested too deeply", expected="a dialogue") from None
    except InputError:
        raise
    except ValueError as error:  # a whole number with thousands of digits
        raise InputError(f"this JSON cannot be read: {error}", expected="a dialogue") from None
    if not isinstance(body, dict):
        raise InputError("this is no JSON object", expected='{"id": …, "gold": …, "hints": …}')
    return cast("dict[str, Any]", body)


def without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name that stands twice in one JSON object, of which readers keep the last.

    Raises
    ------
    InputError
        Names the field.
    """
    body: dict[str, Any] = {}
    for name, value in pairs:
        if name in body:
            raise InputError("the field stands here twice", field=name, expected="each name once")
        body[name] = value
    return body


def _refuse_constant(name: str) -> Any:
    raise InputError(f"{name} is not a value of JSON", expected="text")


def _check_format(version: Any) -> None:
    if type(version) is int and version > FORMAT:
        raise InputError(
            f"format {version} is newer than this version reads",
            field="format",
            expected=f"at most {FORMAT}",
        )
    if type(version) is not int or version < FORMAT:
        raise InputError(f"there is no format {version!r}", field="format", expected=f"{FORMAT}")


def _refuse_known_id(name: str, line_of: dict[str, int]) -> None:
    if name in line_of:
        raise InputError(
            f"the id {name!r} is used already, in line {line_of[name]}",
            field="id",
            expected="an id of its own for each dialogue",
        )


def _first_of(problems: list[InputError]) -> InputError:
    """The first problem, with the number of others in its text."""
    first, more = problems[0], len(problems) - 1
    if not more:
        return first
    others = "1 more line" if more == 1 else f"{more} more lines"
    return InputError(
        f"{first.problem}; {others} cannot be used either",
        file=first.file,
        line=first.line,
        field=first.field,
        expected=first.expected,
    )
