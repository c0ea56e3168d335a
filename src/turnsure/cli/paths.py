"""Files and folders named on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from turnsure.core.errors import InputError


class NamedPath(click.ParamType[Path]):
    """A path; an empty text is refused, since it would silently mean the present folder.

    Parameters
    ----------
    to
        What is written there, so that what stands in its way is refused before any work is done;
        None for what is read, where each reader says what it expected.
    """

    name = "path"

    def __init__(self, to: Literal["file", "folder"] | None = None) -> None:
        self._to = to

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The text as a path.

        Raises
        ------
        InputError
            It is empty, or a folder stands where a file is to be written, or the reverse.
        """
        del ctx
        field = None if param is None else param.opts[0].lstrip("-")
        if not str(value).strip():
            raise InputError(
                "the path is empty",
                field=field,
                expected="a file or folder, . for the present folder",
            )
        path = Path(value)
        if self._to == "file" and path.is_dir():
            raise InputError("this is a folder", file=path, field=field, expected="a file to write")
        if self._to is not None:
            folders = (path, *path.parents) if self._to == "folder" else path.parents
            for folder in folders:
                if folder.exists() and not folder.is_dir():
                    raise InputError(
                        "this is no folder",
                        file=folder,
                        field=field,
                        expected="a folder, or a new name",
                    )
        return path
