"""The summary as a table in the terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from turnsure.core.evaluation import Evaluation
from turnsure.core.results import MetricResult, Undefined
from turnsure.report.summary import COLUMNS, cell, warnings
from turnsure.report.terminal_closed_world import closed_world_parts
from turnsure.report.text import Unit, printable, shortened

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table
    from rich.text import Text

_SHOWN = ("info_ece", "kendall_tau", "kendall_tau_gold", "ece", "brier", "auroc")
_INTERVALS = ((112, _SHOWN), (92, _SHOWN[:3]), (80, _SHOWN[:2]), (0, ()))
"""From which width on which metrics have room for an interval."""

_NAME_WIDTH = 16


def summary_table(evaluation: Evaluation) -> RenderableType:
    """The main numbers as something that a rich console prints.

    A line for accuracy, a line a method, and below it what a reader must know: failures, low label
    mass, few dialogues; then, for dialogues of closed worlds, a table against their candidates.
    Percent where the heading says so, intervals in brackets.  From 112
    columns on every metric has its interval, from 92 on InfoECE and both τ have, from 80 on InfoECE
    and τ, below that none.
    """
    return _Summary(evaluation)


@dataclass(frozen=True, slots=True)
class _Summary:
    """Lays itself out for the width that the console offers."""

    evaluation: Evaluation

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.padding import Padding
        from rich.text import Text

        fitting = next(keys for width, keys in _INTERVALS if options.max_width >= width)
        yield _table(self.evaluation, with_interval=fitting)
        for warning in warnings(self.evaluation):
            yield Padding(Text(f"! {warning}", style="yellow"), (0, 0, 0, 1))
        if self.evaluation.closed_world is not None:
            yield from closed_world_parts(self.evaluation.closed_world)


def _table(evaluation: Evaluation, *, with_interval: Collection[str]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    columns = [column for column in COLUMNS if column.key in _SHOWN]
    title = f"{printable(evaluation.model)} on {printable(evaluation.data)}"
    table = Table(
        title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, padding=0, pad_edge=True
    )
    table.add_column("Method", min_width=_NAME_WIDTH, max_width=_NAME_WIDTH, overflow="fold")
    for column in columns:
        unit = "% " if column.unit == "percent" else ""
        table.add_column(f"{column.heading}\n{unit}{column.arrow}", justify="right", no_wrap=True)
    table.add_column("scored\n/ asked", justify="right", no_wrap=True)
    accuracy = _number(evaluation.accuracy, "percent", interval=bool(with_interval))
    table.add_row("Accuracy %", accuracy, *[""] * len(columns), style="bold", end_section=True)
    for method in evaluation.methods:
        table.add_row(
            Text(shortened(printable(method.method), 2 * _NAME_WIDTH)),
            *(
                _number(
                    method.metrics.get(column.key),
                    column.unit,
                    interval=column.key in with_interval,
                )
                for column in columns
            ),
            f"{method.n_scored}\n/ {method.n_rows}",
        )
    return table


def _number(result: MetricResult | Undefined | None, unit: Unit, *, interval: bool) -> Text:
    from rich.text import Text

    number = cell(result, unit)
    text = Text(number.value)
    if interval and number.interval is not None:
        text.append(f"\n{number.interval.replace(', ', ',')}", style="not bold dim")
    return text
