"""Reading Parquet so that a damaged file is an error and not a panic."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

PARQUET_MARK = b"PAR1"
"""A Parquet file begins and ends with it."""

_LEAST = 2 * len(PARQUET_MARK)
_ERROR_STREAM = 2
_INCOMPLETE = "this is no complete Parquet file"


class DamagedParquet(Exception):
    """What is wrong with the content, in a few words; the caller knows the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParquetTable:
    """A table, or a piece of one.

    Attributes
    ----------
    names
        Of all columns; one may stand here twice.
    columns
        Values by name, None where one is missing; made into a list when first asked for.
    array
        A column of numbers or of truth values as an array; None for another column, and for one in
        which a value is missing.
    metadata
        Of the schema.
    n
        Rows.
    """

    names: tuple[str, ...]
    columns: Mapping[str, list[Any]]
    array: Callable[[str], npt.NDArray[Any] | None]
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
        frame = files.read_parquet(io.BytesIO(content)).read_all()
        return _table(frame, frame.schema)


def parquet_batches(file: Path, n_rows: int) -> Iterator[ParquetTable]:
    """The table in a Parquet file, at most ``n_rows`` rows at a time.

    A table without rows is one piece without rows.

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
        batches: Any = files.read_parquet(str(file), batch_size=n_rows)
        schema = batches.schema
    n_pieces = 0
    while True:
        with _reading():
            batch: Any = next(batches, None)
            if batch is None and n_pieces == 0:
                batch = schema.empty_table()
            piece = None if batch is None else _table(batch, schema)
        if piece is None:
            return
        n_pieces += 1
        yield piece


class _Lists(Mapping[str, list[Any]]):
    """The columns of a table as lists, each made when it is asked for, and kept."""

    def __init__(self, frame: Any, names: tuple[str, ...]) -> None:
        self._frame = frame
        self._names = names
        self._made: dict[str, list[Any]] = {}

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            with _reading():
                self._made[name] = self._frame.column(name).to_pylist()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(self._names))

    def __len__(self) -> int:
        return len(set(self._names))

    def array(self, name: str) -> npt.NDArray[Any] | None:
        import arro3.core as arrow

        if name not in self._names:
            return None
        column, kinds = self._frame.column(name), arrow.DataType
        plain = kinds.is_integer, kinds.is_float32, kinds.is_float64, kinds.is_boolean
        if column.null_count or not any(is_kind(column.type) for is_kind in plain):
            return None
        return column.to_numpy()


def _table(frame: Any, schema: Any) -> ParquetTable:
    """A table or a batch of it."""
    names = tuple(str(name) for name in schema.names)
    columns = _Lists(frame, names)
    return ParquetTable(
        names=names,
        columns=columns,
        array=columns.array,
        metadata=dict(schema.metadata),
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
