"""What ``turnsure dialogues check`` prints: counts by kind, examples, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from turnsure.dialogues.checking.finding import ERRORS, WARNINGS, Finding, Kind, Place
from turnsure.dialogues.checking.mending import Dropped, Mended
from turnsure.dialogues.checking.reading import CheckedFile
from turnsure.report.text import count, printable, shortened

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_MOST_EVIDENCE = 200
"""Characters of the evidence that are printed; JSON has all of it."""

_SAYS: Mapping[Kind, str] = {**ERRORS, **WARNINGS}
_STYLES = {"error": "bold red", "warning": "yellow"}


def findings_text(
    files: Sequence[CheckedFile], findings: Sequence[Finding], n_examples: int
) -> RenderableType:
    """A line for the files, counts by kind, and the first examples of each kind."""
    from rich.console import Group
    from rich.text import Text

    n_dialogues = sum(len(file.dialogues) for file in files)
    n_errors = sum(finding.is_error for finding in findings)
    names = ", ".join(printable(file.name) for file in files)
    said = f"{count(n_errors, 'error')}, {count(len(findings) - n_errors, 'warning')}"
    head = Text(f"{names}: {count(n_dialogues, 'dialogue')}, {said if findings else 'clean'}")
    if not findings:
        return head
    found: dict[Kind, list[Finding]] = {}
    for kind in _SAYS:
        group = [finding for finding in findings if finding.kind == kind]
        if group:
            found[kind] = group
    examples = [
        _examples(group, n_examples, several_files=len(files) > 1) for group in found.values()
    ]
    return Group(head, _counts(found), *(examples if n_examples else []))


def _counts(found: Mapping[Kind, Sequence[Finding]]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("Kind", no_wrap=True)
    table.add_column("Found", justify="right", no_wrap=True)
    table.add_column("Dia-\nlogues", justify="right", no_wrap=True)
    table.add_column("What it says")
    for kind, group in found.items():
        places = {finding.place for finding in group if finding.place is not None}
        style = _STYLES[group[0].severity]
        table.add_row(Text(kind, style=style), f"{len(group):,}", f"{len(places):,}", _SAYS[kind])
    return table


def _examples(group: Sequence[Finding], n: int, *, several_files: bool) -> RenderableType:
    """The first findings, of different dialogues as far as there are any."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    lines: list[RenderableType] = [
        Text(f"{group[0].severity}: {group[0].kind}", style=_STYLES[group[0].severity])
    ]
    firsts = list({finding.place: finding for finding in reversed(group)}.values())[::-1]
    shown = [*firsts, *(finding for finding in group if finding not in firsts)][:n]
    for finding in shown:
        where = _where(finding.place, finding.dialogue, finding.turn, several_files=several_files)
        where = where or "all dialogues together"
        if finding.turn is None and finding.field is not None:
            where = f"{where}, {finding.field}"
        line = Text(f"{where}: ", style="bold")
        line.append(shortened(printable(finding.evidence), _MOST_EVIDENCE), style="not bold")
        lines.append(Padding(line, (0, 0, 0, 2)))
    if len(group) > len(shown):
        rest = Text(f"… and {len(group) - len(shown):,} more", style="dim")
        lines.append(Padding(rest, (0, 0, 0, 2)))
    return Group(*lines, "")


def _where(
    place: Place | None, dialogue: str | None, turn: int | None, *, several_files: bool
) -> str:
    parts = [] if place is None else [f"line {place.line}"]
    if place is not None and several_files:
        parts.insert(0, printable(place.file))
    if dialogue is not None:
        parts.append(printable(dialogue))
    if turn is not None:
        parts.append(f"turn {turn}")
    return ", ".join(parts)


def mended_text(mended: Mended, file: Path) -> RenderableType:
    """What was left out, each with its reason, and what was written."""
    from rich.console import Group

    return Group(*(_dropped(one) for one in mended.dropped), _written(mended, file))


def _dropped(one: Dropped) -> Text:
    from rich.text import Text

    what = "dialogue" if one.turn is None else "hint"
    where = _where(one.place, one.dialogue, one.turn, several_files=False)
    reason = "; ".join(_SAYS[kind] for kind in one.because)
    remark = "" if one.remark is None else f" ({one.remark})"
    said = "" if one.text is None else f": {shortened(printable(one.text), _MOST_EVIDENCE)}"
    return Text(f"left out {what}, {where}: {reason}{remark}{said}")


def _written(mended: Mended, file: Path) -> Text:
    from rich.text import Text

    if not mended.dialogues:
        return Text("Nothing is left, so no file was written.", style="yellow")
    n_hints = sum(one.turn is not None for one in mended.dropped)
    n_whole = len(mended.dropped) - n_hints
    left_out = f"left out {count(n_whole, 'dialogue')} and {count(n_hints, 'hint')}"
    return Text(f"{file}: {count(len(mended.dialogues), 'dialogue')}; {left_out}")
