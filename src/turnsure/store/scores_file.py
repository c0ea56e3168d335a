"""Tables of scores on disk, made here or elsewhere: CSV, JSON Lines or Parquet, read as columns."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import InputError
from turnsure.store.csv_rows import csv_blocks
from turnsure.store.parquet import (
    PARQUET_MARK,
    DamagedParquet,
    ParquetTable,
    parquet_batches,
    parse_parquet,
)
from turnsure.store.raw_columns import RawColumns, refuse_doubles

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_EXPECTED = "a table of scores in CSV, JSON Lines or Parquet"
_JSON_LINE = "one JSON object a line"
_NO_ROW = "one row a dialogue and turn"
_BLOCK_ROWS = 1 << 16
_ENOUGH_TO_TELL = 1 << 12


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
    content = _bytes(file)
    if content.startswith(PARQUET_MARK):
        raw = _parquet(file, content)
    else:
        text = _text(file, content)
        raw = _json_lines(file, text) if _is_json(text) else _csv(file, text)
    if not raw.n:
        raise InputError("the file holds no row", file=file, expected=_NO_ROW)
    return raw


def read_blocks(path: str | Path, *, n_rows: int = _BLOCK_ROWS) -> Iterator[RawColumns]:
    """Read CSV or Parquet a piece at a time, so that a long table is never in memory as a whole.

    JSON Lines, and CSV that is not UTF-8, come as a single piece or end in the error of
    :func:`read_columns`, whose errors these are.

    Parameters
    ----------
    path
        As for :func:`read_columns`.
    n_rows
        Rows of a piece, at least 1.
    """
    file = Path(path)
    beginning = _bytes(file, _ENOUGH_TO_TELL)
    start = beginning.removeprefix(_BYTE_ORDER_MARK).decode("utf-8", errors="replace")
    if _is_json(start) or not start.strip():
        yield read_columns(file)
        return
    n = 0
    try:
        is_parquet = beginning.startswith(PARQUET_MARK)
        for raw in (_parquet_pieces if is_parquet else _csv_pieces)(file, n_rows):
            n += raw.n
            if raw.n:
                yield raw
    except UnicodeDecodeError:
        read_columns(file)  # it says in which line
    if not n:
        raise InputError("the file holds no row", file=file, expected=_NO_ROW)


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
    kinds = {name: kind for name, (kind, _) in columns.items()}
    write_pieces(path, kinds, [{name: values for name, (_, values) in columns.items()}])


def write_pieces(
    path: Path, kinds: Mapping[str, str], pieces: Iterable[Mapping[str, Sequence[Any]]]
) -> None:
    """The same of a table that comes in pieces, each with the values of all columns."""
    import arro3.core as arrow
    import arro3.io as files

    types = {name: getattr(arrow.DataType, kind)() for name, kind in kinds.items()}
    schema = arrow.Schema([arrow.Field(name, of) for name, of in types.items()])
    batch_type: Any = arrow.RecordBatch
    batches = [
        batch_type.from_arrays(
            [arrow.Array(list(piece[name]), type=of) for name, of in types.items()], schema=schema
        )
        for piece in pieces
    ]
    temporary = path.with_name(f".{path.name}.part")
    files.write_parquet(arrow.Table.from_batches(batches, schema=schema), temporary)
    temporary.replace(path)


def is_unicode(text: str) -> bool:
    """Whether a file can hold the text: half a surrogate pair, which JSON can say, it cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _bytes(file: Path, n: int = -1) -> bytes:
    """The first ``n`` bytes of a file, or all."""
    try:
        with file.open("rb") as stream:
            return stream.read(n)
    except FileNotFoundError:
        raise InputError("no such file", file=file, expected=_EXPECTED) from None
    except IsADirectoryError:
        raise InputError("this is a folder", file=file, expected=_EXPECTED) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=file) from error


def _is_json(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))


def _text(file: Path, content: bytes) -> str:
    content = content.removeprefix(_BYTE_ORDER_MARK)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        expected = f"{_EXPECTED}, as UTF-8"
        raise InputError("this is not UTF-8", file=file, line=line, expected=expected) from error


def _csv(file: Path, text: str) -> RawColumns:
    [whole] = csv_blocks(file, io.StringIO(text, newline=""), None)
    return whole


def _csv_pieces(file: Path, n_rows: int) -> Iterator[RawColumns]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        yield from csv_blocks(file, stream, n_rows)


def _json_lines(file: Path, text: str) -> RawColumns:
    records: list[dict[str, Any]] = []
    lines: list[int] = []
    for line, part in enumerate(text.split("\n"), start=1):
        if not part.strip():
            continue

        def fields(pairs: list[tuple[str, Any]], line: int = line) -> dict[str, Any]:
            refuse_doubles(file, line, [name for name, _ in pairs])
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
        return _raw(file, parse_parquet(content), 0)
    except DamagedParquet as error:
        raise InputError(str(error), file=file) from error


def _parquet_pieces(file: Path, n_rows: int) -> Iterator[RawColumns]:
    n = 0
    try:
        for table in parquet_batches(file, n_rows):
            yield _raw(file, table, n)
            n += table.n
    except DamagedParquet as error:
        raise InputError(str(error), file=file) from error


def _raw(file: Path, table: ParquetTable, n_before: int) -> RawColumns:
    refuse_doubles(file, None, table.names)
    return RawColumns(
        file=file,
        columns=_ParquetColumns(file, table.columns),
        lines=None,
        n=table.n,
        n_before=n_before,
        array=table.array,
    )


class _ParquetColumns(Mapping[str, list[Any]]):
    """Columns that are made into lists when asked for, with the file's name where that fails."""

    def __init__(self, file: Path, columns: Mapping[str, list[Any]]) -> None:
        self._file = file
        self._columns = columns

    def __getitem__(self, name: str) -> list[Any]:
        try:
            return self._columns[name]
        except DamagedParquet as error:
            raise InputError(str(error), file=self._file, field=name) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)
