"""What all pages share: how a template is filled, and how a page is written."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Template

_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127], "\N{REPLACEMENT CHARACTER}")
"""Characters that a model's reply can hold and HTML cannot."""


def filled(name: str, **values: Any) -> str:
    """A page from its template, which escapes every value and refuses a name without one."""
    return _template(name).render(**values).translate(_CONTROLS)


def write_page(page: str, path: str | Path) -> Path:
    """Write a page, whole or not at all, and return its path.

    Missing folders are made.  Raises OSError when the place cannot be written to.
    """
    target = Path(path)
    # Half a surrogate pair can come from a model's JSON and has no UTF-8 form.
    content = page.encode("utf-8", errors="replace")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("turnsure.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
