"""``turnsure report``."""

from __future__ import annotations

from pathlib import Path

import click

from turnsure.cli.paths import NamedPath
from turnsure.core.errors import InputError

_FORMATS = ("png", "svg")


def _formats(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    del ctx, param
    chosen = tuple(name.strip() for name in (value or "").split(",") if name.strip())
    for name in chosen:
        if name not in _FORMATS:
            raise InputError(f"{name!r} is no chart format", field="charts", expected="png, svg")
    return chosen


@click.command(
    epilog="""\b
Examples:
  turnsure report runs/demo
  turnsure report runs/demo --charts png,svg --csv turns.csv
"""
)
@click.argument("run", type=NamedPath())
@click.option(
    "--out",
    "-o",
    type=NamedPath(),
    metavar="FILE",
    help="Where the page goes.  [RUN/report.html]",
)
@click.option(
    "--charts",
    callback=_formats,
    metavar="png,svg",
    help="Also write every chart as a file, into a folder 'charts' beside the page.",
)
@click.option(
    "--csv",
    "csv_file",
    type=NamedPath(),
    metavar="FILE.csv",
    help="Also write the turns table as CSV.",
)
def report(run: Path, out: Path | None, charts: tuple[str, ...], csv_file: Path | None) -> None:
    """Evaluate a finished run anew and draw its page.  RUN is the run's folder."""
    from turnsure import pipeline
    from turnsure.cli.execute import print_rich
    from turnsure.core.turns import TurnsTable
    from turnsure.report.export import write_charts
    from turnsure.report.page import write_report
    from turnsure.report.terminal import summary_table
    from turnsure.report.terminal_controls import controls_table
    from turnsure.store.turns_file import write_turns

    if csv_file is not None and csv_file.suffix != ".csv":
        raise InputError(f"{csv_file} does not end in .csv", field="csv", expected="FILE.csv")
    data = pipeline.load_run(run)
    print_rich(summary_table(data.evaluation))
    if data.evaluation.controls.any:
        print_rich(controls_table(data.evaluation))
    page = write_report(data, out or run / "report.html")
    click.echo(f"Report: {page}")
    if charts:
        files = write_charts(data, page.parent / "charts", charts)
        click.echo(f"Charts: {len(files)} files in {page.parent / 'charts'}")
    if csv_file is not None:
        table = TurnsTable((*data.table.rows, *data.controlled.rows))
        write_turns(table, csv_file, protocol=data.evaluation.protocol)
        click.echo(f"Turns: {csv_file}")
