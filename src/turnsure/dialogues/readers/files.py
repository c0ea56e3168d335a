"""Foreign files as records: JSON in lines or as one document, and CSV.

What is wrong with the whole file is raised; what is wrong with one line or item is handed on as an
error in its place, so that the caller can count it.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import without_doubles
from turnsure.dialogues.readers.record import Record, shown

Source = Iterator[Record | InputError]

_MARK = b"\xef\xbb\xbf"
_LINES = (".jsonl", ".ndjson")


def json_records(file: Path, *, within: str | None = None) -> Source:
    """Objects of a JSON file.

    A file whose name ends in ``.jsonl`` or ``.ndjson``, or that holds several JSON values, has an
    object a line.  Any other is one document: a list of objects, an object that holds such a list
    under ``within``, or one object that is the only record.

    Raises
    ------
    InputError
        The file cannot be read or is no JSON.
    """
    if file.suffix.lower() in _LINES:
        yield from _json_lines(file)
        return
    text = _text(file)
    if not text.strip():
        raise InputError("the file is empty", file=file, expected="JSON")
    try:
        document = _parsed(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            yield from _json_lines(file)
            return
        raise _no_json(error).at(file=file, line=error.lineno) from None
    except InputError as error:
        raise error.at(file=file) from None
    path = ""
    if within is not None and isinstance(document, dict) and within in document:
        document, path = cast("Any", document[within]), within
        if not isinstance(document, list):
            raise InputError(
                f"{shown(document)} does not fit",
                file=file,
                field=within,
                expected="a list of objects",
            )
    if isinstance(document, list):
        for place, item in enumerate(cast("list[Any]", document)):
            yield _object(item, file, path=f"{path}[{place}]")
    else:
        yield _object(document, file)


def csv_records(file: Path, *, needed: Sequence[str]) -> Source:
    """Rows of a CSV file with a heading; blank lines do not matter.

    Parameters
    ----------
    file
        The file.
    needed
        Columns without which it is another format.

    Raises
    ------
    InputError
        The file cannot be read, is no CSV, or lacks a column.
    """
    text = _text(file)
    # The limit on a field is one of the whole process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    begins = 1
    try:
        for row in reader:
            line, begins = begins, reader.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if not header:
                header = _header(row, needed)
                continue
            if len(row) != len(header):
                yield InputError(
                    f"there are {len(row)} fields",
                    file=file,
                    line=line,
                    expected=f"{len(header)}, as in the heading",
                )
                continue
            yield Record(file=file, line=line, body=dict(zip(header, row, strict=True)))
    except csv.Error as error:
        raise InputError(
            f"this is not CSV ({error})", file=file, line=begins, expected="CSV"
        ) from error
    except InputError as error:
        raise error.at(file=file, line=1) from None
    if not header:
        raise InputError("the file is empty", file=file, expected=f"columns {', '.join(needed)}")


def _header(row: Sequence[str], needed: Sequence[str]) -> list[str]:
    names = [name.strip().lower() for name in row]
    missing = [name for name in needed if name not in names]
    if missing:
        raise InputError(
            f"there is no column {missing[0]!r}, but {shown(', '.join(names))}",
            field=missing[0],
            expected=f"columns {', '.join(needed)}",
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"two columns are called {twice!r}", field=twice, expected="different names"
        )
    return names


def _json_lines(file: Path) -> Source:
    empty = True
    for line, raw in _raw_lines(file):
        empty = False
        try:
            body = _parsed(_decoded(raw))
        except json.JSONDecodeError as error:
            yield _no_json(error).at(file=file, line=line)
        except InputError as error:
            yield error.at(file=file, line=line)
        else:
            yield _object(body, file, line=line)
    if empty:
        raise InputError("the file is empty", file=file, expected="a JSON object a line")


def _object(
    value: Any, file: Path, *, line: int | None = None, path: str = ""
) -> Record | InputError:
    if not isinstance(value, dict):
        return InputError(
            f"{shown(value)} is no JSON object",
            file=file,
            line=line,
            field=path or None,
            expected="an object",
        )
    return Record(file=file, line=line, path=path, body=cast("dict[str, Any]", value))


def _parsed(text: str) -> Any:
    try:
        # Tables written as JSON by pandas say NaN where a value is missing.
        return json.loads(text, parse_constant=_missing, object_pairs_hook=without_doubles)
    except (json.JSONDecodeError, InputError):
        raise
    except RecursionError:
        raise InputError("this JSON is nested too deeply", expected="records") from None
    except ValueError as error:  # a whole number with thousands of digits
        raise InputError(f"this JSON cannot be read: {error}", expected="records") from None


def _missing(name: str) -> None:
    del name


def _no_json(error: json.JSONDecodeError) -> InputError:
    return InputError(
        f"this is not JSON: {error.msg.lower()} at column {error.colno}", expected="JSON"
    )


def _raw_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with file.open("rb") as source:
            for number, raw in enumerate(source, start=1):
                line = raw.removeprefix(_MARK) if number == 1 else raw
                if line.strip():
                    yield number, line.rstrip(b"\r\n")
    except OSError as error:
        raise _unreadable(file, error) from error


def _text(file: Path) -> str:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise _unreadable(file, error) from error
    try:
        return _decoded(content.removeprefix(_MARK))
    except InputError as error:
        raise error.at(file=file) from None


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        byte = len(before) - before.rfind(b"\n")
        raise InputError(
            f"byte {byte} is not UTF-8",
            # A line that stands alone does not know its number, which its caller fills in.
            line=before.count(b"\n") + 1 if b"\n" in content else None,
            expected="UTF-8",
        ) from None


def _unreadable(file: Path, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError("no such file", file=file, expected="a file of this format")
    if isinstance(error, IsADirectoryError):
        return InputError("this is a folder", file=file, expected="a file")
    return InputError(f"cannot be read ({error.strerror})", file=file, expected="a readable file")
