"""What the candidates of a closed world say, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from turnsure.core.closed_world import ClosedWorld, IdealRow
from turnsure.core.results import MetricResult
from turnsure.core.tested import Found, Verdict
from turnsure.report.closed_world import own_rows
from turnsure.report.readings_closed_world import counts
from turnsure.report.summary import cell
from turnsure.report.terminal_controls import verdict_mark
from turnsure.report.text import MISSING, Unit, printable, shortened, signed

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_NAME_WIDTH = 16


def closed_world_parts(world: ClosedWorld) -> Iterator[RenderableType]:
    """A line a method for the own answer, and below it what is behind and what is left out.

    The column of corrections is there only where a correction widens the candidates.
    """
    from rich.padding import Padding
    from rich.text import Text

    yield _table(world)
    yield Padding(Text(counts(world)), (0, 0, 0, 1))


def _table(world: ClosedWorld) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title="Against the known candidates",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=True,
    )
    table.add_column("Method", min_width=_NAME_WIDTH, max_width=_NAME_WIDTH, overflow="fold")
    for heading in (
        "off the\nideal, points ↓",
        "above it,\npoints",
        "identified:\nInfoECE % ↓",
        "\nAUROC ↑",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    if world.corrections:
        table.add_column("falls at\ncorrections", no_wrap=True)
    identified = {(row.method, row.target): row.metrics for row in world.identification}
    verdicts: dict[str, Verdict] = {row.method: row.verdict for row in world.corrections}
    for row in own_rows(world):
        metrics = identified[row.method, row.target]
        table.add_row(
            Text(shortened(printable(row.method), 2 * _NAME_WIDTH)),
            _number(row.distance, "percent"),
            _signed(row),
            _number(metrics["info_ece"], "percent"),
            _number(metrics["auroc"], "fraction"),
            *([verdict_mark(verdicts[row.method])] if world.corrections else []),
        )
    return table


def _number(found: Found, unit: Unit) -> str:
    return cell(found, unit).value


def _signed(row: IdealRow) -> str:
    found = row.bias
    return signed(found.value, "percent") if isinstance(found, MetricResult) else MISSING
