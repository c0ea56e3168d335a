"""Where the items that an assistant shows are read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from turnsure.core.errors import InputError

SourceKind = Literal["reply", "tool_result", "tool_arguments", "python"]
"""JSON in the reply's text, the results of a tool, the arguments of its calls, or a function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSource:
    """One place in which items are looked for.

    Attributes
    ----------
    kind
        What is read.
    tool
        Name of the tool whose results or arguments are read; None for those of all tools.
    path
        Names that lead from the JSON value to the list of items, such as ``("data", "flats")``.
    function
        ``"module:function"``, called with the assistant's messages of the turn and the tools'
        results between them; it returns the items.  For ``"python"`` only.
    """

    kind: SourceKind
    tool: str | None = None
    path: tuple[str, ...] = ()
    function: str | None = None

    def __post_init__(self) -> None:
        if (self.kind == "python") is not (self.function is not None):
            raise InputError(
                "a function is named" if self.function else "no function is named",
                field="function",
                expected="`module:function` where, and only where, the source is python",
            )
