"""Rows of CSV, many at a time, each with the line where it begins."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING

from turnsure.core.errors import InputError
from turnsure.store.raw_columns import RawColumns, refuse_doubles

if TYPE_CHECKING:
    import _csv

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_EXPECTED = "a table of scores in CSV, JSON Lines or Parquet"


def csv_blocks(file: Path, stream: Iterable[str], n_rows: int | None) -> Iterator[RawColumns]:
    """Pieces of ``n_rows`` rows and a last one that may have none; a single one for None.

    Parameters
    ----------
    file
        Named in errors; tabs part the fields where its name ends in ``.tsv``.
    stream
        Its lines, with their line breaks as they are.

    Raises
    ------
    InputError
        The text is no CSV, or a row has other fields than the heading; names the line.
    """
    delimiter = "\t" if file.suffix.lower() == ".tsv" else ","
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    header: list[str] = []
    while not header:
        found, lines = _records(file, reader, 1)
        if not lines:
            break
        if found[0]:
            header = _header(file, lines[0], found[0])
    rows: list[list[str]] = []
    places: list[int] = []
    while True:
        found, lines = _records(
            file, reader, None if n_rows is None else n_rows - len(rows), header
        )
        if not lines:
            break
        full = [place for place, record in enumerate(found) if record]
        rows += found if len(full) == len(found) else [found[place] for place in full]
        places += lines if len(full) == len(found) else [lines[place] for place in full]
        if len(rows) == n_rows:
            yield _block(file, header, rows, places)
            rows, places = [], []
    yield _block(file, header, rows, places)


def _records(
    file: Path, reader: _csv.Reader, n: int | None, header: Sequence[str] | None = None
) -> tuple[list[list[str]], list[int]]:
    """The next ``n`` records or all, and the line where each begins; a blank line has no fields.

    All others must have as many fields as the header, if given.
    """
    records: list[list[str]] = []
    begins, broken = reader.line_num + 1, None
    try:
        records.extend(islice(reader, n))  # keeps what comes before an error
    except csv.Error as error:
        broken = error
    if broken is None and reader.line_num + 1 - begins == len(records):
        lines = list(range(begins, begins + len(records)))
    else:
        spans = (1 + sum(len(_LINE_BREAK.findall(field)) for field in one) for one in records)
        *lines, begins = accumulate(spans, initial=begins)
    if header is not None and not set(map(len, records)) <= {0, len(header)}:
        row = next(row for row, one in enumerate(records) if len(one) not in (0, len(header)))
        raise InputError(
            f"there are {len(records[row])} fields",
            file=file,
            line=lines[row],
            expected=f"{len(header)}, as in the heading",
        )
    if broken is not None:
        problem = f"this is not CSV ({broken})"
        raise InputError(problem, file=file, line=begins, expected=_EXPECTED) from broken
    return records, lines


def _block(
    file: Path, header: Sequence[str], rows: Sequence[list[str]], lines: Sequence[int]
) -> RawColumns:
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
    refuse_doubles(file, line, names)
    return names
