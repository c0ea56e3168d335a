"""Putting a file in place that arrived from elsewhere: whole, checked, or not at all."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

Progress = Callable[[int, int], None]
"""Called with bytes so far and bytes in all."""


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


@contextmanager
def arrivals(target: Path) -> Generator[Path]:
    """A temporary folder beside ``target``, from which a file can be moved there in one step.

    It is gone at the end, with whatever was not moved, however the end comes about; so is the
    target's folder if it was made for this and nothing came.
    """
    is_new = not target.parent.exists()
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix="fetch-") as folder:
            yield Path(folder)
    finally:
        if is_new and not target.exists():
            with suppress(OSError):  # something else is in it by now
                target.parent.rmdir()


def put_in_place(arrived: Path, target: Path, *, sha256: str) -> str:
    """Move a file to ``target`` if it is the expected one.

    Parameters
    ----------
    arrived
        In a folder of :func:`arrivals`.
    target
        Replaced in one step: a second process never sees half a file.
    sha256
        The digest of the expected file, in hexadecimal.

    Returns
    -------
    str
        The digest found.  Where it is another one, nothing was moved.
    """
    found = file_digest(arrived)
    if found == sha256:
        arrived.replace(target)
    return found
