"""Names cut so that a table fits, each still different from the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from turnsure.report.text import printable

_HEAD = 4
"""Characters kept of the beginning of a name that is cut in the middle."""

_SEPARATED = re.compile(r"[-_/][^-_/].*$")
"""From the first separator on."""


def short_names(names: Sequence[str], width: int | None) -> dict[str, str]:
    """Name to a text of at most ``width`` characters, different for different names.

    Parameters
    ----------
    names
        Without repeats.
    width
        8 or more; None to cut nothing.

    Returns
    -------
    dict
        Every name as it is printed.  Where one is too long, all of several parts lose the parts
        that they end in alike; those that are still too long lose their end or, where others begin
        like them, their middle up to the place where they part; those that then look alike are
        numbered.
    """
    shown = {name: printable(name) for name in names}
    if width is None or all(len(text) <= width for text in shown.values()):
        return shown
    ending = _common_ending([text for text in shown.values() if _SEPARATED.search(text[1:])])
    whole = {name: text.removesuffix(ending) or text for name, text in shown.items()}
    taken: set[str] = set()
    for name, text in whole.items():
        short = text
        if len(text) > width:
            others = [other for key, other in whole.items() if key != name]
            short = _cut(text, others, width)
        n = 1
        while short in taken:
            n += 1
            mark = f"…{n}"
            short = _ended(text, width - len(mark)) + mark
        taken.add(short)
        shown[name] = short
    return shown


def _common_ending(texts: Sequence[str]) -> str:
    """The separator and parts that all texts end in after a beginning of their own."""
    if len(texts) < 2:
        return ""
    n_alike = min(_n_alike(one[:0:-1], other[:0:-1]) for one, other in pairwise(texts))
    found = _SEPARATED.search(texts[0][len(texts[0]) - n_alike :])
    return found[0] if found else ""


def _cut(text: str, others: Sequence[str], width: int) -> str:
    """Beginning, ellipsis, and the part from where the name differs from the one most like it."""
    parting = max((_n_alike(text, other) for other in others), default=0)
    if parting < width - 2:
        return f"{_ended(text, width - 1)}…"
    rest = text[min(parting, len(text) - 1) :]
    room = width - _HEAD - 1
    return f"{text[:_HEAD]}…{rest}" if len(rest) <= room else f"{text[:_HEAD]}…{rest[: room - 1]}…"


def _ended(text: str, width: int) -> str:
    return text[:width].rstrip(" -_.")


def _n_alike(one: str, other: str) -> int:
    """Characters that two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
