"""Tables of scores on disk, made here or elsewhere: CSV, JSON Lines or Parquet, read as columns."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import InputError
from turnsure.store.parquet import PARQUET_MARK, DamagedParquet, parse_parquet

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_EXPECTED = "a table of scores in CSV, JSON Lines or Parquet"
_JSON_LINE = "one JSON object a line"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawColumns:
    """A file as it came.

    Attributes
    ----------
    file
        Where it is.
    columns
        By name, in the order of the file; text from CSV, any plain value from the other formats,
        None where a line of JSON lacks the field.
    lines
        Where each row begins, counted from 1; None for Parquet, which has no lines.
    n
        Number of rows.
    """

    file: Path
    columns: Mapping[str, list[Any]]
    lines: Sequence[int] | None
    n: int

    def error(self, row: int, column: str, problem: str, *, expected: str) -> InputError:
        """The error that names file, line (or row) and column."""
        return InputError(
            problem if self.lines is not None else f"row {row + 1}: {problem}",
            file=self.file,
            line=None if self.lines is None else self.lines[row],
            field=column,
            expected=expected,
        )

    def place(self, row: int) -> str:
        """``line 12``, or ``row 12`` where there are no lines."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"


def read_columns(path: str | Path) -> RawColumns:
    """Read a table of any of the three formats, which is told by its content.

    A file that begins with ``{`` or ``[`` is JSON Lines; other text is CSV, with tabs between the
    fields when its name ends in ``.tsv``.

    Raises
    ------
    InputError
        The file is missing, empty, a folder, not UTF-8, or broken; names the line.
    """
    file = Path(path)
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        raise InputError("no such file", file=file, expected=_EXPECTED) from None
    except IsADirectoryError:
        raise InputError("this is a folder", file=file, expected=_EXPECTED) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=file) from error
    if content.startswith(PARQUET_MARK):
        raw = _parquet(file, content)
    else:
        text = _text(file, content)
        is_json = text.lstrip().startswith(("{", "["))
        raw = _json_lines(file, text) if is_json else _csv(file, text)
    if not raw.n:
        raise InputError("the file holds no row", file=file, expected="one row a dialogue and turn")
    return raw


def write_columns(path: Path, columns: Mapping[str, tuple[str, Sequence[Any]]]) -> None:
    """Write Parquet; in place only when complete.

    Parameters
    ----------
    path
        Where.
    columns
        By name: the kind (``utf8``, ``int64``, ``float64`` or ``bool``) and the values, None where
        missing.
    """
    import arro3.core as arrow
    import arro3.io as files

    table_type: Any = arrow.Table
    frame = table_type.from_pydict(
        {
            name: arrow.Array(list(values), type=getattr(arrow.DataType, kind)())
            for name, (kind, values) in columns.items()
        }
    )
    temporary = path.with_name(f".{path.name}.part")
    files.write_parquet(frame, temporary)
    temporary.replace(path)


def is_unicode(text: str) -> bool:
    """Whether a file can hold the text: half a surrogate pair, which JSON can say, it cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _text(file: Path, content: bytes) -> str:
    content = content.removeprefix(_BYTE_ORDER_MARK)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        expected = f"{_EXPECTED}, as UTF-8"
        raise InputError("this is not UTF-8", file=file, line=line, expected=expected) from error


def _csv(file: Path, text: str) -> RawColumns:
    delimiter = "\t" if file.suffix.lower() == ".tsv" else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    header: list[str] = []
    begins = 1
    try:
        for record in reader:
            line, begins = begins, reader.line_num + 1
            if not record:
                continue
            if not header:
                header = _header(file, line, record)
                continue
            if len(record) != len(header):
                raise InputError(
                    f"there are {len(record)} fields",
                    file=file,
                    line=line,
                    expected=f"{len(header)}, as in the heading",
                )
            rows.append(record)
            lines.append(line)
    except csv.Error as error:
        problem = f"this is not CSV ({error})"
        raise InputError(problem, file=file, line=begins, expected=_EXPECTED) from error
    values = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in header]
    return RawColumns(
        file=file, columns=dict(zip(header, values, strict=True)), lines=lines, n=len(rows)
    )


def _header(file: Path, line: int, record: Sequence[str]) -> list[str]:
    names = [name.strip() for name in record]
    if len(names) == 1 and ("\t" in record[0] or ";" in record[0]):
        raise InputError(
            "the heading is one field",
            file=file,
            line=line,
            expected="commas between the fields, or tabs in a file whose name ends in .tsv",
        )
    _refuse_doubles(file, line, names)
    return names


def _refuse_doubles(file: Path, line: int | None, names: Sequence[str]) -> None:
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        problem = f"two columns are called {twice[0]!r}"
        raise InputError(problem, file=file, line=line, expected="each column with its own name")


def _json_lines(file: Path, text: str) -> RawColumns:
    records: list[dict[str, Any]] = []
    lines: list[int] = []
    for line, part in enumerate(text.split("\n"), start=1):
        if not part.strip():
            continue

        def fields(pairs: list[tuple[str, Any]], line: int = line) -> dict[str, Any]:
            _refuse_doubles(file, line, [name for name, _ in pairs])
            return dict(pairs)

        try:
            record = json.loads(part, object_pairs_hook=fields)
        except json.JSONDecodeError as error:
            problem = f"this is not JSON: {error.msg.lower()} at column {error.colno}"
            raise InputError(problem, file=file, line=line, expected=_JSON_LINE) from error
        except (ValueError, RecursionError) as error:
            problem = f"this JSON cannot be read ({error})"
            raise InputError(problem, file=file, line=line, expected=_JSON_LINE) from error
        if not isinstance(record, dict):
            kind = "array" if isinstance(record, list) else "value"
            raise InputError(f"this is a JSON {kind}", file=file, line=line, expected=_JSON_LINE)
        records.append(cast("dict[str, Any]", record))
        lines.append(line)
    names = dict.fromkeys(name for record in records for name in record)
    for name in names:
        if not is_unicode(name):
            raise InputError(f"field {name!r} holds half a surrogate pair", file=file)
    return RawColumns(
        file=file,
        columns={name: [record.get(name) for record in records] for name in names},
        lines=lines,
        n=len(records),
    )


def _parquet(file: Path, content: bytes) -> RawColumns:
    try:
        table = parse_parquet(content)
    except DamagedParquet as error:
        raise InputError(str(error), file=file) from error
    _refuse_doubles(file, None, table.names)
    return RawColumns(file=file, columns=table.columns, lines=None, n=table.n)
