"""Dialogues as JSON Lines: one object a line; the format is in ``docs/dialogue-format.md``."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError

if TYPE_CHECKING:
    from turnsure.dialogues.records import DialogueRecord, HintRecord

FORMAT = 1
DEFAULT_TASK = (
    "Work out what the information below is about, and name it. If you are not sure, give your "
    "best guess. Keep the answer short."
)
"""The task of dialogues that name none, when the caller names none either."""


def read_dialogues(
    path: str | Path, *, task: str | None = None, limit: int | None = None
) -> list[Dialogue]:
    """Read and check a file of dialogues.

    Parameters
    ----------
    path
        The file.
    task
        For dialogues that name none; without it :data:`DEFAULT_TASK`.
    limit
        Read only the first so many dialogues; later lines are not looked at.

    Raises
    ------
    InputError
        With file, line and field: the file is missing, empty or not UTF-8; a line is not a
        dialogue; two dialogues have one id.
    """
    file = Path(path)
    dialogues: list[Dialogue] = []
    line_of: dict[str, int] = {}
    for line, text in _lines(file):
        dialogue = _dialogue(text, task or DEFAULT_TASK, file, line)
        if dialogue.id in line_of:
            raise InputError(
                f"the id {dialogue.id!r} is used already, in line {line_of[dialogue.id]}",
                file=file,
                line=line,
                field="id",
                expected="an id of its own for each dialogue",
            )
        line_of[dialogue.id] = line
        dialogues.append(dialogue)
        if limit is not None and len(dialogues) >= limit:
            break
    if not dialogues:
        raise InputError("the file is empty", file=file, expected="one dialogue a line")
    return dialogues


def write_dialogues(path: str | Path, dialogues: Iterable[Dialogue]) -> None:
    """Write dialogues; the file is replaced only when all of them are written."""
    file = Path(path)
    temporary = file.with_name(f".{file.name}.part")
    with temporary.open("w", encoding="utf-8", newline="\n") as out:
        for dialogue in dialogues:
            out.write(dialogue_line(dialogue) + "\n")
    temporary.replace(file)


def dialogue_line(dialogue: Dialogue) -> str:
    """One dialogue as a line of JSON, without the line end."""
    body: dict[str, Any] = {
        "format": FORMAT,
        "id": dialogue.id,
        "task": dialogue.task,
        "gold": list(dialogue.gold),
        "hints": [{"question": hint.question, "answer": hint.answer} for hint in dialogue.hints],
    }
    if dialogue.meta:
        body["meta"] = dict(dialogue.meta)
    return json.dumps(body, ensure_ascii=False)


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """Lines that say something, with their numbers."""
    try:
        source = file.open("rb")
    except FileNotFoundError:
        raise InputError("no such file", file=file, expected="dialogues in JSON Lines") from None
    except IsADirectoryError:
        raise InputError("this is a folder", file=file, expected="a file") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=file) from error
    with source:
        for number, raw in enumerate(source, start=1):
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError as error:
                raise InputError(
                    f"byte {error.start + 1} is not UTF-8", file=file, line=number, expected="UTF-8"
                ) from None
            if text:
                yield number, text


def _dialogue(text: str, task: str, file: Path, line: int) -> Dialogue:
    try:
        record = _record(_json_object(text))
        return Dialogue(
            id=record.id,
            task=record.task if record.task is not None else task,
            hints=tuple(_hint(place, hint) for place, hint in enumerate(record.hints)),
            gold=tuple(record.gold),
            meta=record.meta,
        )
    except InputError as error:
        raise error.at(file=file, line=line) from None


def _hint(place: int, record: HintRecord) -> Hint:
    try:
        return Hint(question=record.question, answer=record.answer)
    except InputError as error:
        raise InputError(
            error.problem, field=f"hints[{place}].{error.field}", expected=error.expected
        ) from None


def _json_object(text: str) -> Mapping[str, Any]:
    try:
        body = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(
            f"this is not JSON: {error.msg.lower()} at column {error.colno}", expected="JSON"
        ) from None
    except RecursionError:
        raise InputError("this JSON is nested too deeply", expected="a dialogue") from None
    if not isinstance(body, dict):
        raise InputError("this is no JSON object", expected='{"id": …, "gold": …, "hints": …}')
    fields = cast("dict[str, Any]", body)
    version = fields.get("format", FORMAT)
    if version != FORMAT:
        raise InputError(
            f"format {version!r} is unknown", field="format", expected=f"{FORMAT}, or none"
        )
    return {name: value for name, value in fields.items() if name != "format"}


def _refuse_constant(name: str) -> Any:
    raise InputError(f"{name} is not a value of JSON", expected="text")


def _record(body: Mapping[str, Any]) -> DialogueRecord:
    from pydantic import ValidationError

    from turnsure.dialogues.records import DialogueRecord

    try:
        return DialogueRecord.model_validate(body)
    except ValidationError as error:
        raise _first_problem(error.errors(include_url=False)) from None


def _first_problem(problems: list[Any]) -> InputError:
    first: Mapping[str, Any] = problems[0]
    more = len(problems) - 1
    tail = f" (and {more} more problem{'s' * (more > 1)} in this line)" if more else ""
    place = _place(first["loc"])
    kind = first["type"]
    if kind == "missing":
        return InputError(f"the field is missing{tail}", field=place, expected=_what(place))
    if kind == "extra_forbidden":
        name = str(first["loc"][-1])
        near = difflib.get_close_matches(name, _known(first["loc"]), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return InputError(
            f"the field is unknown{hint}{tail}",
            field=place,
            expected=", ".join(_known(first["loc"])),
        )
    value = repr(first["input"])
    shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
    return InputError(f"{shown} does not fit{tail}", field=place, expected=_what(place))


_SHOWN = 60
_TOP = ("id", "task", "gold", "hints", "meta", "format")
_OF_A_HINT = ("question", "answer")


def _known(place: tuple[str | int, ...]) -> tuple[str, ...]:
    return _OF_A_HINT if place[0] == "hints" else _TOP


def _place(loc: tuple[str | int, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")


def _what(place: str) -> str:
    """What a field should hold, for people."""
    if place.endswith(".question"):
        return "text, or null for a plain clue"
    if place.startswith("hints["):
        return '{"question": text or null, "answer": text}' if place.endswith("]") else "text"
    if place.startswith("meta"):
        return "names with texts"
    return {
        "gold": "a list of accepted answers, each a text in quotes",
        "hints": "a list of hints, one or more",
        "task": "text, or null",
    }.get(place, "text in quotes")
