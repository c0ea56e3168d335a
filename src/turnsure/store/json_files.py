"""JSON files that are written whole or not at all, and folders that one process holds alone."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import StoreError


def write_json(path: Path, body: Mapping[str, Any]) -> None:
    """Write JSON through a temporary file, so that a reader never sees half of it."""
    text = json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False)
    temporary = path.with_name(f".{path.name}.part")
    # A text may hold half of a surrogate pair, which JSON can only hold escaped.
    temporary.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    temporary.replace(path)


def plain(value: Any) -> Any:
    """Dataclasses, mappings and sequences as the JSON types; dates and the like as text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in cast("tuple[Any, ...]", value)]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


@contextmanager
def held_alone(folder: Path) -> Generator[None]:
    """Make a folder and hold it alone; the hold ends with the process, however it ends.

    Raises
    ------
    StoreError
        Another process holds it, or it cannot be made.
    """
    import filelock

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be made ({error.strerror})") from error
    lock = filelock.FileLock(folder / ".lock", blocking=False)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise StoreError(
            f"{folder} is in use by another turnsure; wait for it, or choose another folder "
            "with --out"
        ) from None
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written to ({error.strerror})") from error
    try:
        yield
    finally:
        lock.release()
