"""Files and folders named on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from turnsure.core.errors import InputError


class NamedPath(click.ParamType[Path]):
    """A path; an empty text is refused, since it would silently mean the present folder."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The text as a path.

        Raises
        ------
        InputError
            It is empty.
        """
        del ctx
        if not str(value).strip():
            raise InputError(
                "the path is empty",
                field=None if param is None else param.opts[0].lstrip("-"),
                expected="a file or folder, . for the present folder",
            )
        return Path(value)
