r"""Finding ``\boxed{…}`` in a model's text and taking the typesetting off what it holds.

What counts as a box: ``\boxed``, ``\fbox`` or ``\framebox`` followed by a brace, with one
backslash, several (escaped twice) or none (dropped by the model), and the backspace that
``"\boxed"`` turns into when a JSON reader takes ``\b`` for an escape.  ``\boxed Paris`` without a
brace is no box: TeX would frame one letter, and prose mentions the command that way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MOST_CHARACTERS = 20_000
"""A longer reply is not read: no answer and no number needs that much, and reading takes long."""


_MARK = re.compile(
    r"(?P<box>(?:\\+|(?<![^\W_]))(?:boxed|fbox|framebox)\s*\{|\x08oxed\s*\{)"
    r"|\\[\\{}]|(?P<open>\{)|(?P<close>\})",
    re.IGNORECASE,
)

_FONT = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal)?|math(?:rm|bf|it|sf|tt)|operatorname|emph|mbox|boldsymbol)"
    r"\s*\{([^{}]*)\}"
)
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_SPACING = re.compile(r"\\(?:[,;:!> ]|quad\b|qquad\b)|\{\}")
_ESCAPED = re.compile(r"\\([%$&#_{}])")
_PAIRS = (
    ("$$", "$$"),
    ("$", "$"),
    (r"\(", r"\)"),
    (r"\[", r"\]"),
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("“", "”"),
    ("„", "“"),
    ("‘", "’"),
    ("«", "»"),
    ("「", "」"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    r"""One ``\boxed{…}``.

    Attributes
    ----------
    content
        What stands between the braces, as written; for an unclosed box the rest of its line.
    start, end
        ``text[start:end]`` is the whole box with its command and braces.
    closed
        False when the closing brace is missing.
    depth
        0 for an outer box, 1 for a box inside it, and so on.
    """

    content: str
    start: int
    end: int
    closed: bool
    depth: int


def find_boxes(text: str) -> list[Box]:
    """Every box of ``text`` by its start, so that an outer box comes before what it holds."""
    spans: list[tuple[int, int, int, bool]] = []  # start, start of the content, its end, closed
    braces: list[tuple[bool, int, int]] = []  # is it a box, start, start of the content
    for mark in _MARK.finditer(text):
        if mark["close"]:
            if braces:
                is_box, start, inside = braces.pop()
                if is_box:
                    spans.append((start, inside, mark.start(), True))
        elif mark["box"] or mark["open"]:
            braces.append((bool(mark["box"]), mark.start(), mark.end()))
    for is_box, start, inside in braces:
        if is_box:
            line_end = text.find("\n", inside)
            spans.append((start, inside, len(text) if line_end < 0 else line_end, False))

    boxes: list[Box] = []
    around: list[int] = []  # ends of the boxes that hold the current position
    for start, inside, stop, closed in sorted(spans):
        end = stop + 1 if closed else stop
        while around and around[-1] <= start:
            around.pop()
        boxes.append(
            Box(content=text[inside:stop], start=start, end=end, closed=closed, depth=len(around))
        )
        around.append(end)
    return boxes


def innermost(boxes: Sequence[Box]) -> list[Box]:
    """The boxes that hold no other box; ``boxes`` are in the order of :func:`find_boxes`."""
    after = [box.start for box in boxes[1:]]
    return [box for i, box in enumerate(boxes) if i == len(after) or after[i] >= box.end]


def unwrap(text: str) -> str:
    r"""Take off typesetting that says nothing: fonts, maths marks, emphasis, quotes, outer braces.

    ``\textbf{Paris}``, ``$Paris$``, ``**Paris**``, ``"Paris"`` and ``{Paris}`` become ``Paris``;
    ``\frac{1}{2}`` becomes ``1/2``, ``85\%`` becomes ``85%`` and ``1{,}000`` becomes ``1,000``.
    """
    before = None
    while text != before:
        before = text
        text = _FONT.sub(r"\1", text)
        text = _FRACTION.sub(r"\1/\2", text)
    text = _SPACING.sub(" ", text.replace("{,}", ","))
    before = None
    while text != before:
        before = text
        text = _without_pair(text.strip())
    return _ESCAPED.sub(r"\1", text).strip()


def _without_pair(text: str) -> str:
    """``text`` without one surrounding pair of marks, when they belong to each other."""
    if _braced(text):
        return text[1:-1]
    for left, right in _PAIRS:
        if len(text) >= len(left) + len(right) and text.startswith(left) and text.endswith(right):
            inside = text[len(left) : len(text) - len(right)]
            if left not in inside and right not in inside:
                return inside
    return text


def _braced(text: str) -> bool:
    """Whether the first brace is closed by the last character."""
    if not (text.startswith("{") and text.endswith("}") and not text.endswith("\\}")):
        return False
    depth = 0
    for i, letter in enumerate(text):
        if letter in "{}" and text[i - 1 : i] != "\\":
            depth += 1 if letter == "{" else -1
            if depth == 0:
                return i == len(text) - 1
    return False
