"""Policies side by side, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from turnsure.core.chosen import PolicyResult
from turnsure.core.results import MetricResult, Undefined
from turnsure.report.text import MISSING, interval, number, printable

if TYPE_CHECKING:
    from rich.table import Table

_NAME_WIDTH = 21
_HEADINGS = (
    "answered\n/ all",
    "right\n% of answers",
    "right %\nof all",
    "asked",
    "wrong\nearly",
)


def replay_table(policies: Sequence[PolicyResult], *, title: str) -> Table:
    """A line a policy, the gate first; a column on identification where the world is known."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    known = any(one.n_before_identified is not None for one in policies)
    table = Table(
        title=Text(printable(title)),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=0,
        pad_edge=True,
    )
    table.add_column("Policy", min_width=_NAME_WIDTH, overflow="fold")
    for heading in _HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    if known:
        table.add_column("before\nknown", justify="right", no_wrap=True)
    for place, one in enumerate(policies):
        cells = [
            f"{one.n_answered} / {one.n_dialogues}",
            _accuracy(one.accuracy),
            number(one.right.value, "percent"),
            f"{one.questions.value:.2f}",
            str(one.n_early_wrong),
        ]
        if known:
            before = one.n_before_identified
            cells.append(MISSING if before is None else str(before))
        table.add_row(Text(one.name), *cells, style="bold" if place == 0 else "")
    return table


def _accuracy(result: MetricResult | Undefined) -> str:
    if isinstance(result, Undefined):
        return MISSING
    bounds = "" if result.interval is None else f" {interval(result.interval, 'percent')}"
    return number(result.value, "percent") + bounds
