"""Reading Parquet so that a damaged file is an error and not a panic."""

from __future__ import annotations

import io
import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

PARQUET_MARK = b"PAR1"
"""A Parquet file begins and ends with it."""

_LEAST = 2 * len(PARQUET_MARK)
_ERROR_STREAM = 2
_INCOMPLETE = "this is no complete Parquet file"


class DamagedParquet(Exception):
    """What is wrong with the content, in a few words; the caller knows the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParquetTable:
    """A table as lists.

    Attributes
    ----------
    names
        Of all columns; one may stand here twice.
    columns
        Values by name, None where one is missing.
    metadata
        Of the schema.
    n
        Rows.
    """

    names: tuple[str, ...]
    columns: Mapping[str, list[Any]]
    metadata: Mapping[bytes, bytes]
    n: int


def parse_parquet(content: bytes) -> ParquetTable:
    """The table in a Parquet file's bytes.

    Raises
    ------
    DamagedParquet
        The content is cut off or cannot be read.
    """
    import arro3.io as files

    whole = content.startswith(PARQUET_MARK) and content.endswith(PARQUET_MARK)
    if not whole or len(content) <= _LEAST:
        raise DamagedParquet(_INCOMPLETE)
    with _reading():
        return _table(files.read_parquet(io.BytesIO(content)).read_all())


def parquet_batches(file: Path, n_rows: int) -> Iterator[ParquetTable]:
    """The table in a Parquet file, at most ``n_rows`` rows at a time; the last piece may be empty.

    Raises
    ------
    DamagedParquet
        The file is cut off or cannot be read.
    OSError
        The file cannot be opened.
    """
    import arro3.io as files

    with file.open("rb") as stream:
        starts = stream.read(len(PARQUET_MARK)) == PARQUET_MARK
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(size - len(PARQUET_MARK), 0))
        if not starts or stream.read() != PARQUET_MARK or size <= _LEAST:
            raise DamagedParquet(_INCOMPLETE)
    with _reading():
        batches: Any = iter(files.read_parquet(str(file), batch_size=n_rows))
    while True:
        with _reading():
            batch: Any = next(batches, None)
            piece = None if batch is None else _table(batch)
        if piece is None:
            return
        yield piece


def _table(frame: Any) -> ParquetTable:
    """A table or a batch of it as lists."""
    names = tuple(str(name) for name in frame.schema.names)
    return ParquetTable(
        names=names,
        columns={name: cast("list[Any]", frame.column(name).to_pylist()) for name in names},
        metadata=dict(frame.schema.metadata),
        n=int(frame.num_rows),
    )


@contextmanager
def _reading() -> Generator[None]:
    """Tell any failure of the reader as :class:`DamagedParquet`."""
    try:
        with _silent():
            yield
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # The reader panics on a damaged file, with an exception outside the Exception tree.
        raise DamagedParquet(f"this Parquet file is damaged ({error})") from error


@contextmanager
def _silent() -> Generator[None]:
    """Keep the Parquet reader's own words, a backtrace on the error stream, from the user."""
    try:
        kept = os.dup(_ERROR_STREAM)
    except OSError:  # there is no error stream
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _ERROR_STREAM)
    os.close(nowhere)
    try:
        yield
    finally:
        os.dup2(kept, _ERROR_STREAM)
        os.close(kept)
